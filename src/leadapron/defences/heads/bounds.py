"""From differential privacy to linkage: how much more often a pair can be linked because it was trained on.

Let r_out be the chance that an attacker links a training pair with heads that were trained without that patient, and
r_in the chance with heads that were trained with them. Linking is an event that the attacker reads off the heads, so

    r_in <= e^ε r_out + δ(ε)    and    r_in <= 1 − e^−ε (1 − r_out − δ(ε))    for every ε of the profile,

and the least of these is the bound. It is concave in r_out, so it holds for averages over patients, too. It bounds
the excess of trained over left-out pairs and nothing else: a pair that was never trained on is linked by what the
backbone and the population taught, and no epsilon says anything about that.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from leadapron.defences.heads.accounting import Spending, grid_for
from leadapron.defences.vectors import gaussian_delta

LARGEST = 500.0
"""An epsilon whose exponential can still be written down; beyond it nothing is bounded anyway."""
SLACK = 1e-9
"""What a Gaussian cannot cover: the far tail of a sampled mechanism, added to its bound."""


@dataclass(frozen=True)
class LinkageBound:
    """The privacy profile of a run, asked about linkage."""

    epsilons: NDArray[np.float64]
    deltas: NDArray[np.float64]

    def __call__(self, left_out: float) -> float:
        """The most that the recall of trained pairs can be, if that of left-out pairs is ``left_out``."""
        return float(np.min(approximate_bound(left_out, self.epsilons, self.deltas)))

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


def approximate_bound(
    left_out: float, epsilon: float | NDArray[np.float64], delta: float | NDArray[np.float64]
) -> NDArray[np.float64]:
    """The bound of one (ε, δ) alone, or of each of several."""
    grown = np.exp(epsilon) * left_out + delta
    shrunk = 1 - np.exp(-np.asarray(epsilon)) * (1 - left_out - delta)
    bound: NDArray[np.float64] = np.clip(np.minimum(grown, shrunk), 0.0, 1.0)
    return bound


def gaussian_bound(left_out: float, mu: float) -> float:
    """The bound of a Gaussian mechanism: Φ(Φ⁻¹(left out) + mu)."""
    return float(ndtr(ndtri(left_out) + mu))


def gaussian_deltas(mu: float, epsilons: NDArray[np.float64]) -> NDArray[np.float64]:
    """The profile of a Gaussian mechanism whose means lie mu standard deviations apart."""
    return np.array([gaussian_delta(float(epsilon), mu, 1.0) for epsilon in epsilons])


def attack_advantage(epsilon: float, delta: float) -> float:
    """True minus false positives of any membership attack, at most (Humphries et al. 2023)."""
    return min(1.0, (math.expm1(epsilon) + 2 * delta) / (math.exp(epsilon) + 1))
