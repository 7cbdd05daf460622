"""The sides of an attack on images: whom the attacker learns from, on whom methods are weighed, who is attacked."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.engine.remembered import content
from leadapron.errors import ConfigError, DataError

Ints = NDArray[np.int64]

FEWEST_WEIGHED = 100
"""Patients. With fewer in split ``validate``, one in five of ``train`` joins them."""
ONE_IN = 5
FEWEST_KNOWN, FEWEST_ATTACKED = 20, 10
POOLS = (50, 100, 1000)


@dataclass(frozen=True)
class Sides:
    """Rows of the records; ``patient`` and ``study`` number every record's patient and study."""

    patient: Ints
    study: Ints
    learnt: Ints
    weighed: Ints
    attacked: Ints

    @property
    def key(self) -> str:
        """All of it as a hash."""
        return content(self.patient, self.study, self.learnt, self.weighed, self.attacked)

    def pools(self, asked: Sequence[int], held: int, judged: Callable[[int], list[int]]) -> list[int]:
        """Those asked for, or the usual ones, that ``held`` images or reports fill whoever is looked for.

        ``judged`` are, of so many candidates, those that a policy judges as well.
        """
        most = 1 + held - int(np.bincount(self.patient[self.attacked]).max())
        if too_large := [pool for pool in asked if not 2 <= pool <= most]:
            got, allowed = too_large[0], f"2 to {most:,}"
            raise ConfigError("not a pool that can be filled", where="--pool", got=got, allowed=allowed)
        if most < 2:
            raise DataError("there are no strangers to tell a patient from")
        usual = [pool for pool in POOLS if pool <= most] or [most]
        return sorted({*(asked or usual), *judged(most)})


def sides_of(records: pl.DataFrame, where: str) -> Sides:
    """``test`` is attacked. The attacker knows ``train`` and ``validate``, of which the second only weighs methods: a
    generator was trained on ``train``, and what fits its counterparts need not fit others'."""
    patient, study = (
        np.unique(records[name].to_numpy().astype(str), return_inverse=True)[1].astype(np.int64)
        for name in ("patient_id", "study_id")
    )
    rows = {side: records["split"].eq(side).arg_true().to_numpy() for side in ("train", "validate", "test")}
    learnt, weighed = rows["train"].astype(np.int64), rows["validate"].astype(np.int64)
    if len(np.unique(patient[weighed])) < FEWEST_WEIGHED:
        known = np.unique(patient[learnt])
        moved = np.isin(patient[learnt], known[::ONE_IN])
        learnt, weighed = learnt[~moved], np.sort(np.concatenate([weighed, learnt[moved]]))
    sides = Sides(patient, study, learnt, weighed, rows["test"].astype(np.int64))
    for name, side, fewest in (
        ("split 'train'", sides.learnt, FEWEST_KNOWN),
        ("split 'test'", sides.attacked, FEWEST_ATTACKED),
    ):
        if (got := len(np.unique(patient[side]))) < fewest:
            raise DataError(
                f"too few patients in {name}", where=where, got=got, allowed=f"{fewest} or more to attack images"
            )
    return sides
