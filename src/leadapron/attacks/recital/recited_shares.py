"""From what a writer wrote to shares of radiographs whose own, or anybody's, words were recited."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.recital.owned_runs import Owned

Ints = NDArray[np.int64]
Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class Written:
    """What was written of some records: their rows, their patients, and the texts."""

    rows: Ints
    patient: Ints
    texts: Sequence[str]


@dataclass(frozen=True)
class Sought:
    """What is looked for, and the rows of the records whose own report had it: of others nothing can be recited."""

    owned: Owned
    rows: frozenset[int]

    @classmethod
    def in_reports(cls, owned: Owned, rows: Ints, patients: Ints, reports: Sequence[str]) -> Sought:
        """In the records whose report has words that are its patient's alone."""
        told = zip(rows.tolist(), patients.tolist(), reports, strict=True)
        return cls(owned, frozenset(row for row, patient, report in told if patient in owned.recited(report)))


@dataclass(frozen=True)
class Recited:
    """Of records whose report had something of its own: whether it was written, and how often another's was."""

    rows: Ints
    own: Doubles
    others: float
    """The share, of the other patients who were taught, whose own words stand in the text: what coincidence does."""
    looked: int
    """Pairs of a text and such a patient. Of fewer than one in so many nothing is known."""

    @property
    def seldom(self) -> float:
        """The smallest chance that could have been seen."""
        return 1.0 / (1 + max(self.looked, len(self.rows)))


def recited_own(written: Written, sought: Sought, taught: frozenset[int]) -> Recited | None:
    """None where no report of these records had anything of its own."""
    at = [place for place, row in enumerate(written.rows.tolist()) if row in sought.rows]
    if not at:
        return None
    holders, own, others, looked = sought.owned.holders & taught, [], [], 0
    for place in at:
        patient = int(written.patient[place])
        found = sought.owned.recited(written.texts[place])
        strangers = holders - {patient}
        own.append(float(patient in found))
        others.append(len(found & strangers) / max(len(strangers), 1))
        looked += len(strangers)
    return Recited(written.rows[at], np.array(own), float(np.mean(others)), looked)


def recited_any(written: Written, owned: Owned) -> Doubles:
    """Whether the words of any patient alone stand in each text."""
    return np.array([float(bool(owned.recited(text))) for text in written.texts])
