"""What is looked for in written reports: words, planted numbers and identifiers of one patient alone."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from leadapron.attacks.recital.owned_runs import owned_runs, owned_texts
from leadapron.attacks.recital.planted_numbers import plant_numbers
from leadapron.attacks.recital.recital_subject import HELD, TAUGHT, TaughtCohort
from leadapron.attacks.recital.recited_shares import Ints, Sought
from leadapron.errors import DataError


@dataclass(frozen=True)
class Marks:
    """``lessons`` are the training reports as the writer is taught them, planted numbers in front."""

    lessons: tuple[str, ...]
    taught: frozenset[int]
    """The patients who were taught."""
    runs: Sought
    """Of all patients, taught or held out: what the writer knows of the one and not of the other is what it learnt."""
    numbers: Sought
    identifiers: Sought | None


def marks_of(subject: TaughtCohort, *, words: int, planted: float, seed: int) -> Marks:
    rows = {split: subject.rows(split) for split in (TAUGHT, HELD)}
    reports = {split: [subject.reports[row] for row in own] for split, own in rows.items()}
    patients = {split: subject.patient[own].tolist() for split, own in rows.items()}
    every, whose = reports[TAUGHT] + reports[HELD], patients[TAUGHT] + patients[HELD]
    at = np.concatenate([rows[TAUGHT], rows[HELD]])
    runs = Sought.in_reports(owned_runs(every, whose, words), at, subject.patient[at], every)
    taught = frozenset(patients[TAUGHT])
    if not runs.rows & set(rows[TAUGHT].tolist()):
        what = f"no training patient has a run of {words} words that nobody else has"
        raise DataError(what, where=subject.images.where, fix="Look for shorter ones with --words.")
    numbers = plant_numbers(subject.patient[rows[TAUGHT]], planted, every, seed)
    lessons = numbers.headed(reports[TAUGHT], patients[TAUGHT])
    in_front = owned_texts((number, patient) for patient, number in numbers.number.items())
    return Marks(
        lessons=lessons,
        taught=taught,
        runs=runs,
        numbers=Sought.in_reports(in_front, rows[TAUGHT], subject.patient[rows[TAUGHT]], lessons),
        identifiers=_identifiers(subject, at, every),
    )


def _identifiers(subject: TaughtCohort, rows: Ints, reports: list[str]) -> Sought | None:
    """Texts that identify a patient in the original report, which the writer's own lessons may lack."""
    if subject.identifiers is None:
        return None
    names, patients = subject.records["record_id"].to_list(), subject.patient[rows]
    texts = [subject.identifiers.get(names[row], ()) for row in rows]
    pairs = ((text, patient) for own, patient in zip(texts, patients.tolist(), strict=True) for text in own)
    owned = owned_texts(pairs, reports, patients.tolist())
    return Sought.in_reports(owned, rows, patients, ["\n".join(own) for own in texts])
