"""The folder that is handed over, and the truth beside it: written together, and put together again for an audit.

The folder holds ``records.parquet``, the arrays, prompts and heads, and ``handover.json``. The truth is one Parquet
file for its owner's eyes alone; the card of the release, and whom it was fitted on, stand in its metadata.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron import __version__
from leadapron.engine import atomic_folder, atomic_path, sha256
from leadapron.engine.file_ids import id_of_files
from leadapron.engine.hashes import check_hashes
from leadapron.errors import ConfigError, DataError
from leadapron.release.beside import truth_beside
from leadapron.release.fitting import from_card
from leadapron.release.handover import IMAGE_ROW, TEXT_ROW, Handover
from leadapron.release.heads import read_heads
from leadapron.release.patient_sets import sets_written, written_sets
from leadapron.release.provenance import hashes_of, lineage
from leadapron.release.release import ARRAYS, PROMPTS, Release
from leadapron.release.release_folder import HEADS, load_npy, read_table, write_arrays

CARD = "handover.json"
FORMAT = 1
KEY = "leadapron-truth"
CHANGED = "Hand the release over again, or pass --no-verify to take it as it is, which the results will say."


@dataclass(frozen=True)
class Handed:
    """What a recipient has. The rows of images and of reports need not belong together."""

    records: pl.DataFrame
    arrays: Mapping[str, NDArray[np.float32]]
    card: Mapping[str, Any]
    verified: bool
    where: str


def is_handover(path: Path) -> bool:
    return (path / CARD).is_file()


def write_handover(given: Handover, release: Release, folder: Path) -> Path:
    """The folder and, beside it, the truth; both whole or not at all. Nothing is written over: a truth may be lost."""
    beside = truth_beside(folder)
    for place in (folder, beside):
        if place.exists():
            fix = "Choose another place: a truth that is written over is lost."
            raise ConfigError("the output exists already", where=place, fix=fix)
    with atomic_folder(folder) as partial, atomic_path(beside, private=True) as kept:  # the truth is there first
        given.records.write_parquet(partial / "records.parquet")
        write_arrays(release, given.arrays, partial)
        hashes = {path.name: sha256(path) for path in sorted(partial.iterdir())}
        card = {**given.card, "format": FORMAT, "leadapron": __version__, "sha256": hashes}
        (partial / CARD).write_text(json.dumps(card, indent=1))
        given.truth.write_parquet(kept, metadata={KEY: json.dumps(_kept(release, hashes))})
    return beside


def _kept(release: Release, hashes: Mapping[str, str]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "handover": id_of_files(hashes),
        "columns": release.records.columns,
        "card": dict(release.card),
        "fitted_on": [fitting.as_dict() for fitting in release.fitted],
        "sets": written_sets(fitting.patients for fitting in release.fitted if fitting.patients is not None),
        "verified": release.verified,
    }


def read_handed(folder: Path, *, verify: bool = True) -> Handed:
    """What lies in the folder, after every file was compared with its recorded hash."""
    try:
        card = json.loads((folder / CARD).read_text())
    except (OSError, ValueError) as error:
        raise DataError(f"the file is not valid JSON ({error})", where=folder / CARD) from error
    if not isinstance(card, dict) or card.get("format") != FORMAT:
        got = card.get("format") if isinstance(card, dict) else card
        raise DataError("unknown format of a handover", where=folder / CARD, got=got, allowed=str(FORMAT))
    if verify:
        check_hashes(folder, card.get("sha256"), list(hashes_of(folder)), where=folder / CARD, fix=CHANGED)
    arrays = {name: load_npy(folder / f"{name}.npy") for name in ARRAYS if (folder / f"{name}.npy").is_file()}
    told = {name: card.get(name) for name in ("rows_linked", "ids", "pairs_given")}
    records = read_table(folder / "records.parquet")
    return Handed(records, arrays, {**card, "handover": told}, verify, str(folder))


def with_truth(folder: Path, truth: Path | None, *, verify: bool = True) -> Release:
    """The release as it was before it was handed over: what the recipient has, with the truth beside it."""
    if not is_handover(folder):
        what = "a truth belongs to a folder that `leadapron handover` wrote"
        raise ConfigError(what, where=folder, fix="Leave --truth out.")
    if truth is None:
        raise ConfigError(
            "this was handed over: whose its rows are, and which belong together, stands in the truth alone",
            where=folder,
            fix=f"Audit it with --truth {truth_beside(folder).name}, which was written beside it; `leadapron audit "
            "table` can look at the table without.",
        )
    handed, (kept, told) = read_handed(folder, verify=verify), _read_truth(truth)
    if told.get("handover") != id_of_files(hashes_of(folder)):
        what = "the truth is of another handover, or its files were changed"
        raise DataError(what, where=truth, fix="Take the truth that was written beside the folder.")
    rows = {name: kept[name].to_numpy() for name in (IMAGE_ROW, TEXT_ROW)}
    records = pl.concat(
        [handed.records.drop(handed.card["ids"])[rows[IMAGE_ROW].tolist()], kept.drop(rows)], how="horizontal"
    ).select(told["columns"])
    heads = folder / HEADS
    prompts = {name: folder / f"prompts.{name}.npy" for name in PROMPTS}
    card = {name: value for name, value in told["card"].items() if name not in ("sha256", "made_from", "fitted_on")}
    made_from = lineage(told["card"])
    return Release(
        records,
        {
            name: array[rows[TEXT_ROW if name.startswith("text") else IMAGE_ROW]]
            for name, array in handed.arrays.items()
        },
        {**card, "sha256": handed.card["sha256"], "made_from": made_from, "handover": handed.card["handover"]},
        where=str(folder),
        heads=read_heads(heads) if heads.is_file() else {},
        prompts={name: load_npy(file) for name, file in prompts.items() if file.is_file()},
        verified=verify and told["verified"] is not False,
        fitted=from_card({"fitted_on": told["fitted_on"]}, sets_written(told["sets"], truth), str(truth)),
    )


def _read_truth(file: Path) -> tuple[pl.DataFrame, dict[str, Any]]:
    try:
        told = json.loads(pl.read_parquet_metadata(file)[KEY])
        table = pl.read_parquet(file)
    except (KeyError, ValueError, OSError, pl.exceptions.PolarsError) as error:
        what = "this is not the truth of a handover"
        raise DataError(what, where=file, allowed="the file DIR.truth that `leadapron handover` wrote") from error
    if told.get("format") != FORMAT:
        raise DataError("unknown format of a truth", where=file, got=told.get("format"), allowed=str(FORMAT))
    return table, told
