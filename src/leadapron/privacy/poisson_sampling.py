"""Who takes part in a step: whole patients (or records) by independent coins, and one of their records each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.privacy.secret_noise import Noise

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Units:
    """What the guarantee protects: for each patient (or record) the rows of the data that are theirs."""

    name: str
    rows: Rows
    """All training rows, unit by unit."""
    starts: Rows
    """Where each unit's rows start, and the end."""

    @classmethod
    def of(cls, level: str, rows: Rows, patient: Rows | None) -> Units:
        """Each record for itself, or the records of each patient together; ``patient`` numbers the rows' patients."""
        if level == "record":
            return cls(level, rows, np.arange(len(rows) + 1))
        assert patient is not None
        by_patient = np.argsort(patient, kind="stable")
        counts = np.unique(patient, return_counts=True)[1]
        return cls(level, rows[by_patient], np.concatenate([[0], np.cumsum(counts)]))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def told(self) -> int:
        """How many units there are, as far as it may be told: every number of a run is calculated from this one.

        No accountant covers the exact number, and sigma or a sampling rate would give it away.
        """
        return round_up(len(self))


def round_up(count: int) -> int:
    """To two digits, and to tens at least."""
    grain = int(10 ** max(1, len(str(count)) - 2))
    return -(-count // grain) * grain


@dataclass(frozen=True)
class Drawn:
    """The rows of a step, ``per_unit`` a unit; ``weights`` is 1 / (a unit's rows), and 0 on rows that fill up."""

    rows: Rows
    weights: NDArray[np.float32] | None
    per_unit: int = 1


def poisson(units: Units, rate: float, per_unit: int, noise: Noise) -> Drawn:
    """Each unit with probability ``rate``, by a coin of its own; of its records ``per_unit``, all equally likely."""
    chosen = _coins(len(units), rate, noise)
    starts, counts = units.starts[chosen], np.diff(units.starts)[chosen]
    if per_unit == 1:
        return Drawn(units.rows[starts + (noise.uniforms(len(chosen)) * counts).astype(np.int64)], None)
    total = int(counts.sum())
    owner = np.repeat(np.arange(len(chosen)), counts)
    place = np.arange(total) - np.repeat(np.cumsum(counts) - counts, counts)
    shuffled = np.lexsort((noise.uniforms(total), owner))  # within each unit; its first ones are a draw
    candidates = units.rows[np.repeat(starts, counts) + place][shuffled]
    taken = np.minimum(counts, per_unit)
    rows = np.repeat(units.rows[starts][:, None], per_unit, axis=1)  # filled up with rows of the unit itself
    weights = np.zeros((len(chosen), per_unit), dtype=np.float32)
    first = place < per_unit
    rows[owner[first], place[first]] = candidates[first]
    weights[owner[first], place[first]] = (1 / taken)[owner[first]]
    return Drawn(rows.ravel(), weights.ravel(), per_unit)


def _coins(count: int, rate: float, noise: Noise) -> Rows:
    """The places at which ``count`` independent coins of probability ``rate`` come up.

    The gaps between them are geometric: a draw a place that comes up, not one a coin.
    """
    if rate >= 1:
        return np.arange(count)
    found, last = [np.empty(0, dtype=np.int64)], -1
    while last < count and rate > 0:
        draws = noise.uniforms(int(1.2 * rate * (count - last)) + 16)
        with np.errstate(divide="ignore"):  # of a draw of 0 the gap has no end
            gaps = np.minimum(np.floor(np.log(draws) / np.log1p(-rate)), count) + 1
        found.append(last + np.cumsum(gaps.astype(np.int64)))
        last = int(found[-1][-1])
    places = np.concatenate(found)
    return places[places < count]


def shuffled_batches(units: Units, size: int, noise: Noise) -> Iterator[Drawn]:
    """An epoch of ordinary training: everybody once, in whole batches; the few left over wait for another epoch."""
    order = np.argsort(noise.uniforms(len(units)), kind="stable")
    for start in range(0, len(units) // size * size, size):
        yield Drawn(units.rows[units.starts[order[start : start + size]]], None)
