"""The area under the ROC curve in a thousand redraws: the records are sorted once, and a redraw is one walk.

The area is the Mann-Whitney statistic: the share of pairs of a positive and a negative record in which the positive one
scores higher, a tie counting half. In a redraw a pair counts as often as both of its records were drawn. Walking up the
sorted scores, the pairs of every group of ties are counted in whole numbers, so nothing is rounded.

Redraws say how often each patient counts, the sample itself first, so that every number goes the same way.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort.truth import Labels
from leadapron.engine import kernel, parallel_map
from leadapron.stats.bootstrap import HIGH, LOW

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

REDRAWS_AT_ONCE = 50


@dataclass(frozen=True)
class Redraws:
    """``weights[r, c]`` is how often cluster c counts in redraw r; row 0 is the sample itself, all ones.

    ``cluster`` says of which cluster each record is.
    """

    weights: NDArray[np.uint16]
    cluster: Ints

    def means(self, values: Floats) -> Floats:
        """The mean over the records in every redraw, the sample first; a record whose value is NaN is not there."""
        there = ~np.isnan(values)
        count = self.weights.shape[1]
        sums = np.bincount(self.cluster[there], weights=values[there], minlength=count)
        sizes = np.bincount(self.cluster[there], minlength=count).astype(np.float64)
        both = np.stack([sums, sizes], axis=1)
        blocks = range(0, len(self.weights), REDRAWS_AT_ONCE)  # as floating-point numbers all would not fit
        totals = np.concatenate([self.weights[at : at + REDRAWS_AT_ONCE].astype(np.float64) @ both for at in blocks])
        return ratio(totals[:, 0], totals[:, 1])


def draw(cluster_of: NDArray[np.generic], redraws: int, seed: int) -> Redraws:
    """As many clusters as there are, drawn with replacement. Only the set of clusters and the seed decide.

    So two releases of the same records, in whatever order, are redrawn alike.
    """
    names, cluster = np.unique(cluster_of, return_inverse=True)
    weights = np.ones((redraws + 1, len(names)), dtype=np.uint16)

    def fill(row: int) -> None:
        drawn = np.random.default_rng([seed, row]).integers(0, len(names), len(names))
        weights[row] = np.bincount(drawn, minlength=len(names))

    parallel_map(fill, range(1, redraws + 1))
    return Redraws(weights, cluster.astype(np.int64))


def spread(replicates: Floats) -> tuple[float, float, float]:
    """The 95 % percentile interval and the standard deviation over the redraws in which there is a value."""
    there = replicates[~np.isnan(replicates)]
    low, high = np.percentile(there, [LOW, HIGH])
    return float(low), float(high), float(there.std(ddof=1))


def ratio(above: Floats | Ints, below: Floats | Ints) -> Floats:
    """The quotient, NaN where there is nothing to divide by."""
    quotient: Floats = np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below != 0)
    return quotient


@dataclass(frozen=True)
class Counts:
    """Of every redraw (rows) and label (columns): records by truth and answer, and pairs twice, for the half ones.

    The answer is "positive" where the score is at least the threshold.
    """

    pairs_won_twice: Ints
    positives: Ints
    negatives: Ints
    missed: Ints
    cleared: Ints

    def auroc(self) -> Floats:
        return ratio(self.pairs_won_twice, 2 * self.positives * self.negatives)

    def accuracy(self) -> Floats:
        return ratio(self.positives - self.missed + self.cleared, self.positives + self.negatives)

    def sensitivity(self) -> Floats:
        return ratio(self.positives - self.missed, self.positives)

    def specificity(self) -> Floats:
        return ratio(self.cleared, self.negatives)


def count_redraws(scores: Floats, labels: Labels, redraws: Redraws, threshold: float = 0.0) -> Counts:
    """All that the metrics need, in every redraw. Records whose label is unknown do not count for that label."""
    rows, columns = redraws.weights.shape[0], len(labels.names)
    found = np.zeros((columns, rows, 5), dtype=np.int64)
    lines = parallel_map(lambda label: _sort(scores[:, label], labels.truth[:, label], redraws), range(columns))
    blocks = [slice(start, start + REDRAWS_AT_ONCE) for start in range(0, rows, REDRAWS_AT_ONCE)]

    def walk(part: tuple[int, slice]) -> None:
        label, block = part
        cluster, positive, last, ranked = lines[label]
        cut = int(np.searchsorted(ranked, threshold, side="left"))
        _walk(cluster, positive, last, cut, redraws.weights[block], found[label, block])

    parallel_map(walk, [(label, block) for label in range(columns) for block in blocks])
    return Counts(*(np.ascontiguousarray(found[:, :, at].T) for at in range(5)))


def auroc(scores: Floats, labels: Labels) -> Floats:
    """The area of every label, NaN where there is only one class."""
    once = Redraws(np.ones((1, 1), dtype=np.uint16), np.zeros(len(scores), dtype=np.int64))
    area: Floats = count_redraws(scores, labels, once).auroc()[0]
    return area


def _sort(
    scores: Floats, truth: NDArray[np.int8], redraws: Redraws
) -> tuple[NDArray[np.int32], NDArray[np.bool_], NDArray[np.bool_], Floats]:
    """The known records from the lowest score up: cluster, truth, whether the last of its ties, and score."""
    known = np.flatnonzero(truth >= 0)
    order = known[np.argsort(scores[known], kind="stable")]
    ranked = scores[order]
    last = np.append(ranked[1:] != ranked[:-1], True)[: len(order)]
    return redraws.cluster[order].astype(np.int32), truth[order] == 1, last, ranked


@kernel
def _walk(
    cluster: NDArray[np.int32], positive: NDArray[np.bool_], last: NDArray[np.bool_], cut: int,
    weights: NDArray[np.uint16], found: Ints,
) -> None:  # fmt: skip
    for redraw in range(weights.shape[0]):
        weight = weights[redraw]
        won, missed, cleared = np.int64(0), np.int64(0), np.int64(0)
        positives, negatives = np.int64(0), np.int64(0)
        tied_positives, tied_negatives = np.int64(0), np.int64(0)
        for place in range(len(cluster)):
            if place == cut:
                missed, cleared = positives, negatives
            many = np.int64(weight[cluster[place]])
            is_positive = np.int64(positive[place])
            tied_positives += many * is_positive
            tied_negatives += many * (1 - is_positive)
            if last[place]:
                won += tied_positives * (2 * negatives + tied_negatives)
                positives += tied_positives
                negatives += tied_negatives
                tied_positives, tied_negatives = np.int64(0), np.int64(0)
        if cut >= len(cluster):
            missed, cleared = positives, negatives
        found[redraw, 0] = won
        found[redraw, 1] = positives
        found[redraw, 2] = negatives
        found[redraw, 3] = missed
        found[redraw, 4] = cleared
