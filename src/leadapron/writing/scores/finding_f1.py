"""What a written report gets right of the findings, and of the side each is on: F1 by the rules of the labeller.

Scores that count words go up with the house style alone. These read what is said: a finding that is affirmed or
doubted is there. One counts findings; the other counts findings with a side, and so sees whether a report is of this
patient or of another one with the same findings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leadapron.cohort import FINDINGS
from leadapron.reports.prompt_reading import read_prompt
from leadapron.writing.scores.report_score import Doubles, ReportScore, paired, ratio

COUNTED = tuple(name for name in FINDINGS if name != "No Finding")


def findings_of(report: str) -> frozenset[str]:
    """The findings that a report affirms or doubts."""
    return frozenset(read_prompt(report).present)


def sides_of_findings(report: str) -> frozenset[tuple[str, str]]:
    """The same with the side: left, right or both. One whose side is not said is not among them."""
    return frozenset((finding, said.side) for finding, said in read_prompt(report).present.items() if said.side)


@dataclass(frozen=True)
class FindingF1:
    """F1 over all findings of all reports together; ``macro``, the mean over findings that stand in true reports."""

    macro: bool = False

    @property
    def name(self) -> str:
        return "findings-f1-macro" if self.macro else "findings-f1"

    @property
    def how(self) -> str:
        pooled = "mean over findings" if self.macro else "findings pooled"
        return f"{pooled}, without No Finding, by the labeller's rules; doubted counts as there"

    def missing(self) -> str:
        return ""

    def statistics(self, written: Sequence[str], truth: Sequence[str]) -> Doubles:
        """Of each finding: rightly there, wrongly there, wrongly left out."""
        rows = [(findings_of(one), findings_of(other)) for one, other in paired(written, truth)]
        said = np.array([[name in one for name in COUNTED] for one, _ in rows], dtype=bool)
        true = np.array([[name in other for name in COUNTED] for _, other in rows], dtype=bool)
        return np.stack([said & true, said & ~true, ~said & true], axis=2).reshape(len(rows), -1).astype(np.float64)

    def value(self, sums: Doubles) -> Doubles:
        by_finding = sums.reshape(*sums.shape[:-1], len(COUNTED), 3)
        if not self.macro:
            return f1(by_finding.sum(axis=-2))
        there = by_finding[..., 0] + by_finding[..., 2] > 0
        return ratio(np.where(there, f1(by_finding), 0.0).sum(axis=-1), there.sum(axis=-1).astype(np.float64))


@dataclass(frozen=True)
class SideF1:
    """F1 over all pairs of a finding and its side."""

    @property
    def name(self) -> str:
        return "sides-f1"

    @property
    def how(self) -> str:
        return "pairs of a finding and its side pooled, by the labeller's rules; a side that is not said has no pair"

    def missing(self) -> str:
        return ""

    def statistics(self, written: Sequence[str], truth: Sequence[str]) -> Doubles:
        rows = [(sides_of_findings(one), sides_of_findings(other)) for one, other in paired(written, truth)]
        counts = [(len(one & other), len(one - other), len(other - one)) for one, other in rows]
        return np.array(counts, dtype=np.float64).reshape(-1, 3)

    def value(self, sums: Doubles) -> Doubles:
        return f1(sums)


def f1(counts: Doubles) -> Doubles:
    """From what is rightly there, wrongly there and wrongly left out; zero where there is nothing to find."""
    right, wrong, missed = np.moveaxis(counts, -1, 0)
    return ratio(2 * right, 2 * right + wrong + missed)


LEADING: tuple[ReportScore, ...] = (FindingF1(), SideF1(), FindingF1(macro=True))
"""The scores that lead; those of words stand beside them."""
