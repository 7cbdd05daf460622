"""BLEU of a corpus: how many runs of one to ``order`` words of the written reports stand in the true ones.

Counts are added up over all reports before anything is divided (Papineni et al., ACL 2002), without smoothing. A mean
of single reports' values is another number, and lower.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from leadapron.writing.scores.report_score import Doubles, paired, ratio
from leadapron.writing.scores.report_words import STATED, report_words


@dataclass(frozen=True)
class Bleu:
    """BLEU with runs of at most ``order`` words."""

    order: int = 4

    @property
    def name(self) -> str:
        return f"bleu-{self.order}"

    @property
    def how(self) -> str:
        return f"of the corpus, unsmoothed; {STATED}"

    def missing(self) -> str:
        return ""

    def statistics(self, written: Sequence[str], truth: Sequence[str]) -> Doubles:
        """Of each length of a run: how many are found, and how many there are; then the words of both reports."""
        rows = [self._row(report_words(one), report_words(other)) for one, other in paired(written, truth)]
        return np.array(rows, dtype=np.float64).reshape(-1, 2 * self.order + 2)

    def _row(self, written: list[str], true: list[str]) -> list[int]:
        found, there = [], []
        for length in range(1, self.order + 1):
            runs = runs_of(written, length)
            found.append((runs & runs_of(true, length)).total())
            there.append(runs.total())
        return [*found, *there, len(written), len(true)]

    def value(self, sums: Doubles) -> Doubles:
        """The geometric mean of the precisions, times the penalty for being shorter than the truth."""
        found, there = sums[..., : self.order], sums[..., self.order : 2 * self.order]
        written, true = sums[..., -2], sums[..., -1]
        precision = ratio(found, there)
        with np.errstate(divide="ignore"):  # a precision of zero makes the mean zero
            mean = np.exp(np.log(precision).mean(axis=-1))
        longer = np.divide(true, written, out=np.full_like(true, np.inf), where=written > 0)
        value: Doubles = mean * np.exp(np.minimum(0.0, 1.0 - longer))
        return value


def runs_of(words: list[str], length: int) -> Counter[tuple[str, ...]]:
    """How often each run of so many words occurs."""
    return Counter(zip(*(words[start:] for start in range(length)), strict=False))
