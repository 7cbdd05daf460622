"""The clinic: patients, their studies over the years, the images and reports of each."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image
from scipy.special import ndtr

from leadapron.cohort import LABEL_COLUMNS, Cohort, Funnel, Pixels, prepare
from leadapron.cohort.cohort import build_cohort, write_cohort_files
from leadapron.engine import Progress, atomic_folder, parallel_map, silent
from leadapron.engine.private import private_file
from leadapron.phantoms.clinic_reports import write_reports
from leadapron.phantoms.clinic_visits import draw_visits, patient_id
from leadapron.phantoms.dials import Dials
from leadapron.phantoms.latent import COLUMN, NAMES, wear
from leadapron.phantoms.phantom_findings import draw_courses, noisy_labels, severity, true_labels
from leadapron.phantoms.radiograph import render
from leadapron.phantoms.scene import image_scenes, study_scenes
from leadapron.phantoms.sites import SITES

SECOND_IMAGE = 0.10
PATIENTS_FILE = "patients-not-for-release.parquet"
FIRST_DAY = date(2008, 1, 1)
RACES = {"White": 0.66, "Black": 0.18, "Hispanic": 0.08, "Asian": 0.05, "Other": 0.03}


@dataclass(frozen=True)
class Clinic:
    """A cohort whose truth is known: the scene behind every image, the identifiers in every report.

    ``terms`` are the clinical words of reports with identifiers, which must outlive them; ``patients`` is what a
    register knows of those who are named.
    """

    dials: Dials
    cohort: Cohort
    scenes: NDArray[np.void]
    identifiers: pl.DataFrame
    terms: pl.DataFrame
    patients: pl.DataFrame

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

    visits = draw_visits(stream("visits"), dials.patients, site.case_mix.days_apart)
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
    said = write_reports(dials, stream, people, visits, studies, study_ids)
    first = np.r_[True, np.diff(study) > 0]
    image_number = np.arange(len(study)) - np.maximum.accumulate(np.where(first, np.arange(len(study)), 0)) + 1
    who = patient[study]
    table = pl.DataFrame(
        {
            "record_id": [f"{study_ids[s]}-{i}" for s, i in zip(study, image_number, strict=True)],
            "patient_id": [patient_id(dials, p) for p in who],
            "study_id": [study_ids[s] for s in study],
            "view": np.where(ap[study], "AP", "PA"),
            "report": [said.texts[s] for s in study],
            **dict(zip(LABEL_COLUMNS, labels[study].T, strict=True)),
            "sex": people["sex"][who],
            "age": (people["age"][who] + days[study] / 365.25).astype(np.int16),
            "race": people["race"][who],
            "date": [people["first_day"][p] + timedelta(int(d)) for p, d in zip(who, days[study], strict=True)],
        }
    )
    funnel = Funnel.start("images taken in the phantom clinic", len(table))
    cohort = build_cohort("phantom", table, funnel, seed=dials.seed)
    return Clinic(dials, cohort, scenes, said.identifiers, said.terms, said.patients)


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


def write_clinic(
    clinic: Clinic, folder: Path, size: int = 128, *, overwrite: bool = False, progress: Progress = silent
) -> Cohort:
    """The clinic as a cohort folder: the table, a PNG an image, and where identifiers and clinical terms stand.

    Who the patients are lies beside it, for nobody's eyes but the owner's.
    """
    names = [f"images/{record}.png" for record in clinic.cohort.records["record_id"]]
    records = clinic.cohort.records.with_columns(pl.Series("image_path", names))
    cohort = replace(clinic.cohort, records=records)
    with atomic_folder(folder, overwrite=overwrite) as partial:
        (partial / "images").mkdir()
        films = clinic.radiographs(size, progress=progress)
        parallel_map(lambda row: Image.fromarray(films[row]).save(partial / names[row]), range(len(names)))
        write_cohort_files(cohort, partial)
        clinic.identifiers.write_parquet(partial / "identifiers.parquet")
        clinic.terms.write_parquet(partial / "terms.parquet")
        with private_file(partial / PATIENTS_FILE).open("wb") as stream:
            clinic.patients.write_parquet(stream)
    return cohort
