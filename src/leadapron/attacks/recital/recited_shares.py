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
class Recited:
    """Of records whose patient has something of his own: whether it was written, and how often another's was.

    ``others`` is the share, of the other patients who were taught, whose own words stand in the text: what chance does.
    """

    rows: Ints
    own: Doubles
    others: float


def recited_own(written: Written, owned: Owned, taught: frozenset[int]) -> Recited | None:
    """None where no patient of these records has anything of his own."""
    holders = owned.holders
    at = [place for place, patient in enumerate(written.patient.tolist()) if patient in holders]
    if not at:
        return None
    own, others = [], []
    for place in at:
        patient = int(written.patient[place])
        found = owned.recited(written.texts[place])
        strangers = (holders & taught) - {patient}
        own.append(float(patient in found))
        others.append(len(found & strangers) / max(len(strangers), 1))
    return Recited(written.rows[at], np.array(own), float(np.mean(others)))


def recited_any(written: Written, owned: Owned) -> Doubles:
    """Whether the words of any patient alone stand in each text."""
    return np.array([float(bool(owned.recited(text))) for text in written.texts])
