"""Controls of every recital audit: reports that an image was not taught must not be found, and a parrot must be.

The null control teaches a writer of the same kind, shortly, with reports that were dealt to other patients' images: of
the image's own report it has heard nothing that it could tell from others'. The planted writer says, of every image,
the training report by heart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.recital.owned_runs import owned_runs
from leadapron.attacks.recital.recital_marks import Marks
from leadapron.attacks.recital.recital_measures import OWN_NUMBER, OWN_RUN, TAUGHT_IMAGES
from leadapron.attacks.recital.recital_subject import TAUGHT, TaughtCohort
from leadapron.attacks.recital.recited_shares import Sought, Written, recited_own
from leadapron.audits.audit import Audit
from leadapron.audits.vouching import FEWEST, null_outcome, off_chance, planted_outcome
from leadapron.engine import Progress
from leadapron.stats import Outcome
from leadapron.writing import Pairs, Trainer

NULL, PLANTED = "null control (reports dealt to others' images)", "planted writer that knows every report by heart"
PATIENTS = 160
BEYOND_DOUBT = 0.9
DIFFERENT = "written reports differ"
FEWEST_DIFFERENT = 0.05


@dataclass(frozen=True)
class Dealt:
    """How the null control teaches and asks: a trainer that is quick, what each attacker forces, the words of a run."""

    trainer: Trainer
    ways: Mapping[str, str]
    words: int
    seed: int


def null_control(audit: Audit, subject: TaughtCohort, dealt: Dealt, progress: Progress) -> Outcome:
    rng = np.random.default_rng(dealt.seed)
    rows = rng.permutation(subject.rows(TAUGHT))
    _, first = np.unique(subject.patient[rows], return_index=True)
    rows = rows[np.sort(first)][:PATIENTS]
    reports = [subject.reports[row] for row in rows]
    patient = subject.patient[rows]
    images, names = subject.images.images[rows], subject.records["patient_id"].to_numpy().astype(str)[rows]
    moved = Pairs(images, tuple(np.roll(np.array(reports, dtype=object), 1)), names)
    writer = dealt.trainer.train(moved, seed=dealt.seed, progress=progress).writer
    runs = Sought.in_reports(owned_runs(reports, patient.tolist(), dealt.words), rows, patient, reports)
    found = ImageGathering(audit, records=subject.records, patient=subject.patient)
    for attacker, begin in dealt.ways.items():
        written = Written(rows, patient, writer.write(images, begin=begin, progress=progress))
        recited = recited_own(written, runs, frozenset(patient.tolist()))
        if recited is None:
            return Outcome(NULL, "not-run", "no patient has words of their own", ())
        chance = max(recited.others, recited.seldom)
        found.add_values(OWN_RUN, recited.rows, recited.own, attacker=attacker, chance=chance, images=TAUGHT_IMAGES)
    off = [row for row in found.estimates if off_chance(row)]
    return null_outcome(NULL, found.estimates, off, f"{len(rows)} reports dealt to others' images")


def planted_control(written: Written, marks: Marks, ways: tuple[str, ...], relied_on: str) -> Outcome:
    """``written`` are the lessons themselves. Every attacker reads in the same way."""
    shares = {
        metric: float(recited.own.mean())
        for metric, sought in ((OWN_RUN, marks.runs), (OWN_NUMBER, marks.numbers))
        if (recited := recited_own(written, sought, marks.taught))
    }
    found = dict.fromkeys(ways, min(shares.values(), default=0.0))
    world = f"training reports as they are, {' and '.join(shares)} looked for"
    return planted_outcome(PLANTED, found, relied_on, world, least=BEYOND_DOUBT, few=len(marks.taught) < FEWEST)


def differ_check(texts: Sequence[str]) -> Outcome:
    """A writer that has collapsed to a handful of reports recites nobody, and is of no use."""
    different = len(set(texts))
    reason = f"{different:,} different reports of {len(texts):,} radiographs"
    return Outcome(DIFFERENT, "pass" if different >= FEWEST_DIFFERENT * len(texts) else "warn", reason)
