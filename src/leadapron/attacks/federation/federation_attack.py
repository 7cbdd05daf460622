"""The whole attack: everybody who is asked about, by every attacker, at the hospitals of each kind."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.federation.asked_people import OUTSIDER, Asked, People, asked_of
from leadapron.attacks.federation.federation_attackers import Clues, Suspicion, attackers_of, final_gain
from leadapron.attacks.federation.loss_falls import Followed, follow
from leadapron.attacks.federation.witnessed import Witnessed
from leadapron.engine import Progress, silent
from leadapron.federated.federation_plan import Holds

Ints = NDArray[np.int64]

OWN, ANYWHERE = "own", "anywhere"
"""What is asked: was the patient at this hospital, or at any of its kind."""


@dataclass(frozen=True)
class OfKind:
    """What came out at the hospitals of one kind."""

    hospitals: tuple[str, ...]
    asked: Asked
    followed: Followed
    suspicions: Mapping[str, Suspicion]
    """By attacker."""


def attack(seen: Witnessed, people: People, progress: Progress = silent) -> dict[Holds, OfKind]:
    """Every attacker who can attack such a training, at the hospitals of every kind."""
    found: dict[Holds, OfKind] = {}
    for holds, hospitals in seen.kinds.items():
        asked = asked_of(people, holds, hospitals)
        followed = follow(seen, holds, asked, progress)
        clues = Clues(asked, followed, final_gain(seen, asked))
        suspicions = {name: attacker(clues) for name, attacker in attackers_of(seen).items()}
        found[holds] = OfKind(tuple(hospitals), asked, followed, suspicions)
    return found


def suspicion_table(found: Mapping[Holds, OfKind]) -> pl.DataFrame:
    """A row per patient, question and attacker: members at their own hospital, outsiders at every one.

    ``right`` tells of a member whether the own hospital is the most suspected one of its kind.
    """
    return pl.concat(
        pl.DataFrame({"attacker": name, "hospitals": holds, **columns})
        for holds, of_kind in found.items()
        for name, suspicion in of_kind.suspicions.items()
        for columns in _columns(of_kind, suspicion)
    )


def _columns(of_kind: OfKind, suspicion: Suspicion) -> Iterator[dict[str, object]]:
    whose, names = of_kind.asked.hospital, np.array(of_kind.asked.names)
    members, outsiders = np.flatnonzero(whose >= 0), np.flatnonzero(whose == OUTSIDER)
    own = suspicion.own[whose[members], members]
    guessed = suspicion.own[:, members]
    # who suspects several hospitals alike has named each of them only in part
    most = guessed == guessed.max(axis=0)
    right = most[whose[members], np.arange(len(members))] / most.sum(axis=0)
    at_each = suspicion.own[:, outsiders]
    yield {
        "asked": OWN,
        "patient_id": [*names[members], *np.tile(names[outsiders], len(at_each))],
        "member": np.repeat([True, False], [len(members), at_each.size]),
        "suspicion": np.concatenate([own, at_each.ravel()]),
        "right": [*right.tolist(), *([None] * at_each.size)],
    }
    both = np.concatenate([members, outsiders])
    yield {
        "asked": ANYWHERE,
        "patient_id": names[both].tolist(),
        "member": whose[both] >= 0,
        "suspicion": suspicion.anywhere[both],
        "right": np.full(len(both), None, dtype=object).tolist(),
    }
