"""The numbers of a report-writing audit: every method by every score, each finding by itself, and what is gained."""

from __future__ import annotations

from leadapron.audits.gathering import Gathering
from leadapron.stats import Estimate, redrawn_means
from leadapron.uses.auroc import spread
from leadapron.uses.report_writing_measures import FINDINGS, GAIN
from leadapron.uses.writing_task import CONTROLS
from leadapron.uses.written_scores import REDRAWS, WrittenScores
from leadapron.writing.scores.finding_f1 import COUNTED, f1


def add_scores(found: Gathering, own: WrittenScores, others: WrittenScores, methods: list[str]) -> None:
    """By guessing: the same reports, dealt to other patients' images."""
    for method in methods:
        for score in own.scores:
            chance = others.value(method, score)
            found.add(score, own.estimate(method, score), attacker=method, chance=chance)


def add_findings(found: Gathering, own: WrittenScores, method: str) -> None:
    """Each finding by itself; its n is how many true reports have it."""
    counts = own.statistics[method, FINDINGS].reshape(-1, len(COUNTED), 3)
    for place, finding in enumerate(COUNTED):
        part = counts[:, place]
        there = int((part[:, 0] + part[:, 2]).sum())
        redrawn = f1(redrawn_means(part, own.patient_id, redraws=REDRAWS, seed=own.seed))
        if there:
            estimate = Estimate(float(f1(part.sum(axis=0))), *spread(redrawn), there)
            found.add_of_some(FINDINGS, estimate, attacker=method, chance=0.0, finding=finding)


def add_gains(found: Gathering, own: WrittenScores, regimes: list[str]) -> None:
    """Every regime over each earlier one, and the first over every control."""
    pairs = [(later, earlier) for at, later in enumerate(regimes) for earlier in regimes[:at]]
    pairs += [(regimes[0], control) for control in CONTROLS]
    for method, over in pairs:
        for score in own.scores:
            found.add(f"{score}{GAIN}", own.gain(method, over, score), attacker=method, chance=0.0, over=over)
