"""leadapron's own layout: ``records.parquet``, row-aligned ``*.npy`` (float32) and ``release.json``.

Where they are known: the heads in ``heads.safetensors`` and the prompts in ``prompts.*.npy``. Beside the folder lies,
where something was fitted on patients, the file that tells whom (see ``patient_sets``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron import __version__
from leadapron.engine import atomic_folder, sha256
from leadapron.engine.file_ids import id_of_files
from leadapron.engine.files import check_free
from leadapron.engine.hashes import check_hashes
from leadapron.engine.ours import remove_ours
from leadapron.errors import DataError
from leadapron.release.beside import controls_beside
from leadapron.release.fitting import Fitting, from_card
from leadapron.release.heads import read_heads, write_heads
from leadapron.release.patient_sets import read_sets, write_sets
from leadapron.release.provenance import lineage
from leadapron.release.release import ARRAYS, ID_COLUMNS, PROMPTS, Release

VERSION = 1
HEADS = "heads.safetensors"
CHANGED = "Make the release again, or pass --no-verify to take it as it is, which the results will say."


def write_release(release: Release, folder: Path, *, overwrite: bool = False) -> None:
    """The folder, whole or not at all, with the hashes of its files in ``release.json``.

    A release that was made from one that was read still has the card of that one, and with it the source's id.
    """
    with atomic_folder(folder, overwrite=overwrite) as partial:
        release.records.write_parquet(partial / "records.parquet")
        write_arrays(release, release.arrays, partial)
        hashes = {path.name: sha256(path) for path in sorted(partial.iterdir())}
        card = {
            **release.card,
            "format": VERSION,
            "leadapron": __version__,
            "rows": len(release),
            "fitted_on": [fitting.as_dict() for fitting in release.fitted],
            "sha256": hashes,
            "made_from": [one for one in lineage(release.card) if one != id_of_files(hashes)],
            **({"source_verified": False} if release.verified is False else {}),
        }
        (partial / "release.json").write_text(json.dumps(card, indent=1))
        if overwrite and controls_beside(folder).exists():  # they are controls of what is written over
            check_free(controls_beside(folder), overwrite=True)
            remove_ours(controls_beside(folder))
        sets = [fitting.patients for fitting in release.fitted if fitting.patients is not None]
        write_sets(sets, folder, overwrite=overwrite)


def write_arrays(release: Release, arrays: Mapping[str, NDArray[np.float32]], folder: Path) -> None:
    """The arrays in the order in which they are to lie, and what of a release has no rows of patients."""
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    for name, array in release.prompts.items():
        np.save(folder / f"prompts.{name}.npy", array)
    if release.heads:
        write_heads(folder / HEADS, release.heads)


def read_folder(folder: Path, *, verify: bool = True) -> Release:
    """The release with memory-mapped arrays, after every file was compared with its recorded hash.

    Rows that were moved in one file alone would otherwise look like a release in which nobody can be found.
    """
    card = _read_card(folder / "release.json")
    files = {name: folder / f"{name}.npy" for name in ARRAYS if (folder / f"{name}.npy").exists()}
    prompts = {name: folder / f"prompts.{name}.npy" for name in PROMPTS if (folder / f"prompts.{name}.npy").exists()}
    heads = [folder / HEADS] if (folder / HEADS).exists() else []
    table = folder / "records.parquet"
    if verify:
        present = [file.name for file in (table, *files.values(), *prompts.values(), *heads)]
        check_hashes(folder, card.get("sha256"), present, where=folder / "release.json", fix=CHANGED)
    return Release(
        read_table(table),
        {name: load_npy(file) for name, file in files.items()},
        {name: value for name, value in card.items() if name != "fitted_on"},
        where=str(folder),
        heads=read_heads(heads[0]) if heads else {},
        prompts={name: load_npy(file) for name, file in prompts.items()},
        verified=verify and card.get("source_verified") is not False,
        fitted=read_fitted(folder),
    )


def read_fitted(folder: Path) -> tuple[Fitting, ...]:
    """What of the release in a folder was fitted on whom, as far as it is known here."""
    return from_card(_read_card(folder / "release.json"), read_sets(folder), str(folder))


def _read_card(file: Path) -> dict[str, Any]:
    try:
        card = json.loads(file.read_text())
    except ValueError as error:
        raise DataError(f"the file is not valid JSON ({error})", where=file) from error
    version = card.get("format") if isinstance(card, dict) else None
    if version != VERSION:
        raise DataError("unknown release format", where=file, got=version, allowed=str(VERSION))
    return cast(dict[str, Any], card)


def read_table(file: Path) -> pl.DataFrame:
    """A parquet or CSV file, or an error that names it. Ids in CSV are text: 007 must not become the number 7."""
    form = file.suffix.removeprefix(".")
    try:
        if form != "csv":
            return pl.read_parquet(file)
        names = pl.scan_csv(file, infer_schema=False).collect_schema().names()
        ids = {name: pl.String for name in names if name in ID_COLUMNS}
        return pl.read_csv(file, schema_overrides=ids, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError) as error:
        what = str(error).partition("\n")[0]
        raise DataError(f"the file cannot be read as {form} ({what})", where=file) from error


def load_npy(file: Path) -> NDArray[Any]:
    """An array, memory-mapped; one that is pickled is refused."""
    try:
        return cast(NDArray[Any], np.lib.format.open_memmap(file, mode="r"))
    except (ValueError, OSError) as error:
        raise DataError(f"the array cannot be read ({error})", where=file) from error
