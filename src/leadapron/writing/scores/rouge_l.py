"""ROUGE-L: the longest row of words that both reports have in this order, not necessarily side by side.

An F-measure of the share of the written and of the true report's words (Lin 2004), the mean over reports. Recall counts
1.2 times as much as precision, as in the program for image captions by which most papers on reports are scored.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from leadapron.writing.scores.report_score import Doubles, each_once, mean_score, paired
from leadapron.writing.scores.report_words import STATED, report_words

CAPTION_BETA = 1.2


@dataclass(frozen=True)
class RougeL:
    """ROUGE-L; with a ``beta`` of 1, precision and recall count alike."""

    beta: float = CAPTION_BETA

    @property
    def name(self) -> str:
        return "rouge-l"

    @property
    def how(self) -> str:
        return f"mean over reports, β {self.beta:g}; {STATED}"

    def missing(self) -> str:
        return ""

    def statistics(self, written: Sequence[str], truth: Sequence[str]) -> Doubles:
        pairs = paired(written, truth)
        return each_once([self._of_one(report_words(one), report_words(other)) for one, other in pairs])

    def _of_one(self, written: list[str], true: list[str]) -> float:
        shared = longest_shared(written, true)
        weight = self.beta**2
        return (1 + weight) * shared / (len(written) + weight * len(true)) if shared else 0.0

    def value(self, sums: Doubles) -> Doubles:
        return mean_score(sums)


def longest_shared(one: list[str], other: list[str]) -> int:
    """The length of the longest common subsequence.

    A row of the textbook's table grows by at most one from column to column, so it is a row of bits, and a whole row
    follows from the one before by an addition (Hyyrö 2004).
    """
    places: dict[str, int] = defaultdict(int)
    for at, word in enumerate(one):
        places[word] |= 1 << at
    every = (1 << len(one)) - 1
    flat = every
    for word in other:
        if word in places:
            met = flat & places[word]
            flat = ((flat + met) | (flat - met)) & every
    return len(one) - flat.bit_count()
