"""A model as it is found, with at least one other to compare it with: read, and refused where an attack would be wrong.

Nobody has planned who is in which model. So a record may be in none of them, and two models are enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from leadapron.attacks.membership.patient_aucs import starts_of
from leadapron.attacks.membership.reading import (
    as_flags,
    assembled,
    check_layout,
    check_recorded,
    load_array,
    load_outputs,
    load_records,
)
from leadapron.attacks.membership.signals import Array, Flags, Ints, Signals
from leadapron.errors import ConfigError, DataError


@dataclass(frozen=True)
class AsFound:
    """One model under attack: ``target`` is its row, ``truth`` tells its members, None where they are not known.

    ``signals.members`` says nothing here: what the references were trained on is not known, and not asked.
    """

    signals: Signals
    target: int
    truth: Flags | None

    @property
    def references(self) -> Ints:
        return np.delete(np.arange(self.signals.models), self.target)

    def patient_truth(self) -> Flags | None:
        """Whether each patient is a member: as a whole, or not at all."""
        if self.truth is None:
            return None
        order = self.signals.order
        truth: Flags = self.truth[order[starts_of(self.signals.patient[order])]]
        return truth


@dataclass(frozen=True)
class FoundModels:
    """Models that lie together: any of them may be attacked, with the others as references."""

    signals: Signals
    members: Array | None

    def target(self, row: int) -> AsFound:
        """One of them under attack; of the members only its own are read."""
        models, file = self.signals.models, (self.signals.where or Path()) / "members.npy"
        if not 0 <= row < models:
            raise ConfigError("there is no such model", where="target", got=row, allowed=f"0 to {models - 1}")
        truth = None if self.members is None else np.array(as_flags(self.members[row], file))
        if truth is not None:
            _check_truth(self.signals, truth, file, row)
        return AsFound(self.signals, row, truth)


def read_as_found(folder: Path, *, verify: bool = True) -> FoundModels:
    """As for an audit of many models, but ``members.npy`` may be absent."""
    if verify:
        check_recorded(folder)
    stored, logits = load_outputs(folder)
    file = folder / "members.npy"
    members = load_array(file) if file.exists() else None
    return build_as_found(stored, load_records(folder), members, logits=logits, where=folder)


def build_as_found(
    stored: Array,
    records: pl.DataFrame,
    members: Array | None = None,
    *,
    logits: bool = False,
    where: Path | None = None,
) -> FoundModels:
    """The same from arrays, checked."""
    place = where or Path()
    file = place / ("logits.npy" if logits else "signals.npy")
    check_layout(stored, records, file, logits=logits)
    shape = stored.shape[:2]
    if shape[1] != len(records) or (members is not None and members.shape != shape):
        known = "" if members is None else f", members.npy {members.shape}"
        got = f"{file.name} {stored.shape}{known}, records.parquet {len(records)} rows"
        raise DataError("the shapes differ", where=where, got=got, allowed="models x records everywhere")
    if shape[0] < 2:
        raise DataError("there is no reference model", where=file, got=shape[0], allowed="2 models or more")
    if records["patient_id"].n_unique() < 2:
        raise DataError("a patient can only be compared with others", where=place / "records.parquet", got=len(records))
    nobody = np.broadcast_to(np.zeros(1, dtype=np.bool_), shape)
    return FoundModels(assembled(stored, nobody, records, file, logits=logits), members)


def _check_truth(signals: Signals, truth: Flags, file: Path, target: int) -> None:
    """Some are members and some are not, and a patient is one or the other."""
    if truth.all() or not truth.any():
        words = "every record" if truth.all() else "no record"
        fix = "Ask about members and others, or leave members.npy out."
        raise DataError(f"the model was trained on {words}", where=file, got=f"model {target}", fix=fix)
    ordered = signals.patient[signals.order]
    lead = signals.order[np.searchsorted(ordered, signals.patient)]
    if (split := np.flatnonzero(truth != truth[lead])).size:
        got = f"model {target}, rows {lead[split[0]]} and {split[0]}"
        raise DataError("a patient is split: of two records the model has seen one", where=file, got=got)
