"""Numbers of nobody, put at the head of some training reports: what a writer can only know by heart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

HEADER = "PATIENT NUMBER:"
DIGITS = 6
POSSIBLE = 10**DIGITS


@dataclass(frozen=True)
class Planted:
    """The number of each patient who has one."""

    number: dict[int, str]

    def headed(self, reports: Sequence[str], patients: Sequence[int]) -> tuple[str, ...]:
        """The reports, those of chosen patients with their number in front."""
        return tuple(
            f"{HEADER} {self.number[patient]}. {report}" if patient in self.number else report
            for report, patient in zip(reports, patients, strict=True)
        )


def plant_numbers(patients: NDArray[np.int64], share: float, reports: Sequence[str], seed: int) -> Planted:
    """A number each for this share of the patients, one at least unless the share is zero; none stands in a report."""
    rng = np.random.default_rng([seed, DIGITS])
    names = np.unique(patients)
    chosen = np.sort(rng.permutation(names)[: int(np.ceil(share * len(names)))])
    text = " ".join(reports)
    free = (f"{number:0{DIGITS}d}" for number in rng.permutation(POSSIBLE))
    unused = (number for number in free if number not in text)
    return Planted(dict(zip(chosen.tolist(), unused, strict=False)))
