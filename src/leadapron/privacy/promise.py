"""A promise of differential privacy as numbers, and the most that it lets any attack reach."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import ConfigError
from leadapron.privacy.bounds import auc_bound, profile_of_several, rate_bound
from leadapron.privacy.gaussian import gaussian_auc, gaussian_bound, gaussian_mu

Doubles = NDArray[np.float64]
UNITS = ("record", "patient")
COMPARED_AT = 1e-5


@dataclass(frozen=True)
class Promise:
    """Either a profile of pairs (ε, δ), one pair or many, or the μ of Gaussian privacy.

    ``unit`` is whom it was made to: a record, or a patient with all of theirs.
    """

    epsilons: tuple[float, ...] = ()
    deltas: tuple[float, ...] = ()
    mu: float | None = None
    unit: str = "record"

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ConfigError("a promise is made to records or to patients", got=self.unit, allowed=", ".join(UNITS))
        if (self.mu is None) == (not self.epsilons):
            raise ConfigError("a promise is either pairs of epsilon and delta, or mu")
        wrong = any(not (np.isfinite(epsilon) and epsilon >= 0) for epsilon in self.epsilons)
        wrong |= len(self.epsilons) != len(self.deltas) or any(not 0 <= delta <= 1 for delta in self.deltas)
        if wrong or (self.mu is not None and not (np.isfinite(self.mu) and self.mu >= 0)):
            raise ConfigError("not a promise of differential privacy", allowed="epsilon and mu from 0, delta 0 to 1")

    def auc(self, records: int = 1) -> float:
        """The most that any attack on a patient with so many records can reach."""
        if self.mu is not None:
            return gaussian_auc(self._times(records) * self.mu)
        return auc_bound(*self._profile(records))

    def tpr(self, fpr: float, records: int = 1) -> float:
        if self.mu is not None:
            return gaussian_bound(fpr, self._times(records) * self.mu)
        return rate_bound(fpr, *self._profile(records))

    def _profile(self, records: int) -> tuple[Doubles, Doubles]:
        return profile_of_several(np.array(self.epsilons), np.array(self.deltas), self._times(records))

    def _times(self, records: int) -> int:
        """How many units the records of one patient are."""
        return 1 if self.unit == "patient" else records

    def compared(self, delta: float = COMPARED_AT) -> dict[str, float]:
        """The bound on the AUC of one unit by a single pair of the profile, and as if the mechanism were Gaussian.

        The first holds and is looser. The second is the usual approximation, and no bound.
        """
        if self.mu is not None:
            return {}
        pairs = [pair for pair in zip(self.epsilons, self.deltas, strict=True) if pair[1] <= delta]
        epsilon, at = min(pairs, default=max(zip(self.epsilons, self.deltas, strict=True)))
        found = {"epsilon": epsilon, "delta": at, "auc_by_pair": auc_bound(epsilon, at)}
        if 0 < at < 1:
            found["auc_as_gaussian"] = gaussian_auc(gaussian_mu(epsilon, at))
        return found
