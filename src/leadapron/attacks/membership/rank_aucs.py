"""The AUC without any assumption: how often a member's signal is above another's (Mann and Whitney)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from leadapron.attacks.membership.binormal import Auc
from leadapron.attacks.membership.signals import Array, Flags
from leadapron.engine import kernel

Doubles = NDArray[np.float64]


def rank_auc(values: Array, members: Flags) -> Auc:
    """Of every record, with DeLong's error carried to the probit scale; values and members are records by models.

    Signals of either side are sorted, then merged: no pair is compared twice, ties count half.
    """
    out, into, count = _split(values, members)
    out.sort(axis=1)
    into.sort(axis=1)
    found = np.empty((2, len(values)))
    _merge(out, into, count, found)
    pairs = count[:, 0].astype(np.float64) * count[:, 1]
    # with all pairs won the AUC is not 1 but not told from it: half a pair is left open
    distance = ndtri(np.clip(found[0], 0.5 / pairs, 1 - 0.5 / pairs))
    slope = np.exp(-(distance**2) / 2) / np.sqrt(2 * np.pi)
    least = np.sqrt((1 / count[:, 0] + 1 / count[:, 1]) / 2)  # the error at chance: that of a sure record is no smaller
    return Auc(distance, np.maximum(np.sqrt(found[1]) / slope, least))


def _split(values: Array, members: Flags) -> tuple[Array, Array, NDArray[np.int64]]:
    """The two sides of every record, filled up with infinity."""
    count = members.sum(axis=1)
    counts = np.stack([members.shape[1] - count, count], axis=1).astype(np.int64)
    out, into = (np.full((len(values), width), np.inf, dtype=values.dtype) for width in counts.max(axis=0))
    _deal(values, members, out, into)
    return out, into, counts


@kernel
def _deal(values: Array, members: Flags, out: Array, into: Array) -> None:
    for record in range(values.shape[0]):
        outs = ins = 0
        for model in range(values.shape[1]):
            if members[record, model]:
                into[record, ins] = values[record, model]
                ins += 1
            else:
                out[record, outs] = values[record, model]
                outs += 1


@kernel
def _merge(out: Array, into: Array, count: NDArray[np.int64], found: Doubles) -> None:
    for record in range(out.shape[0]):
        n_out, n_in = count[record, 0], count[record, 1]
        total, in_square = _placed(into[record, :n_in], out[record, :n_out])
        _, out_square = _placed(out[record, :n_out], into[record, :n_in])
        auc = total / (n_in * n_out)
        spread = 0.0
        if n_in > 1:
            spread += max(in_square / n_out**2 / n_in - auc**2, 0.0) / (n_in - 1)
        if n_out > 1:
            spread += max(out_square / n_in**2 / n_out - (1 - auc) ** 2, 0.0) / (n_out - 1)
        found[0, record], found[1, record] = auc, spread


@kernel
def _placed(these: Array, those: Array) -> tuple[float, float]:
    """For sorted numbers, the sum and the sum of squares of how many of those each of these is above."""
    below = upto = 0
    total = squares = 0.0
    for value in these:
        while below < len(those) and those[below] < value:
            below += 1
        upto = max(upto, below)
        while upto < len(those) and those[upto] <= value:
            upto += 1
        placed = (below + upto) / 2
        total += placed
        squares += placed * placed
    return total, squares
