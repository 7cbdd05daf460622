"""The bi-normal AUC of one record: how well its members' signals are told from the others', if both are Gaussian.

A = Φ(d) with d = (m₁ − m₀) / √(s₁² + s₀²). The interval is taken on the scale of d and carried over: an interval
around A itself is too short near 1, and Hanley and McNeil's error, which is that of other distributions, is too long
there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from leadapron.attacks.membership.signal_moments import Moments

Doubles = NDArray[np.float64]

NINETY_FIVE = 1.959963984540054
FARTHEST = 30.0
"""Where nothing varies but the side a distance is infinite; beyond this one the AUC is 1 in floating point."""


@dataclass(frozen=True)
class Auc:
    """An AUC a record or patient, with its interval; ``distance`` and ``error`` are d and its standard error."""

    distance: Doubles
    error: Doubles

    @property
    def value(self) -> Doubles:
        return np.asarray(ndtr(self.distance))

    @property
    def low(self) -> Doubles:
        return np.asarray(ndtr(self.distance - NINETY_FIVE * self.error))

    @property
    def high(self) -> Doubles:
        return np.asarray(ndtr(self.distance + NINETY_FIVE * self.error))

    @property
    def sd(self) -> Doubles:
        """The standard error of the AUC itself, to first order."""
        return np.asarray(np.exp(-(self.distance**2) / 2) / np.sqrt(2 * np.pi) * self.error)


def binormal(moments: Moments) -> Auc:
    """Of every record. A side of one model has no variance and takes the other's."""
    out, into = moments.variance.T
    out, into = np.where(np.isnan(out), into, out), np.where(np.isnan(into), out, into)
    difference = moments.mean[:, 1] - moments.mean[:, 0]
    return from_differences(difference, into, out, moments.count[:, 1], moments.count[:, 0])


def from_differences(
    difference: Doubles, into: Doubles, out: Doubles, n_in: Doubles, n_out: Doubles, *, spent: int = 1
) -> Auc:
    """From the difference of the means and the variances; ``spent`` degrees of freedom went into each of these."""
    into, out = np.nan_to_num(into), np.nan_to_num(out)
    total = into + out
    safe = np.where(total > 0, total, 1.0)
    certain = np.sign(difference) * FARTHEST
    distance = np.where(total > 0, np.clip(difference / np.sqrt(safe), -FARTHEST, FARTHEST), certain)
    share_in, share_out = np.where(total > 0, into / safe, 0.5), np.where(total > 0, out / safe, 0.5)
    of_means = share_in / n_in + share_out / n_out
    dof_in, dof_out = np.maximum(n_in - spent, 1), np.maximum(n_out - spent, 1)
    of_variances = distance**2 / 2 * (share_in**2 / dof_in + share_out**2 / dof_out)
    return Auc(distance, np.sqrt(of_means + of_variances))


def error_at(distance: Doubles | float, n_in: float, n_out: float, *, spent: int = 1) -> Doubles:
    """The standard error that a distance would have, where both sides vary alike."""
    of_variances = np.square(distance) / 8 * (1 / max(n_in - spent, 1) + 1 / max(n_out - spent, 1))
    return np.asarray(np.sqrt((1 / n_in + 1 / n_out) / 2 + of_variances))
