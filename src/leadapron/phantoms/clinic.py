"""The clinic: patients, their studies over the years, the images and reports of each."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image
from scipy.special import ndtr

from leadapron.cohort import LABEL_COLUMNS, Cohort, Funnel, Pixels, prepare
from leadapron.cohort.cohort import build_cohort, write_cohort_files
from leadapron.engine import Progress, atomic_folder, parallel_map, silent
from leadapron.phantoms.dials import Dials
from leadapron.phantoms.identifiers import Identifiers, patient_identity, write_date
from leadapron.phantoms.latent import COLUMN, NAMES, wear
from leadapron.phantoms.phantom_findings import draw_courses, noisy_labels, severity, true_labels
from leadapron.phantoms.radiograph import render
from leadapron.phantoms.report import write_report
from leadapron.phantoms.scene import image_scenes, study_scenes
from leadapron.phantoms.seen import see_all
from leadapron.phantoms.sites import SITES

MOST_STUDIES = 8
STUDY_DECAY = 0.745  # each further study is this likely: 3.1 studies and 3.4 images a patient, as in MIMIC-CXR
SECOND_IMAGE = 0.10
FIRST_DAY = date(2008, 1, 1)
RACES = {"White": 0.66, "Black": 0.18, "Hispanic": 0.08, "Asian": 0.05, "Other": 0.03}


@dataclass(frozen=True)
class Clinic:
    """A cohort whose truth is known: the scene behind every image, the identifiers in every report."""

    dials: Dials
    cohort: Cohort
    scenes: NDArray[np.void]
    identifiers: pl.DataFrame

    def radiographs(self, size: int = 128, *, progress: Progress = silent) -> NDArray[np.uint8]:
        """The images as they come from the machine, one a record."""
        return render(self.scenes, size, progress=progress)

    def pixels(self, size: int = 128, *, progress: Progress = silent) -> Pixels:
        """The images as an encoder gets them, after the same pipeline as files."""
        films = self.radiographs(size, progress=progress)
        return Pixels(self.cohort, np.stack(parallel_map(lambda film: prepare(film, size), list(films))), ())


def build_clinic(dials: Dials | None = None) -> Clinic:
    """A clinic from its dials. The same dials give the same clinic, byte by byte.

    Every purpose has a stream of random numbers of its own, so that turning one dial leaves the rest as it was: a
    clinic with less specific reports has the very same images.
    """
    dials = dials or Dials()
    site = SITES[dials.site]

    def stream(purpose: str) -> np.random.Generator:
        return np.random.default_rng([dials.seed, zlib.crc32((site.streams + purpose).encode())])

    visits = _visits(stream("visits"), dials.patients, site.case_mix.days_apart)
    patient, days = visits.patient, visits.days
    own = stream("patients").standard_normal((dials.patients, len(NAMES)))
    vectors = wear(own[patient], stream("strangers").standard_normal((len(patient), len(NAMES))), dials.identity)
    courses = draw_courses(stream("courses"), patient, days, vectors[:, COLUMN["age"]], dials.identity)
    severities = severity(courses, site.case_mix)
    studies = study_scenes(stream("studies"), vectors, severities, site.case_mix.pacemaker)
    truth = true_labels(severities, studies["pacemaker"] > 0)
    labels = noisy_labels(stream("labels"), truth, dials.label_noise, site.case_mix)

    rng = stream("images")
    ap = rng.random(len(patient)) < site.case_mix.bedside + 0.30 * truth[:, -1] + 0.06 * (1 - truth[:, 8])
    study = np.repeat(np.arange(len(patient)), 1 + (rng.random(len(patient)) < SECOND_IMAGE))
    scenes = image_scenes(rng, studies, study, ap[study], site.scanner)
    studies["ap"] = ap  # a heart looks larger on an AP film, and is said to be

    people = _people(stream("people"), own)
    study_ids = [f"{patient_id(dials, p)}-s{o + 1}" for p, o in zip(patient, visits.order, strict=True)]
    reports, identifiers = _reports(dials, stream("reports"), people, visits, studies, study_ids)
    first = np.r_[True, np.diff(study) > 0]
    image_number = np.arange(len(study)) - np.maximum.accumulate(np.where(first, np.arange(len(study)), 0)) + 1
    who = patient[study]
    table = pl.DataFrame(
        {
            "record_id": [f"{study_ids[s]}-{i}" for s, i in zip(study, image_number, strict=True)],
            "patient_id": [patient_id(dials, p) for p in who],
            "study_id": [study_ids[s] for s in study],
            "view": np.where(ap[study], "AP", "PA"),
            "report": [reports[s] for s in study],
            **dict(zip(LABEL_COLUMNS, labels[study].T, strict=True)),
            "sex": people["sex"][who],
            "age": (people["age"][who] + days[study] / 365.25).astype(np.int16),
            "race": people["race"][who],
            "date": [people["first_day"][p] + timedelta(int(d)) for p, d in zip(who, days[study], strict=True)],
        }
    )
    funnel = Funnel.start("images taken in the phantom clinic", len(table))
    return Clinic(dials, build_cohort("phantom", table, funnel, seed=dials.seed), scenes, identifiers)


def patient_id(dials: Dials, number: int) -> str:
    """A name that no patient of another clinic has, be it of another site or of another seed: ``A0-00017``."""
    return f"{dials.site}{dials.seed}-{number:05d}"


@dataclass(frozen=True)
class _Visits:
    """For each study its patient, its number among the patient's, and the days since the first."""

    patient: NDArray[np.int64]
    order: NDArray[np.int64]
    days: NDArray[np.float64]


def _visits(rng: np.random.Generator, patients: int, days_apart: float) -> _Visits:
    chances = STUDY_DECAY ** np.arange(MOST_STUDIES)
    counts = rng.choice(np.arange(1, MOST_STUDIES + 1), size=patients, p=chances / chances.sum())
    patient = np.repeat(np.arange(patients), counts)
    order = np.concatenate([np.arange(count) for count in counts])
    # Half of the follow-ups come within the median, some after years.
    gaps = np.where(order == 0, 0, np.ceil(rng.lognormal(np.log(days_apart), 1.6, len(patient)).clip(1, 2500)))
    days = np.concatenate([np.cumsum(part) for part in np.split(gaps, np.cumsum(counts)[:-1])])
    return _Visits(patient, order, days)


def _people(rng: np.random.Generator, own: NDArray[np.float64]) -> dict[str, NDArray[Any]]:
    """What the register says of each patient.

    At identity 1 the anatomy shows this sex and this age; below it the images drift away from the register. Race is
    never shown.
    """
    count = len(own)
    return {
        "sex": np.where(ndtr(own[:, COLUMN["sex"]]) < 0.48, "F", "M"),
        "age": np.clip(60 + 18 * own[:, COLUMN["age"]], 18, 95),
        "race": rng.choice(list(RACES), size=count, p=list(RACES.values())),
        "first_day": np.array([FIRST_DAY + timedelta(int(day)) for day in rng.integers(0, 3650, count)]),
        "identity_seed": rng.integers(0, 2**62, count),
    }


def _reports(
    dials: Dials,
    rng: np.random.Generator,
    people: dict[str, NDArray[Any]],
    visits: _Visits,
    studies: NDArray[np.void],
    study_ids: list[str],
) -> tuple[list[str], pl.DataFrame]:
    """A report a study, and the table of planted identifiers."""
    seen = see_all(studies)
    seeds = rng.integers(0, 2**62, len(studies))
    # What a patient's last study showed is part of the patient's identity, too.
    compared = (visits.order > 0) & (rng.random(len(studies)) < dials.identity)
    reports, spans = [], []
    for row, who in enumerate(visits.patient):
        identifiers = None
        if dials.identifiers:
            dates = [people["first_day"][who] + timedelta(int(visits.days[at])) for at in (row, row - 1)]
            identifiers = Identifiers(
                *patient_identity(Random(int(people["identity_seed"][who]))),
                study_date=write_date(dates[0]),
                prior_date=write_date(dates[1]) if visits.order[row] else None,
            )
        draft = write_report(
            Random(int(seeds[row])),
            seen[row],
            seen[row - 1] if compared[row] else None,
            "AP" if studies["ap"][row] else "PA",
            wording=SITES[dials.site].wording,
            dials=dials,
            identifiers=identifiers,
        )
        reports.append(draft.text)
        spans += [(study_ids[row], *span) for span in draft.spans]
    schema = {"study_id": pl.String, "kind": pl.String, "start": pl.Int64, "end": pl.Int64}
    return reports, pl.DataFrame(spans, schema=schema, orient="row")


def write_clinic(
    clinic: Clinic, folder: Path, size: int = 128, *, overwrite: bool = False, progress: Progress = silent
) -> Cohort:
    """The clinic as a cohort folder: the table, a PNG an image, and where identifiers were planted."""
    names = [f"images/{record}.png" for record in clinic.cohort.records["record_id"]]
    records = clinic.cohort.records.with_columns(pl.Series("image_path", names))
    cohort = Cohort(clinic.cohort.name, records, clinic.cohort.funnel)
    with atomic_folder(folder, overwrite=overwrite) as partial:
        (partial / "images").mkdir()
        films = clinic.radiographs(size, progress=progress)
        parallel_map(lambda row: Image.fromarray(films[row]).save(partial / names[row]), range(len(names)))
        write_cohort_files(cohort, partial)
        clinic.identifiers.write_parquet(partial / "identifiers.parquet")
    return cohort
