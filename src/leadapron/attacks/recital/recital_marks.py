"""What is looked for in written reports: words, planted numbers and identifiers of one patient alone."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.attacks.recital.owned_runs import Owned, owned_runs, owned_texts
from leadapron.attacks.recital.planted_numbers import plant_numbers
from leadapron.attacks.recital.recital_subject import HELD, TAUGHT, TaughtCohort
from leadapron.errors import DataError


@dataclass(frozen=True)
class Marks:
    """``lessons`` are the training reports as the writer is taught them, planted numbers in front."""

    lessons: tuple[str, ...]
    taught: frozenset[int]
    """The patients who were taught."""
    runs: Owned
    """Of all patients, taught or held out: what the writer knows of the one and not of the other is what it learnt."""
    taught_runs: Owned
    """Among training reports alone: whose words they are, if a held-out patient's report has them, too."""
    numbers: Owned
    identifiers: Owned | None


def marks_of(subject: TaughtCohort, *, words: int, planted: float, seed: int) -> Marks:
    rows = {split: subject.rows(split) for split in (TAUGHT, HELD)}
    reports = {split: [subject.reports[row] for row in own] for split, own in rows.items()}
    patients = {split: subject.patient[own].tolist() for split, own in rows.items()}
    every, whose = reports[TAUGHT] + reports[HELD], patients[TAUGHT] + patients[HELD]
    runs = owned_runs(every, whose, words)
    taught = frozenset(patients[TAUGHT])
    if not runs.holders & taught:
        what = f"no training patient has a run of {words} words that nobody else has"
        raise DataError(what, where=subject.images.where, fix="Look for shorter ones with --words.")
    numbers = plant_numbers(subject.patient[rows[TAUGHT]], planted, every, seed)
    known = subject.identifiers
    own = [
        (text, int(subject.patient[row]))
        for row in (*rows[TAUGHT], *rows[HELD])
        for text in (known or {}).get(str(subject.records["record_id"][int(row)]), ())
    ]
    return Marks(
        lessons=numbers.headed(reports[TAUGHT], patients[TAUGHT]),
        taught=taught,
        runs=runs,
        taught_runs=owned_runs(reports[TAUGHT], patients[TAUGHT], words),
        numbers=owned_texts((number, patient) for patient, number in numbers.number.items()),
        identifiers=None if known is None else owned_texts(own, every, whose),
    )
