"""A promise of differential privacy, held against what was measured: who is beyond what it allows?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from leadapron.attacks.membership import privacy_bounds as bounds
from leadapron.attacks.membership.binormal import Auc
from leadapron.attacks.membership.roc import FPRS
from leadapron.attacks.membership.signals import Ints
from leadapron.attacks.withheld import FEWEST_PATIENTS, told
from leadapron.errors import ConfigError

Doubles = NDArray[np.float64]
UNITS = ("record", "patient")
COMPARED_AT = 1e-5
SURE = 0.05
"""The chance of any false alarm among all who are found surely beyond."""


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
            return bounds.auc_bound_of_gaussian(self._times(records) * self.mu)
        return bounds.auc_bound_of_profile(*self._profile(records))

    def tpr(self, fpr: float, records: int = 1) -> float:
        if self.mu is not None:
            return bounds.tpr_bound_of_gaussian(fpr, self._times(records) * self.mu)
        return bounds.tpr_bound_of_profile(fpr, *self._profile(records))

    def _profile(self, records: int) -> tuple[Doubles, Doubles]:
        return bounds.profile_of_several(np.array(self.epsilons), np.array(self.deltas), self._times(records))

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
        found = {"epsilon": epsilon, "delta": at, "auc_by_pair": bounds.auc_bound(epsilon, at)}
        if 0 < at < 1:
            found["auc_as_gaussian"] = bounds.auc_bound_of_gaussian(bounds.gaussian_mu(epsilon, at))
        return found


def beyond(promise: Promise, of_records: Auc, joint: Auc, maximum: Doubles, records: Ints) -> dict[str, object]:
    """Counts of records and patients above the bound, and of those surely above it after all comparisons; told or not.

    As published, patients are held against the bound of one record, which does not bind a patient with several; and
    against their own.
    """
    one = promise.auc()
    sizes, back, patients = np.unique(records, return_inverse=True, return_counts=True)
    own = np.array([promise.auc(int(size)) for size in sizes])[back]
    usual = sizes[patients >= FEWEST_PATIENTS].tolist()  # that somebody has as many records as nobody else is not told
    return {
        "unit": promise.unit,
        "auc_bound_record": one,
        "tpr_bound_record": {f"{fpr:g}": promise.tpr(fpr) for fpr in FPRS},
        "auc_bound_patient": {str(size): promise.auc(size) for size in usual},
        "tpr_bound_patient": {str(size): {f"{fpr:g}": promise.tpr(fpr, size) for fpr in FPRS} for size in usual},
        "compared": promise.compared(),
        "records": _counted(of_records, np.full(len(of_records.distance), one)),
        "patients_by_record_bound": _counted(joint, np.full(len(records), one)),
        "patients": _counted(joint, own),
        "maxima_above_record_bound": told(int((maximum > one).sum())),
    }


def _counted(found: Auc, bound: Doubles) -> dict[str, int | None]:
    limit = ndtri(np.minimum(bound, 1 - 1e-16))
    sure = -ndtri(SURE / len(bound))
    surely = (found.distance - limit) / found.error > sure
    return {"above": told(int((found.value > bound).sum())), "surely_above": told(int((surely & (bound < 1)).sum()))}
