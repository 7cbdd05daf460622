"""A folder of signals: read without loading it, and refused where an audit of it would be wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadapron.attacks.membership.signals import PLAIN, SIGMOID, SOFTMAX, Array, Flags, Ints, Signals, number_patients
from leadapron.cohort.labels import label_names, with_known_labels
from leadapron.cohort.truth import labels_of
from leadapron.engine.hashes import check_hashes
from leadapron.engine.twins import rows_of_twins
from leadapron.errors import DataError

FEWEST_MODELS = 8
OUTPUTS = ("signals.npy", "logits.npy")
CARD = "signals.json"
CHANGED = "Collect the signals again, or pass --no-verify to take them as they are, which the results will say."


def read_signals(folder: Path, *, verify: bool = True) -> Signals:
    """``signals.npy`` or ``logits.npy``, ``members.npy`` and ``records.parquet``; compared with ``signals.json``."""
    if verify:
        check_recorded(folder)
    stored, logits = load_outputs(folder)
    members = load_array(folder / "members.npy")
    return build_signals(stored, members, load_records(folder), logits=logits, where=folder)


def build_signals(
    stored: Array, members: Array, records: pl.DataFrame, *, logits: bool = False, where: Path | None = None
) -> Signals:
    """The same from arrays, checked."""
    place = where or Path()
    file = place / ("logits.npy" if logits else "signals.npy")
    check_layout(stored, records, file, logits=logits)
    members = as_flags(members, place / "members.npy")
    if members.shape != stored.shape[:2] or stored.shape[1] != len(records):
        got = f"{file.name} {stored.shape}, members.npy {members.shape}, records.parquet {len(records)} rows"
        raise DataError("the shapes differ", where=where, got=got, allowed="models x records everywhere")
    if len(stored) < FEWEST_MODELS:
        raise DataError("too few models to tell members from others", where=file, got=len(stored), allowed="8 or more")
    signals = assembled(stored, members, records, file, logits=logits)
    _check_members(signals, place / "members.npy")
    return signals


def read_card(folder: Path) -> dict[str, Any]:
    """What ``signals.json`` says; nothing where there is none: signals may come from anywhere."""
    file = folder / CARD
    try:
        card = json.loads(file.read_text()) if file.is_file() else {}
    except ValueError as error:
        raise DataError(f"the file is not valid JSON ({error})", where=file) from error
    if not isinstance(card, dict):
        raise DataError("not the card of signals", where=file, got=card)
    return card


def read_made_from(folder: Path) -> list[str]:
    """The ids of what the models were trained on, the nearest first; none where the folder is silent."""
    ids = read_card(folder).get("made_from", [])
    if not isinstance(ids, list) or not all(isinstance(one, str) for one in ids):
        raise DataError("made_from is not a list of ids", where=folder / CARD, got=ids)
    return ids


def check_recorded(folder: Path) -> None:
    """The files are those that were collected, where that was written down."""
    card = read_card(folder)
    if "sha256" in card:
        present = [name for name in (*OUTPUTS, "members.npy", "records.parquet") if (folder / name).is_file()]
        check_hashes(folder, card["sha256"], present, where=folder / CARD, fix=CHANGED)


def load_outputs(folder: Path) -> tuple[Array, bool]:
    """What the models say, and whether it is logits."""
    there = [name for name in OUTPUTS if (folder / name).is_file()]
    if len(there) != 1:
        got = "both" if there else "neither"
        raise DataError("the folder must hold either signals.npy or logits.npy", where=folder, got=got)
    return load_array(folder / there[0]), there[0] == "logits.npy"


def load_records(folder: Path) -> pl.DataFrame:
    try:
        return pl.read_parquet(folder / "records.parquet")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise DataError(f"the table cannot be read ({error})", where=folder / "records.parquet") from error


def check_layout(stored: Array, records: pl.DataFrame, file: Path, *, logits: bool) -> None:
    """Every record is named once, and the array has the dimensions that are wanted."""
    table = file.with_name("records.parquet")
    if records.is_empty():
        raise DataError("there is no record", where=table)
    for name in ("record_id", "patient_id"):
        if name not in records.columns or records[name].null_count():
            raise DataError(f"every record needs a {name}", where=table)
    if records["record_id"].is_duplicated().any():
        raise DataError("a record is there twice", where=table, got=rows_of_twins(records["record_id"]))
    if stored.ndim not in ((2, 3) if logits else (2,)) or stored.dtype.kind != "f":
        allowed = "floats, models x records x classes" if logits else "floats, models x records"
        raise DataError(
            "not the array that is wanted", where=file, got=f"{stored.dtype} {stored.shape}", allowed=allowed
        )


def assembled(stored: Array, members: Flags, records: pl.DataFrame, file: Path, *, logits: bool) -> Signals:
    """With labels and patients, and every number finite."""
    records = with_known_labels(records, where=str(file.with_name("records.parquet")))
    kind, labels = _labels(stored, records, file.parent) if logits else (PLAIN, None)
    if logits and stored.ndim == 2:
        stored = stored[:, :, None]
    patient, order = number_patients(records)
    where = None if file.parent == Path() else file.parent
    signals = Signals(stored, members, records, patient, order, kind, labels, where)
    _check_numbers(signals, file)
    return signals


def load_array(path: Path) -> Array:
    try:
        array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise DataError(f"the array cannot be read ({error})", where=path) from error
    if not isinstance(array, np.ndarray):
        raise DataError("an archive and not an array", where=path)
    return array


def as_flags(members: Array, file: Path) -> Flags:
    if members.dtype == np.bool_:
        return members
    if members.dtype.kind in "iu" and members.size and 0 <= members.min() <= members.max() <= 1:
        return np.asarray(members, dtype=np.bool_)
    raise DataError("members are true or false", where=file, got=str(members.dtype), allowed="bool, or 0 and 1")


def _labels(stored: Array, records: pl.DataFrame, place: Path) -> tuple[str, Array]:
    """What is true of each record: a class, or a sign a label with 0 for unknown."""
    file = place / "records.parquet"
    several = label_names(records)
    outputs = stored.shape[2] if stored.ndim == 3 else 1
    if "label" in records.columns:
        label = records["label"].cast(pl.Float64, strict=False)
        highest = max(outputs, 2) - 1
        fine = (label.is_between(0, highest) & (label == label.round())).fill_null(False)
        if not fine.all():
            at = int(fine.arg_min() or 0)
            got = f"{records['label'][at]} in row {at}"
            raise DataError("not a class", where=file, got=got, allowed=f"0 to {highest}")
        classes = label.to_numpy().astype(np.int64)
        return (SOFTMAX, classes) if outputs > 1 else (SIGMOID, (2 * classes - 1)[:, None].astype(np.int8))
    if not several:
        raise DataError(
            f"logits of {outputs} outputs without labels say nothing of the true one",
            where=file,
            allowed="a column label, or one column label_* an output",
        )
    if len(several) != outputs:
        got = f"{len(several)} columns label_* and {outputs} outputs"
        raise DataError("labels and outputs do not match", where=file, got=got, allowed="as many of both")
    return SIGMOID, labels_of(records, str(file)).signs


def _check_numbers(signals: Signals, file: Path) -> None:
    for rows in _in_file_order(signals):
        part = signals.stored[:, rows]
        if not np.isfinite(part).all():
            model, column = np.argwhere(~np.isfinite(part).reshape(*part.shape[:2], -1).all(axis=2))[0]
            got = f"model {model}, row {rows.start + column}"
            raise DataError("a number is infinite or not a number", where=file, got=got)


def _check_members(signals: Signals, file: Path) -> None:
    """Records are in some models, models have some records, and a patient is in a model as a whole or not at all."""
    size = np.zeros(signals.models, dtype=np.int64)
    first = signals.order[np.searchsorted(signals.patient[signals.order], np.arange(signals.patients))]
    for rows in _in_file_order(signals):
        part = np.asarray(signals.members[:, rows])
        count = part.sum(axis=0)
        size += part.sum(axis=1)
        for wrong, words in ((0, "no model"), (signals.models, "every model")):
            if (found := np.flatnonzero(count == wrong)).size:
                got = f"row {rows.start + found[0]}"
                raise DataError(f"a record is in {words}, so there is nothing to compare", where=file, got=got)
        lead: Ints = first[signals.patient[rows]]
        split = part != signals.members[:, lead]
        if split.any():
            model, column = np.argwhere(split)[0]
            got = f"model {model}, rows {lead[column]} and {rows.start + column}"
            raise DataError("a patient is split: of two records the model has seen one", where=file, got=got)
    for wrong, words in ((0, "no record"), (len(signals), "every record")):
        if (found := np.flatnonzero(size == wrong)).size:
            raise DataError(f"a model was trained on {words}", where=file, got=f"model {found[0]}")


def _in_file_order(signals: Signals) -> list[slice]:
    size = max(1, 8_000_000 // int(np.prod(signals.stored.shape) // len(signals)))
    return [slice(start, min(start + size, len(signals))) for start in range(0, len(signals), size)]
