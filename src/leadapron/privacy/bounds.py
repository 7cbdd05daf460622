"""From differential privacy to attacks: the most that any of them can reach, by pairs (ε, δ) that hold.

Let ``rate`` be the chance of an event that an attacker reads off what was made without a patient: a pair is linked, a
patient is taken for a member. Off what was made with that patient it is read with a chance of at most

    e^ε rate + δ    and    1 − e^−ε (1 − rate − δ)    for every pair (ε, δ) of the profile,

and the least of these straight lines is the bound; its area is the bound on the AUC. It is concave, so it holds for
averages over patients, too. It bounds the excess over those who were left out and nothing else: a pair that was never
trained on is linked by what the backbone and the population taught, and no epsilon says anything about that.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.privacy.accounting import Spending, grid_for
from leadapron.privacy.gaussian import gaussian_bound, gaussian_deltas

Doubles = NDArray[np.float64]
STEEPEST = 700.0
"""An epsilon whose exponential can still be written down; of a larger one the first line says nothing."""
LARGEST = 500.0
"""The end of a run's profile; beyond it nothing is bounded anyway."""
SLACK = 1e-9
"""What a Gaussian cannot cover: the far tail of a sampled mechanism, added to its bound."""


def rate_bound(rate: float, epsilons: float | Doubles, deltas: float | Doubles) -> float:
    """The most that an event's chance can be with a unit, if it is ``rate`` without it, by one pair (ε, δ) or many."""
    slopes, starts = _lines(epsilons, deltas)
    return float(np.min(starts + slopes * rate))


def auc_bound(epsilons: float | Doubles, deltas: float | Doubles) -> float:
    """The area below the lowest of all lines, corner by corner: exact, and a bound as it stands."""
    slopes, starts = _lines(epsilons, deltas)
    order = np.lexsort((starts, -slopes))
    hull: list[tuple[float, float]] = []
    corners: list[float] = []
    for slope, start in zip(slopes[order].tolist(), starts[order].tolist(), strict=True):
        if hull and slope == hull[-1][0]:
            continue
        while hull:
            meets = (start - hull[-1][1]) / (hull[-1][0] - slope)
            if corners and meets <= corners[-1]:
                hull.pop()
                corners.pop()
            else:
                break
        corners.append(-math.inf if not hull else (start - hull[-1][1]) / (hull[-1][0] - slope))
        hull.append((slope, start))
    area = 0.0
    for (slope, start), begin, end in zip(hull, corners, [*corners[1:], math.inf], strict=True):
        left, right = min(max(begin, 0.0), 1.0), min(max(end, 0.0), 1.0)
        area += (right - left) * (start + slope * (left + right) / 2)
    return min(area, 1.0)


def _lines(epsilons: float | Doubles, deltas: float | Doubles) -> tuple[Doubles, Doubles]:
    """Slopes and starts of e^ε rate + δ, of e^−ε rate + 1 − e^−ε (1 − δ), and of 1."""
    epsilons, deltas = np.atleast_1d(epsilons), np.atleast_1d(deltas)
    grown, shrunk = np.exp(np.minimum(epsilons, STEEPEST)), np.exp(-epsilons)
    starts = np.where(epsilons > STEEPEST, 1.0, deltas)
    return np.concatenate([grown, shrunk, [0.0]]), np.concatenate([starts, 1 - shrunk * (1 - deltas), [1.0]])


def of_several(epsilon: float, delta: float, records: int) -> tuple[float, float]:
    """What a promise about one record says of a patient with several."""
    if records == 1 or epsilon == 0:
        return records * epsilon, min(1.0, records * delta)
    grown = records * epsilon - epsilon
    factor = math.exp(grown) * -math.expm1(-records * epsilon) / -math.expm1(-epsilon) if grown < 700 else math.inf
    return records * epsilon, min(1.0, delta * factor if delta > 0 else 0.0)


def profile_of_several(epsilons: Doubles, deltas: Doubles, records: int) -> tuple[Doubles, Doubles]:
    pairs = [of_several(float(epsilon), float(delta), records) for epsilon, delta in zip(epsilons, deltas, strict=True)]
    return np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])


@dataclass(frozen=True)
class LinkageBound:
    """The privacy profile of a run, asked about linkage."""

    epsilons: Doubles
    deltas: Doubles

    def __call__(self, left_out: float) -> float:
        """The most that the recall of trained pairs can be, if that of left-out pairs is ``left_out``."""
        return rate_bound(left_out, self.epsilons, self.deltas)

    @property
    def mu(self) -> float:
        """The Gaussian that is at least as leaky: recall is at most Φ(Φ⁻¹(left out) + mu) + ``SLACK``.

        Between two points of the grid the profile is at most its value at the left one, and the Gaussian's at least
        its value at the right one: what holds there holds in between.
        """
        needed = self.deltas[:-1] > SLACK
        low, high = 0.0, 100.0
        while high - low > 1e-4:
            middle = (low + high) / 2
            enough = gaussian_deltas(middle, self.epsilons[1:]) + SLACK >= self.deltas[:-1]
            low, high = (low, middle) if enough[needed].all() else (middle, high)
        return high


def bound_linkage(spending: Spending, delta: float) -> LinkageBound:
    """The bound for a run, at some hundred points of its profile from 0 to well beyond its epsilon."""
    grid = 10 * grid_for(spending.epsilon_rdp(delta))  # coarse: rounded upwards, so that the bound still holds
    epsilon = spending.epsilon(delta, grid)
    near, far = min(2 * epsilon + 1, LARGEST / 2), min(4 * epsilon + 8, LARGEST)
    epsilons = np.concatenate([np.linspace(0, near, 400), np.linspace(near, far, 101)[1:]])
    return LinkageBound(epsilons, spending.deltas(epsilons, grid))


def bound_of_guarantee(guarantee: Mapping[str, Any], left_out: float) -> float | None:
    """The most that a guarantee, as a card holds it, allows for pairs that were trained on; None where there is none.

    A guarantee may hold a pair (ε, δ) and a mu: both bind, so the tighter counts.
    """
    if guarantee.get("epsilon") is None:
        return None
    by_pair = rate_bound(left_out, float(guarantee["epsilon"]), float(guarantee["delta"]))
    mu = guarantee["details"].get("mu")
    return by_pair if mu is None else min(by_pair, gaussian_bound(left_out, mu) + SLACK)
