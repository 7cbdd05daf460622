"""Where a result comes from: the release with the hashes of its files, and the versions of what computed it."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.engine import sha256
from leadapron.engine.file_ids import id_of_files
from leadapron.release.release import ID_COLUMNS, Release

LIBRARIES = ("numpy", "scipy", "numba", "polars")
SUFFIXES = (".npy", ".parquet", ".csv", ".safetensors")
TABLE = "table"
NOTHING_RECORDED = "nothing recorded to verify"


class Held(Protocol):
    """A release, or what was handed over of one."""

    @property
    def records(self) -> pl.DataFrame: ...
    @property
    def arrays(self) -> Mapping[str, NDArray[np.float32]]: ...
    @property
    def card(self) -> Mapping[str, Any]: ...
    @property
    def verified(self) -> bool | None: ...


def inputs_of(path: Path, release: Held) -> dict[str, object]:
    """What was audited, of the whole release: which part of it was attacked does not make it another one."""
    verified: Any = release.card.get("sha256") if release.verified else None  # as they were found when it was read
    return _inputs(path.resolve().name, release, hashes_of(path, verified))


def _inputs(name: str, release: Held, hashes: dict[str, str]) -> dict[str, object]:
    encoder = release.card.get("encoder")
    return {
        "release": name,
        "encoder": encoder.get("name") if isinstance(encoder, dict) else None,
        "cohort": release.card.get("cohort"),
        "defence": release.card.get("defence"),
        "sha256": hashes,
        "verified": NOTHING_RECORDED if release.verified is None else release.verified,
        "subject": {
            "kind": "release",
            "id": id_of_files(hashes),
            "made_from": made_from(release.card),
            "holds": holds_of(release),
            "mates": has_recurring_patients(release),
        },
    }


def inputs_in_memory(release: Release) -> dict[str, object]:
    """The same of a release that was not read from a folder: named by its content."""
    hashes = {f"{name}.npy": _digest(np.ascontiguousarray(array).tobytes()) for name, array in release.arrays.items()}
    hashes["records"] = _digest(release.records.write_json().encode())
    return _inputs("release in memory", release, hashes)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def holds_of(release: Held) -> list[str]:
    """What there is to audit: its arrays, and a table where a column but ids and labels tells patients apart."""
    records = release.records
    plain = [name for name in records.columns if name not in (*ID_COLUMNS, "split") and not name.startswith("label_")]
    return [*release.arrays, *([TABLE] if any(records[name].n_unique() > 1 for name in plain) else [])]


def has_recurring_patients(release: Held) -> bool | None:
    """Whether a patient has two records, and somebody else is there; None where nobody says whose they are."""
    if "patient_id" not in release.records.columns:
        return None
    return 1 < release.records["patient_id"].n_unique() < len(release.records)


def made_from(card: Mapping[str, Any]) -> list[str]:
    """The ids of what a release was made from, the nearest first, as its card names them."""
    return list(card.get("made_from", []))


def lineage(card: Mapping[str, Any]) -> list[str]:
    """The same with the release itself in front, where it was read: what is made of it has this card still."""
    hashes = card.get("sha256")
    return [*([id_of_files(hashes)] if hashes else []), *made_from(card)]


def hashes_of(path: Path, known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Of tables, arrays and heads: what the numbers depend on. Some layouts keep them a folder further down.

    Files whose hashes are ``known`` are not read again.
    """
    if path.is_file():
        return {path.name: sha256(path)}
    files = _data_in(path, "*") or _data_in(path, "*/*")
    names = {file.relative_to(path).as_posix(): file for file in files}
    return {name: (known or {}).get(name) or sha256(file) for name, file in names.items()}


def _data_in(folder: Path, pattern: str) -> list[Path]:
    return sorted(file for file in folder.glob(pattern) if file.suffix in SUFFIXES and file.is_file())


def versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
