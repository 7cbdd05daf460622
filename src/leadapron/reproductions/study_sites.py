"""The two hospitals of the study, read from their published layouts; what the study cannot do without is asked for."""

from __future__ import annotations

from pathlib import Path

from leadapron.cohort import SOURCES, Cohort, ReadOptions, read_cohort, write_cohort
from leadapron.cohort.labels import LABEL_COLUMNS
from leadapron.cohort.sources.chexpert_plus import IMAGE_ROOTS, LABEL_FILES
from leadapron.engine import Progress
from leadapron.errors import DataError
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.published_layouts import LAYOUTS
from leadapron.reproductions.study_config import AWAY, HOME, TEST, TRAIN, StudyConfig
from leadapron.results.withheld import FEWEST_PATIENTS, FEWEST_POSITIVES, told_in_words

LAYOUT_OF = {HOME: "mimic_cxr", AWAY: "chexpert_plus"}
PHANTOM_SITES = {HOME: "A", AWAY: "B"}
"""The phantom clinics that stand for them: other patients, another machine, another way of writing."""
NEEDED = {
    HOME: {
        "the table of images": ("mimic-cxr-*-metadata.csv.gz", "mimic-cxr-*-metadata.csv"),
        "the table of labels": ("mimic-cxr-*-chexpert.csv.gz", "mimic-cxr-*-chexpert.csv"),
        "the reports": ("mimic-cxr-reports.zip", "mimic-cxr-reports/files/p*/p*/s*.txt", "files/p*/p*/s*.txt"),
        "the images": ("files/p*/p*/s*/*.jpg",),
    },
    AWAY: {
        "the table of images and reports": ("df_chexpert_plus_*.csv", "df_chexpert_plus_*.csv.gz"),
        "the file of labels": tuple(place + name for place in ("chexbert_labels/", "") for name in LABEL_FILES),
        "the images": tuple(str(Path(root, "train/patient*/study*/*")) for root in IMAGE_ROOTS),
    },
}
"""Any of the patterns will do. The official split is not asked for: the study makes its own."""
LOOKED_AT = 100
"""Images whose files are looked for."""


def check_layout(site: str, path: Path) -> None:
    """A look at the folder before anything is read: a part that is missing is named at once, and not after an hour."""
    for what, patterns in NEEDED[site].items():
        if not any(True for pattern in patterns for _ in path.glob(pattern)):
            raise DataError(
                f"{what} of {site} {'are' if what.split()[1].endswith('s') else 'is'} not there",
                where=path,
                allowed=" or ".join(patterns),
            )


def build_phantoms(work: Path, patients: int, seed: int, progress: Progress) -> dict[str, Path]:
    """Two phantom clinics on disk, in the layouts of the two data sets; what is there stays."""
    places = {site: work / f"phantom-{site}" for site in PHANTOM_SITES}
    for number, (site, place) in enumerate(places.items()):
        if not place.exists():
            dials = Dials(patients=patients, seed=seed + number, site=PHANTOM_SITES[site])
            LAYOUTS[LAYOUT_OF[site]](build_clinic(dials), place, progress=progress)
    return places


def site_cohort(site: str, path: Path, kept: Path, config: StudyConfig) -> Cohort:
    """The cohort of a hospital, in the study's own split, kept in a folder once it was read."""
    if kept.exists():
        return read_cohort(kept)
    try:
        cohort = SOURCES[LAYOUT_OF[site]](path, ReadOptions(views=config.views, seed=config.seed))
    except DataError as error:
        raise error.located(path) from None
    _check(cohort, site, path, config)
    write_cohort(cohort, kept)
    return cohort


def _check(cohort: Cohort, site: str, path: Path, config: StudyConfig) -> None:
    """Images, labels, and patients enough that every number is of a group."""
    records = cohort.records
    if records.select(LABEL_COLUMNS).null_count().row(0) == (len(records),) * len(LABEL_COLUMNS):
        raise DataError("no record has a label, which matched pools and use are measured by", where=path)
    looked_at = records["image_path"].head(LOOKED_AT)
    if not any(Path(place).is_file() for place in looked_at):
        raise DataError("there are no images", where=path, got=f"none of the first {len(looked_at)} files")
    learns = site == HOME and config.trains_heads
    for split in (TRAIN, TEST) if learns else (TEST,):
        patients = records.filter(split=split)["patient_id"].n_unique()
        if patients < FEWEST_PATIENTS:
            raise DataError(
                f"too few patients fall to split {split!r}",
                where=path,
                got=f"{told_in_words(patients)} of {cohort.patients:,} patients",
                allowed=f"{FEWEST_PATIENTS} or more",
            )
    if learns and not _can_be_judged(cohort):
        raise DataError(
            "no finding can be judged: too few test records have it, or have it not",
            where=path,
            allowed=f"one that {FEWEST_POSITIVES} test records have and {FEWEST_POSITIVES} do not have",
        )


def _can_be_judged(cohort: Cohort) -> bool:
    truth = cohort.records.filter(split=TEST).select(LABEL_COLUMNS)
    return any(min((column == 1).sum(), (column == 0).sum()) >= FEWEST_POSITIVES for column in truth)
