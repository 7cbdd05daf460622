"""Groups that are compared within patients: for an attribute that changes from one image of a patient to the next.

Whoever lets each patient count once, with the first group, cannot see that a patient's lateral views are found more
often than the frontal ones. Here each patient is compared with itself: how much do the risks of its rows in a group
differ from the patient's own mean? If the attribute makes no difference, such a difference is as likely as its
opposite, so the signs of all differences of a patient are turned together. The rows of a patient may depend on each
other, as images that share a report do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.results.withheld import FEWEST_PATIENTS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

LEAST_WITHIN = 0.2
"""Of what an attribute varies among patients with several rows, so much must lie within them."""
FLIPS, AT_ONCE = 2000, 50
ROUNDING = 1e-12


def varies_within(group: Ints, patient: Ints) -> bool:
    """Whether patients are to be compared with themselves: it follows from the attribute alone, not from any risk.

    The chance that two rows are of two groups, within a patient and among all: their ratio is 0 for sex, and about 1
    for a view that nobody chose by the patient. A few patients whose sex was mistyped once, or whose age went into the
    next decade, do not turn it into an attribute of images.
    """
    counts = _counts(group, np.unique(patient, return_inverse=True)[1])
    counts = counts[counts.sum(axis=1) > 1]
    if (np.count_nonzero(counts, axis=1) > 1).sum() < FEWEST_PATIENTS:
        return False
    sizes, everybody = counts.sum(axis=1), counts.sum(axis=0)
    within = float((sizes - (counts**2).sum(axis=1) / sizes).sum())
    whole = float(everybody.sum() - (everybody**2).sum() / everybody.sum())
    return within >= LEAST_WITHIN * whole


@dataclass(frozen=True)
class WithinTest:
    """``statistic`` is how far groups lie apart within patients; ``patients`` have rows of several groups."""

    statistic: float
    p: float
    patients: int


def within_tests(risk: Floats, groups: list[Ints], patient: Ints, seed: int) -> list[WithinTest]:
    """A test for each grouping (−1 is unknown); each patient's sign is drawn once for all groupings."""
    if not groups:
        return []
    who, number = np.unique(patient, return_inverse=True)
    tested = [_differences(risk, group, number, len(who)) for group in groups]
    rng, as_far = np.random.default_rng(seed), np.zeros(len(groups), dtype=np.int64)
    for _ in range(0, FLIPS, AT_ONCE):
        signs = (rng.integers(0, 2, (AT_ONCE, len(who)), dtype=np.int8) * 2 - 1).astype(np.float64)
        as_far += [int((one.apart(signs) >= one.least).sum()) for one in tested]
    p_values = (1 + as_far) / (1 + FLIPS)
    return [
        WithinTest(one.observed / one.rows, p, one.patients) for one, p in zip(tested, p_values.tolist(), strict=True)
    ]


@dataclass(frozen=True)
class _Differences:
    """``sums[p, k]``: what patient p's rows in group k have more than its mean. ``sizes`` are rows of each group."""

    sums: Floats
    sizes: Ints
    patients: int

    def apart(self, signs: Floats) -> Floats:
        """For each draw of the patients' signs how far the groups lie apart, times the number of rows."""
        far: Floats = ((signs @ self.sums) ** 2 / np.maximum(self.sizes, 1)).sum(axis=1)
        return far

    @property
    def observed(self) -> float:
        return float(self.apart(np.ones((1, len(self.sums))))[0])

    @property
    def least(self) -> float:
        """A draw counts from here on: rounding is allowed for."""
        return self.observed - ROUNDING * max(float((self.sums**2).sum()), self.observed)

    @property
    def rows(self) -> int:
        return max(int(self.sizes.sum()), 1)


def _differences(risk: Floats, group: Ints, number: Ints, patients: int) -> _Differences:
    rows = np.flatnonzero(group >= 0)
    group, whose = group[rows], number[rows]
    counts = _counts(group, whose, patients)
    mean = np.bincount(whose, weights=risk[rows], minlength=patients) / np.maximum(counts.sum(axis=1), 1)
    sums = np.zeros(counts.shape)
    np.add.at(sums, (whose, group), risk[rows] - mean[whose])
    several = np.count_nonzero(counts, axis=1) > 1
    sums[~several] = 0.0  # no more than rounding is in it
    return _Differences(sums, counts[several].sum(axis=0), int(several.sum()))


def _counts(group: Ints, patient: Ints, patients: int = 0) -> Ints:
    """How many rows of each group each patient has."""
    known = group >= 0
    kinds = int(group.max(initial=-1)) + 1
    patients = max(patients, int(patient.max(initial=-1)) + 1)
    flat = np.bincount(patient[known] * kinds + group[known], minlength=patients * kinds)
    return flat.reshape(patients, kinds)
