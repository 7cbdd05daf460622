"""The two hospitals of the study, read from their published layouts; what the study cannot do without is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from leadapron.cohort import SOURCES, Cohort, ReadOptions, read_cohort, write_cohort
from leadapron.cohort.labels import LABEL_COLUMNS
from leadapron.engine import Progress
from leadapron.errors import DataError
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.published_layouts import LAYOUTS
from leadapron.reproductions.study_config import AWAY, HOME, StudyConfig

LAYOUT_OF = {HOME: "mimic_cxr", AWAY: "chexpert_plus"}
OPTION_OF = {HOME: "--mimic", AWAY: "--chexpert-plus"}
PHANTOM_SITES = {HOME: "A", AWAY: "B"}
"""The phantom clinics that stand for them: other patients, another machine, another way of writing."""


def build_phantoms(work: Path, patients: int, seed: int, progress: Progress) -> Mapping[str, Path]:
    """Two phantom clinics on disk, in the layouts of the two data sets; what is there stays."""
    places = {site: work / f"phantom-{site}" for site in PHANTOM_SITES}
    for number, (site, place) in enumerate(places.items()):
        if not place.exists():
            dials = Dials(patients=patients, seed=seed + number, site=PHANTOM_SITES[site])
            LAYOUTS[LAYOUT_OF[site]](build_clinic(dials), place, progress=progress)
    return places


def site_cohort(site: str, path: Path, kept: Path, config: StudyConfig) -> Cohort:
    """The cohort of a hospital, kept in a folder once it was read; all but the test patients of the other one go."""
    if kept.exists():
        return read_cohort(kept)
    options = ReadOptions(views=config.views, seed=config.seed)
    try:
        cohort = SOURCES[LAYOUT_OF[site]](path, options)
    except DataError as error:
        raise error.located(path) from None
    _check(cohort, site, path)
    write_cohort(cohort, kept)
    return cohort


def _check(cohort: Cohort, site: str, path: Path) -> None:
    """Images, reports and labels: without any of them there is no study."""
    records, where = cohort.records, f"{OPTION_OF[site]} {path.name}"
    if records["report"].is_null().all():
        raise DataError("there are no reports to link", where=where)
    if records.select(LABEL_COLUMNS).null_count().row(0) == (len(records),) * len(LABEL_COLUMNS):
        raise DataError("there are no labels, which matched pools and use are measured by", where=where)
    if not any(Path(place).is_file() for place in records["image_path"].drop_nulls()[:100]):
        raise DataError("there are no images", where=where, got=f"none of the first {min(len(records), 100)} files")
    for split in ("train", "test"):
        if split not in set(records["split"]):
            raise DataError(f"no patient falls to split {split!r}", where=where, got=f"{cohort.patients} patients")
