"""The attack on a whole patient: all signals of a patient as one Gaussian, members against others.

A patient has a signal a record, or one a record and label. The attacker adds them up, each weighted by how far and how
surely members differ in it and by how much it repeats the others (w = R⁻¹ δ). Weights are learned from some of the
models and tried on the rest, and only answers scored by the same weights are compared with each other. Compared across,
members would look like others: leaving a member out lowers the very mean that it is measured against.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.membership.binormal import NINETY_FIVE, Auc, from_differences
from leadapron.attacks.membership.signals import Array, Flags, Ints

Doubles = NDArray[np.float64]

AT_ONCE = 1_000_000
FOLDS, FOLDS_OF_FEW, FEW = 4, 2, 40


@dataclass(frozen=True)
class _Sums:
    """All that is needed of some models: sides (without, with) by patients, by signals, by signals once more."""

    count: Doubles
    total: Doubles
    crossed: Doubles

    def without(self, part: _Sums) -> _Sums:
        return _Sums(self.count - part.count, self.total - part.total, self.crossed - part.crossed)

    @property
    def means(self) -> Doubles:
        found: Doubles = self.total / np.maximum(self.count, 1)[:, :, None]
        return found


def folds_of(models: int, seed: int) -> Ints:
    """The fold of every model: four, or two where there are few models."""
    count = FOLDS if models >= FEW else FOLDS_OF_FEW
    return np.random.default_rng(seed).permutation(np.arange(models) % count)


def joint_auc(values: Array, starts: Ints, members: Flags, folds: Ints, single: Auc) -> Auc:
    """Of every patient; ``values`` are signals by models, a patient's begin at ``starts``; ``members`` are patients by
    models.

    A patient with one signal has that one's AUC, ``single``: there are no weights to learn.
    """
    sizes = np.diff(starts, append=len(values))
    distance, error = single.distance.copy(), single.error.copy()
    for size in np.unique(sizes[sizes > 1]).tolist():
        who = np.flatnonzero(sizes == size)
        room = size * (values.shape[1] + 2 * size * (int(folds.max()) + 2))
        for part in np.array_split(who, min(len(who), 1 + len(who) * room // AT_ONCE)):
            rows = starts[part][:, None] + np.arange(size)
            found = _together(_standardised(values[rows]), members[part], folds)
            distance[part], error[part] = found.distance, found.error
    return Auc(distance, error)


def _standardised(values: Array) -> Doubles:
    """So that sums of squares lose nothing; neither centre nor scale matters to the attack."""
    values = values.astype(np.float64)
    values -= values.mean(axis=2, keepdims=True)
    spread = np.sqrt(np.einsum("prm,prm->pr", values, values) / values.shape[2])
    scaled: Doubles = values / np.where(spread > 0, spread, 1.0)[:, :, None]
    return scaled


def _together(values: Doubles, members: Flags, folds: Ints) -> Auc:
    """Patients of as many signals each: patients by signals by models."""
    spent = int(folds.max()) + 1
    parts = [_sums(values[:, :, folds == fold], members[:, folds == fold]) for fold in range(spent)]
    every = _Sums(*(sum(getattr(part, name) for part in parts) for name in ("count", "total", "crossed")))
    gap, weight, promised = (np.zeros(len(values)) for _ in range(3))
    squares = np.zeros((2, len(values)))
    for tried in parts:
        weights, length = learned_weights(every.without(tried))
        scores = np.einsum("pr,spr->sp", weights, tried.means)
        told = tried.count.prod(axis=0) / tried.count.sum(axis=0)
        gap += told * (scores[1] - scores[0])
        promised += told * length
        weight += told
        turned = (tried.crossed @ weights[:, :, None])[:, :, :, 0]
        squares += np.maximum((turned * weights).sum(axis=2) - tried.count * scores**2, 0)
    out, into = squares / np.maximum(every.count - spent, 1)
    gap, promised = gap / np.maximum(weight, 1e-12), promised / np.maximum(weight, 1e-12)
    found = from_differences(gap, into, out, every.count[1], every.count[0], spent=spent)
    return Auc(found.distance, found.error * np.sqrt(_repeated(gap, promised, found)))


def _sums(values: Doubles, members: Flags) -> _Sums:
    inside = values * members[:, None, :]
    turned = values.transpose(0, 2, 1)
    into, every = inside @ turned, values @ turned
    total, total_in = values.sum(axis=2), inside.sum(axis=2)
    n_in = members.sum(axis=1).astype(np.float64)
    return _Sums(
        np.stack([members.shape[1] - n_in, n_in]),
        np.stack([total - total_in, total_in]),
        np.stack([every - into, into]),
    )


def _repeated(gap: Doubles, promised: Doubles, found: Auc) -> Doubles:
    """By how much the variance is larger than that of models which are tried only.

    Every model is learned from, too, in the other folds. Weights that are all noise make each pair of folds count
    twice; weights that are all signal do not depend on the models they were learned from. In between, with r the share
    of the separation in learning that is left in trying, it is 2 − r². Near chance r is not known, so its lower limit
    counts.
    """
    spread = np.abs(gap) / np.maximum(np.abs(found.distance), 1e-12)
    lowest = gap - NINETY_FIVE * found.error * spread
    kept = np.clip(lowest / np.maximum(promised, 1e-12), 0.0, 1.0)
    factor: Doubles = 2 - kept**2
    return factor


def learned_weights(sums: _Sums) -> tuple[Doubles, Doubles]:
    """Patients by signals: the direction in which members differ most from others, of unit variance.

    With it, how far apart they are along it in the models that it was learned from.
    """
    out, into = sums.means
    dof = max(float(sums.count.sum(axis=0)[0]) - 2, 1.0)
    within = sums.crossed.sum(axis=0)
    for side, mean in enumerate((out, into)):
        within = within - sums.count[side][:, None, None] * mean[:, :, None] * mean[:, None, :]
    spread = np.sqrt(np.maximum(np.diagonal(within, axis1=1, axis2=2), 0) / dof)
    spread = np.where(spread > 1e-9, spread, 1.0)
    correlation = _shrunk_correlation(within / dof / spread[:, :, None] / spread[:, None, :], dof)
    own = (into - out) / spread
    noise = (1 / np.maximum(sums.count, 1)).sum(axis=0)
    # where a side is missing all that is known is that members are surer
    difference = np.where(sums.count.min(axis=0)[:, None] > 0, _shrunk_difference(own, noise), 1.0)
    weights = np.linalg.solve(correlation, difference[:, :, None])[:, :, 0]
    weights /= np.sqrt(np.maximum((weights * difference).sum(axis=1), 1e-300))[:, None]
    return weights / spread, (weights * own).sum(axis=1)


def _shrunk_difference(difference: Doubles, noise: Doubles) -> Doubles:
    """Differences of a patient's signals, drawn towards their mean by as much as chance drives them apart."""
    mean = difference.mean(axis=1, keepdims=True)
    apart = ((difference - mean) ** 2).sum(axis=1)
    kept = np.clip(1 - (difference.shape[1] - 1) * noise / np.maximum(apart, 1e-300), 0.0, 1.0)
    shrunk: Doubles = mean + kept[:, None] * (difference - mean)
    return shrunk


def _shrunk_correlation(own: Doubles, dof: float) -> Doubles:
    """Drawn towards one correlation for all pairs (Ledoit and Wolf), by as much as chance drives the pairs apart."""
    size = own.shape[1]
    apart = ~np.eye(size, dtype=bool)
    pairs = own[:, apart]
    mean = np.clip(pairs.mean(axis=1, keepdims=True), 0.0, 1.0)
    noise = ((1 - np.clip(pairs, -1, 1) ** 2) ** 2).sum(axis=1) / dof
    weight = np.clip(noise / np.maximum(((pairs - mean) ** 2).sum(axis=1), 1e-300), 0.0, 1.0)
    mixed = own.copy()
    mixed[:, apart] = weight[:, None] * mean + (1 - weight[:, None]) * pairs
    mixed[:, range(size), range(size)] = 1.0 + 1e-3  # records that are copies of each other leave no room otherwise
    return mixed
