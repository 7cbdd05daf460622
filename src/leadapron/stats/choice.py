"""The best of several rivals who were measured on the same patients: an estimate that allows for the choice.

Whoever does best on some patients does so partly by luck, and the figure of the winner is too high. Cross-fitted, each
half of the patients is measured by the rival who did best on the other half, over many ways to halve them. As the
halves share their luck the interval is no mean's: its lower limit is the highest of the rivals' lower limits, each so
far out that all of them hold together, and never above the estimate; its upper limit is their highest one, which holds
for the best whoever that is.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leadapron.stats.estimate import Estimate
from leadapron.stats.shares import added_up, lower_limit, shares

Doubles = NDArray[np.float64]

HALVINGS = 50


@dataclass(frozen=True)
class Best:
    """``rival`` did best, and ``values`` are what each row gets that it was measured on, by whom the others chose."""

    rival: int
    values: Doubles
    estimate: Estimate


def best_of(values: Doubles, clusters: NDArray[np.generic]) -> Best:
    """The best of the columns, whose rows are shares, NaN where a rival was not measured."""
    measured = ~np.isnan(values)
    alone = [
        shares(column[known][:, None], clusters[known])[0] for column, known in zip(values.T, measured.T, strict=True)
    ]
    rival = max(range(len(alone)), key=lambda one: alone[one].value)
    rows, own = measured[:, rival], alone[rival]
    if len(alone) == 1:
        return Best(rival, values[rows, rival], own)
    hits = np.where(measured, values, 0.0)
    weights = _chosen(hits, measured, clusters) * measured
    total = weights.sum(axis=1)
    crossed = np.where(total > 0, (weights * hits).sum(axis=1) / np.where(total > 0, total, 1), hits[:, rival])[rows]
    value = float(crossed.mean())
    added = (added_up(hits[known][:, [at]], clusters[known]) for at, known in enumerate(measured.T))
    low = min(value, max(lower_limit(sums[:, 0], sizes, among=len(alone)) for sums, sizes in added))
    high = max(value, *(one.high for one in alone))
    return Best(rival, crossed, replace(own, value=value, low=low, high=high, among=len(alone)))


def _chosen(hits: Doubles, measured: NDArray[np.bool_], clusters: NDArray[np.generic]) -> Doubles:
    """For every row in how many halvings each rival was the other half's choice, as a share.

    The same patients are always halved alike.
    """
    who, place = np.unique(clusters, return_inverse=True)
    sums, _ = added_up(hits, clusters)
    sizes, _ = added_up(measured.astype(np.float64), clusters)
    rng, chosen = np.random.default_rng(0), np.zeros(sums.shape)
    for _ in range(HALVINGS):
        half = rng.permutation(len(who)) < len(who) // 2
        for side in (half, ~half):
            means = sums[~side].sum(axis=0) / np.maximum(sizes[~side].sum(axis=0), 1)
            chosen[side, int(means.argmax())] += 1 / HALVINGS
    taken: Doubles = chosen[place]
    return taken
