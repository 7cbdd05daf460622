"""What training costs: the privacy loss distribution of all steps together, by Google's dp-accounting.

A run is the composition of Gaussian mechanisms, one a step, each on a Poisson sample of the units, and of what was
spent before the first step. Neighbours differ by one unit that is there or is not (add or remove).
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.extras import need
from leadapron.errors import ConfigError

PURPOSE = "privacy accounting"
FINE, COARSE = 1e-4, 1e-3
"""Grid of the privacy loss: rounding is always upwards, so a coarser grid overstates epsilon, never understates it."""
SMALLEST_SIGMA, LARGEST_SIGMA = 0.3, 1000.0
CLOSE_ENOUGH = 1e-3
DELTA = 1e-5
POINTS, FURTHEST = 200, 1e-9
"""Of a privacy profile: so many epsilons from 0 on, up to the one at which delta is as small as that."""


@dataclass(frozen=True)
class Spending:
    """What is spent: ``steps`` Gaussian mechanisms of noise ``sigma`` (in units of the sensitivity), each on a Poisson
    sample at ``rate``; and Gaussian mechanisms on everybody, of noise ``before``, in front of them."""

    sigma: float
    rate: float
    steps: int
    before: tuple[float, ...] = ()

    def epsilon(self, delta: float, grid: float = FINE) -> float:
        """The reported epsilon, by the privacy loss distribution (Koskela et al. 2020; Doroshenko et al. 2022)."""
        return float(self._composed(_pld(grid)).get_epsilon(delta))

    def deltas(self, epsilons: NDArray[np.float64], grid: float = FINE) -> NDArray[np.float64]:
        """The whole profile: the delta that goes with each epsilon."""
        return np.asarray(self._composed(_pld(grid)).get_delta(epsilons), dtype=np.float64)

    def profile(self, grid: float = FINE) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Epsilons from 0 on, and the delta of each, until hardly any is left."""
        epsilons = np.linspace(0, max(self.epsilon(FURTHEST, grid), 1.0), POINTS)
        return tuple(epsilons.tolist()), tuple(np.clip(self.deltas(epsilons, grid), 0, 1).tolist())

    def epsilon_rdp(self, delta: float) -> float:
        """By Rényi differential privacy, as the published study and Opacus count: valid, and larger."""
        with _without_remarks():
            return float(self._composed(need("dp_accounting.rdp", PURPOSE).RdpAccountant()).get_epsilon(delta))

    def _composed(self, accountant: Any) -> Any:  # noqa: ANN401
        dp = need("dp_accounting", PURPOSE)
        for sigma in self.before:
            accountant.compose(dp.GaussianDpEvent(sigma))
        if self.steps:
            accountant.compose(dp.PoissonSampledDpEvent(self.rate, dp.GaussianDpEvent(self.sigma)), self.steps)
        return accountant


def _pld(grid: float) -> Any:  # noqa: ANN401
    return need("dp_accounting.pld", PURPOSE).PLDAccountant(value_discretization_interval=grid)


@contextmanager
def _without_remarks() -> Iterator[None]:
    """The Rényi accountant logs that its best order lies at the end of its grid; the bound holds all the same."""
    logger = logging.getLogger("absl")
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def check_delta(delta: float | None, units: int, unit: str) -> float:
    """A delta above 1/units would allow a mechanism that publishes one of them whole."""
    chosen = min(DELTA, 0.5 / units) if delta is None else delta
    if not 0 < chosen <= 1 / units:
        raise ConfigError(
            f"delta must not exceed 1 / {unit}s",
            where="--delta",
            got=chosen,
            allowed=f"above 0, at most {1 / units:.2e} for {units:,} {unit}s",
        )
    return chosen


def solve_sigma(spending: Spending, epsilon: float, delta: float) -> Spending:
    """The same spending with the least noise that keeps epsilon, to a tenth of a percent and on the safe side."""
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise ConfigError("not an epsilon", where="--epsilon", got=epsilon, allowed="a finite number above 0")

    def excess(log_sigma: float, grid: float) -> float:
        spent = replace(spending, sigma=math.exp(log_sigma)).epsilon(delta, grid)
        return math.log(max(spent, 1e-9) / epsilon)

    fine, coarse = grid_for(epsilon), COARSE * max(1.0, epsilon)
    enough = math.log(sigma_by_rdp(spending, epsilon, delta, close_enough=0.1))
    above = excess(enough, fine)
    if above > 0:
        raise ConfigError(
            "this epsilon cannot be reached, however much noise is added",
            where="--epsilon",
            got=epsilon,
            allowed=f"{epsilon * math.exp(above):.3g} or more with {spending.steps:,} steps at this batch and delta",
            fix="Take fewer epochs, a smaller batch or a larger epsilon.",
        )
    if excess(enough, coarse) <= 0:  # near it quickly, on a grid that overstates epsilon
        enough = _least(lambda log_sigma: excess(log_sigma, coarse), enough, step=0.25)
    return replace(spending, sigma=math.exp(_least(lambda log_sigma: excess(log_sigma, fine), enough, step=0.02)))


def _least(excess: Callable[[float], float], enough: float, step: float) -> float:
    """The least value with no excess, below one that has none: steps down, then the straight line between the ends."""
    floor = math.log(SMALLEST_SIGMA)
    low, below = enough, excess(enough)
    high, above = low, below
    while below <= 0:
        if low <= floor:  # less noise than that is not worth the name
            return floor
        high, above = low, below
        if above > -CLOSE_ENOUGH:
            return high
        low = max(low - step, floor)
        step *= 2
        below = excess(low)
    while high - low > CLOSE_ENOUGH and above < -CLOSE_ENOUGH:
        share = min(max(below / (below - above), 0.02), 0.98)
        guess = min(low + (high - low) * share + CLOSE_ENOUGH / 4, (low + 9 * high) / 10)  # a little to the safe side
        found = excess(guess)
        if found <= 0:
            high, above = guess, found
        else:
            low, below = guess, found
    return high


def grid_for(epsilon: float) -> float:
    """A large epsilon does not need a fine grid, and takes long on one."""
    return FINE * max(1.0, epsilon)


def sigma_by_rdp(spending: Spending, epsilon: float, delta: float, close_enough: float = CLOSE_ENOUGH) -> float:
    """The sigma at which Rényi accounting reaches epsilon: quick to find, and more than is needed."""
    low, high = SMALLEST_SIGMA, LARGEST_SIGMA
    while high / low > 1 + close_enough:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if replace(spending, sigma=middle).epsilon_rdp(delta) <= epsilon else (middle, high)
    return high
