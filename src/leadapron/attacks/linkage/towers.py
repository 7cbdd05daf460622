"""Two small networks, one a side, that learn from known pairs where a pair shall meet: the nonlinear attacker.

A tower is a linear map and beside it one hidden layer, which starts at nothing: what comes out first is the linear
map's space, and training only adds to it. The loss is contrastive: in each batch an image must find its report among
all, and a report its image. Patients who are held out say when to stop. NumPy alone: nets as small as these spend
their time in matrix products.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.release.rows import unit

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Weights = dict[str, Floats]
Pairs = tuple[Floats, Floats, Ints]
"""Rows of one side and of the other, and for each of the first which of the second belongs to it."""

HIDDEN = 256
WIDTH = 128
"""Of the space where pairs meet, at least."""
DROPPED = 0.3
BATCH = 512
ROWS_AT_ONCE = 65_536
STEPS = 800
"""At most, however many pairs are known."""
WARM = 0.1
RATE = 1e-3
DECAY = 1e-2
SHARPNESS = 20.0
"""What similarities are multiplied by before the softmax, at first."""
LOOKED = 20
"""Steps from one look at the patients who are held out to the next, or an epoch if that is more."""
PATIENCE = 6
"""Looks without anything better."""
NEVER = np.float32(-1e9)
FIRST_MOMENT, SECOND_MOMENT, TINY = 0.9, 0.999, 1e-8


@dataclass(frozen=True)
class Tower:
    """``x → unit(x · line + relu(x · up + shift) · down)``."""

    weights: Weights

    def __call__(self, rows: Floats) -> Floats:
        blocks = (rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE))
        return np.concatenate([unit(_forward(self.weights, block, None)[0]) for block in blocks])


Towers = tuple[Tower, Tower]


def start(line: Floats, rng: np.random.Generator) -> Tower:
    """A tower that does what a linear map does; columns are added where it is narrow."""
    line = np.pad(line, ((0, 0), (0, max(0, WIDTH - line.shape[1]))))
    up = rng.standard_normal((len(line), HIDDEN)) * (2 / len(line)) ** 0.5
    down = np.zeros((HIDDEN, line.shape[1]))
    weights = {"line": line, "up": up, "shift": np.zeros(HIDDEN), "down": down}
    return Tower({name: value.astype(np.float32) for name, value in weights.items()})


def train_towers(x: Floats, y: Floats, pair: Ints, judged: Pairs, towers: Towers, seed: int) -> Towers:
    """Towers for the rows of ``x`` and of ``y``, of which ``pair[i]`` belongs to row i of ``x``.

    ``judged`` are the same three of patients who are held out: training ends where it no longer helps them.
    """
    with threadpool_limits(1, user_api="blas"):
        return _train(x, y, pair, judged, towers, np.random.default_rng(seed))


def _train(x: Floats, y: Floats, pair: Ints, judged: Pairs, towers: Towers, rng: np.random.Generator) -> Towers:
    batch = min(BATCH, len(x))
    epoch = len(x) // batch
    looked = max(epoch, LOOKED)
    moving = _Moving([dict(tower.weights) for tower in towers])
    best, best_at, kept = agreement(towers, judged), 0, towers
    for step in range(STEPS):
        if step % epoch == 0:
            order = rng.permutation(len(x))
        rows = order[step % epoch * batch :][:batch]
        masks = [_kept(rng, batch) for _ in range(2)]
        gradients = loss_gradients(moving.weights, moving.sharpness, (x[rows], y[pair[rows]]), pair[rows], masks)
        moving.step(gradients, RATE * _rate(step / STEPS))
        if (step + 1) % looked == 0 or step + 1 == STEPS:
            now = Tower(dict(moving.weights[0])), Tower(dict(moving.weights[1]))
            found = agreement(now, judged)
            if found > best:
                best, best_at, kept = found, step, now
            elif step - best_at > PATIENCE * looked:
                break
    return kept


def _kept(rng: np.random.Generator, rows: int) -> Floats:
    """Which of the hidden layer is not dropped, made as much stronger."""
    kept = rng.random((rows, HIDDEN), dtype=np.float32) >= DROPPED
    stronger: Floats = kept.astype(np.float32) / np.float32(1 - DROPPED)
    return stronger


def _rate(done: float) -> float:
    """Up, and down again to nothing along half a cosine."""
    return done / WARM if done < WARM else 0.5 * (1 + np.cos(np.pi * (done - WARM) / (1 - WARM)))


def agreement(towers: Towers, judged: Pairs) -> float:
    """The mean reciprocal rank of the right one."""
    x, y, pair = judged
    scores = towers[0](x) @ towers[1](y).T
    own = scores[np.arange(len(x)), pair][:, None]
    return float((1 / (scores >= own).sum(axis=1)).mean())


def _forward(weights: Weights, rows: Floats, mask: Floats | None) -> tuple[Floats, Floats]:
    hidden: Floats = np.maximum(rows @ weights["up"] + weights["shift"], 0)
    if mask is not None:
        hidden *= mask
    out: Floats = rows @ weights["line"] + hidden @ weights["down"]
    return out, hidden


@dataclass(frozen=True)
class _Side:
    """One tower on a batch, on the way to the loss and back; ``points`` have length one, as out of the tower."""

    weights: Weights
    rows: Floats
    mask: Floats | None
    hidden: Floats
    points: Floats
    lengths: Floats

    @classmethod
    def of(cls, weights: Weights, rows: Floats, mask: Floats | None) -> _Side:
        out, hidden = _forward(weights, rows, mask)
        lengths = np.linalg.norm(out, axis=1, keepdims=True) + np.float32(TINY)
        return cls(weights, rows, mask, hidden, out / lengths, lengths)

    def back(self, slope: Floats) -> Weights:
        """The gradient of every weight, from that of the points."""
        along = (slope * self.points).sum(axis=1, keepdims=True)
        out = (slope - self.points * along) / self.lengths
        hidden = (out @ self.weights["down"].T) * (self.hidden > 0)
        if self.mask is not None:
            hidden *= self.mask
        return {
            "line": self.rows.T @ out,
            "up": self.rows.T @ hidden,
            "shift": hidden.sum(axis=0),
            "down": self.hidden.T @ out,
        }


def loss_gradients(
    weights: Sequence[Weights], sharpness: float, rows: Sequence[Floats], pair: Ints, masks: Sequence[Floats | None]
) -> tuple[float, list[Weights], float]:
    """The loss, the gradient of each tower's weights, and that of the sharpness.

    Rows that share a report are no strangers to each other, so they are left out of each other's softmax.
    """
    one, other = (_Side.of(*given) for given in zip(weights, rows, masks, strict=True))
    cosines = one.points @ other.points.T
    logits = sharpness * cosines
    logits[(pair[:, None] == pair) & ~np.eye(len(pair), dtype=bool)] = NEVER
    loss, slope = 0.0, np.zeros_like(cosines)
    for axis in (0, 1):
        shifted = logits - logits.max(axis=axis, keepdims=True)
        shares = np.exp(shifted)
        total = shares.sum(axis=axis, keepdims=True)
        loss -= float((np.diag(shifted) - np.log(total).ravel()).mean()) / 2
        slope += shares / total
    slope[np.diag_indices(len(pair))] -= 2
    slope /= 2 * len(pair)
    steep: Floats = (sharpness * slope).astype(slope.dtype)
    gradients = [one.back(steep @ other.points), other.back(steep.T @ one.points)]
    return loss, gradients, float((slope * cosines).sum())


@dataclass
class _Moving:
    """Weights under AdamW: steps of a size of their own, and what is not needed fades."""

    weights: list[Weights]
    log_sharpness: float = float(np.log(SHARPNESS))
    taken: int = 0
    moments: dict[tuple[int, str], tuple[Floats, Floats]] = field(default_factory=dict)

    @property
    def sharpness(self) -> float:
        return float(np.exp(self.log_sharpness))

    def step(self, gradients: tuple[float, list[Weights], float], rate: float) -> None:
        self.taken += 1
        for side, gradient in enumerate(gradients[1]):
            for name, steep in gradient.items():
                self.weights[side][name] = self._moved((side, name), self.weights[side][name], steep, rate)
        now, slope = (np.full(1, value, np.float32) for value in (self.log_sharpness, gradients[2] * self.sharpness))
        moved = self._moved((2, "sharpness"), now, slope, rate)
        self.log_sharpness = float(moved[0])

    def _moved(self, key: tuple[int, str], value: Floats, slope: Floats, rate: float) -> Floats:
        first, second = self.moments.get(key, (np.zeros_like(value), np.zeros_like(value)))
        first = FIRST_MOMENT * first + (1 - FIRST_MOMENT) * slope
        second = SECOND_MOMENT * second + (1 - SECOND_MOMENT) * slope**2
        self.moments[key] = first, second
        own = first / (1 - FIRST_MOMENT**self.taken)
        size = np.sqrt(second / (1 - SECOND_MOMENT**self.taken)) + TINY
        moved: Floats = (value * (1 - rate * DECAY) - rate * own / size).astype(np.float32)
        return moved
