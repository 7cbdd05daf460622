"""What a score of written reports is: numbers of every report that add up, and a value of their sums.

Because the numbers add up, the value of any selection of reports, or of reports that count several times, comes from
one matrix product: that is how patients are redrawn for an interval. A value must not change when all sums are
multiplied by one number, so means do as well as sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.stats import Estimate
from leadapron.stats.bootstrap import HIGH, LOW, REDRAWS, redrawn_means

Doubles = NDArray[np.float64]


class ReportScore(Protocol):
    """One way to compare a written report with the one that a radiologist wrote; higher is better."""

    @property
    def name(self) -> str:
        """A short name: "bleu-4"."""
        ...

    @property
    def how(self) -> str:
        """How exactly it is computed, for a page: the words, the parameters, whose program."""
        ...

    def missing(self) -> str:
        """What it lacks on this machine, in a sentence; nothing where it can be computed."""
        ...

    def statistics(self, written: Sequence[str], truth: Sequence[str]) -> Doubles:
        """Numbers that add up, a row a report."""
        ...

    def value(self, sums: Doubles) -> Doubles:
        """From sums of rows, along the last axis, to values; no sums of nothing, please."""
        ...


def redrawn_values(
    score: ReportScore, statistics: Doubles, patients: NDArray[np.generic], *, redraws: int = REDRAWS, seed: int = 0
) -> Doubles:
    """Values over patients drawn with replacement. The same seed draws the same patients, so differences are paired."""
    return score.value(redrawn_means(statistics, patients, redraws=redraws, seed=seed))


def estimate_score(
    score: ReportScore, statistics: Doubles, patients: NDArray[np.generic], *, redraws: int = REDRAWS, seed: int = 0
) -> Estimate:
    """The value over all reports, with its 95 % interval over redraws of patients."""
    redrawn = redrawn_values(score, statistics, patients, redraws=redraws, seed=seed)
    low, high = np.percentile(redrawn, [LOW, HIGH])
    value = float(score.value(statistics.sum(axis=0)))
    clusters = len(np.unique(patients))
    return Estimate(value, float(low), float(high), float(redrawn.std(ddof=1)), len(statistics), clusters)


def paired(written: Sequence[str], truth: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of a written report and its truth, if there are as many of both."""
    if len(written) != len(truth):
        got = f"{len(written):,} written and {len(truth):,} true ones"
        raise DataError("every written report must have a true one to be compared with", got=got)
    return list(zip(written, truth, strict=True))


def each_once(scores: Sequence[float] | Doubles) -> Doubles:
    """Statistics of a score whose value is the mean over reports: the report's own score, and that it counts once."""
    rows = np.asarray(scores, dtype=np.float64)
    return np.stack([rows, np.ones_like(rows)], axis=1)


def mean_score(sums: Doubles) -> Doubles:
    mean: Doubles = sums[..., 0] / sums[..., 1]
    return mean


def ratio(above: Doubles, below: Doubles) -> Doubles:
    """Nothing out of nothing is nothing."""
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
