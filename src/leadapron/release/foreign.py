"""Releases in other people's layouts: plain arrays, arrays in parts, a clip-retrieval folder, an ``.npz``, a parquet.

None of them is unpickled: a release comes from somebody else. Columns that a release of ours would not hold are left
out, and named in the card.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.engine.ours import LIST
from leadapron.errors import DataError
from leadapron.release.handed_over import is_handover, with_truth
from leadapron.release.in_memory import as_float32, check_floating, check_rows, list_rows
from leadapron.release.release import ARRAYS, Release, split_columns, with_ids
from leadapron.release.release_folder import load_npy, read_folder, read_table
from leadapron.release.split_rule import split_by_column, taken, with_split_by
from leadapron.release.stacked_rows import StackedRows

LAYOUTS = (
    "a leadapron release folder (release.json), a folder with image.npy or text.npy or both (and records.parquet or "
    "records.csv, if there is a table), the same in numbered parts (image-0.npy, records-0.parquet), a clip-retrieval "
    "folder (img_emb, text_emb, metadata), "
    "an .npz with the arrays image, text and record_id, or a .parquet with list columns image and text"
)
TABLES = ("records.parquet", "records.csv")
Foreign = tuple[pl.DataFrame, dict[str, NDArray[np.float32]]]
"""A table of records, with whatever columns it has, and arrays."""
CLIP_RETRIEVAL = {"image": "img_emb", "text": "text_emb"}
PARTS = "records"
"""What the tables of a release in parts are called."""


def read_release(path: Path, *, verify: bool = True, split_by: str | None = None, truth: Path | None = None) -> Release:
    """A release in any layout that is known, recognised by what lies there.

    ``verify`` compares the files with the hashes that were recorded; only our own layouts record any. ``split_by`` is
    the column to take as the split, and ``truth`` what was kept when the release was handed over.
    """
    if is_handover(path) or truth is not None:
        release = with_truth(path, truth, verify=verify)
        return release if split_by is None else with_split_by(release, split_by)
    if (path / "release.json").is_file():
        release = read_folder(path, verify=verify)
        return release if split_by is None else with_split_by(release, split_by)
    records, arrays = _read_foreign(path)
    if split_by is None:
        return _release(records, arrays, path)
    return _release(split_by_column(records, split_by, str(path)), arrays, path, taken(split_by))


def _read_foreign(path: Path) -> Foreign:
    if any((path / f"{name}.npy").is_file() for name in ARRAYS):
        return _read_plain_arrays(path)
    if _numbered(path, f"{PARTS}-", ".parquet"):
        return _read_parts(path)
    if (path / "metadata").is_dir():
        return _read_clip_retrieval(path)
    if path.is_file() and path.suffix == ".npz":
        return _read_npz(path)
    if path.is_file() and path.suffix == ".parquet":
        return _read_parquet(path)
    what = "there is no release here" if path.exists() else "there is no such file or folder"
    raise DataError(what, where=path, allowed=LAYOUTS)


def _read_plain_arrays(folder: Path) -> Foreign:
    """Arrays of our names, and a table of the records if there is one; without it nobody knows whose they are."""
    if (folder / LIST).is_file():
        raise DataError(
            "release.json is missing: leadapron wrote this release, and said there what was fitted on whom",
            where=folder,
            fix="Bring the file back. To take the arrays as they are, copy them into another folder.",
        )
    files = {name: folder / f"{name}.npy" for name in ARRAYS if (folder / f"{name}.npy").is_file()}
    arrays = {name: as_float32(load_npy(file), str(file)) for name, file in files.items()}
    tables = [folder / name for name in TABLES if (folder / name).is_file()]
    if len(tables) > 1:
        raise DataError("there are two tables of the records", where=folder, got=", ".join(TABLES), allowed="one")
    records = read_table(tables[0]) if tables else pl.DataFrame()
    counts = {file.name: len(arrays[name]) for name, file in files.items()}
    check_rows(counts | {table.name: len(records) for table in tables}, str(folder))
    return records, arrays


def _read_parts(folder: Path) -> Foreign:
    """Numbered parts of a table, and of each array with the same rows: nobody has to join what was made in shares."""
    tables = _numbered(folder, f"{PARTS}-", ".parquet")
    missing = sorted(set(range(min(tables), max(tables))) - set(tables))
    if missing:
        raise DataError("a part is missing", where=folder, got=f"no {PARTS}-{missing[0]}.parquet", allowed="every part")
    return _stacked(tables, {name: _numbered(folder, f"{name}-", ".npy") for name in ARRAYS}, folder)


def _read_clip_retrieval(folder: Path) -> Foreign:
    """Numbered parts of embeddings, and a metadata table a part with the same rows."""
    tables = _numbered(folder / "metadata", "metadata_", ".parquet")
    if not tables:
        raise DataError("there is no metadata_<number>.parquet in it", where=folder / "metadata")
    files = {}
    for name, prefix in CLIP_RETRIEVAL.items():
        files[name] = _numbered(folder / prefix, f"{prefix}_", ".npy")
        if not files[name] and (folder / prefix).is_dir():
            raise DataError(f"there is no {prefix}_<number>.npy in it", where=folder / prefix)
    return _stacked(tables, files, folder)


def _numbered(folder: Path, prefix: str, suffix: str) -> dict[int, Path]:
    """The parts by their numbers, in the order of these: 10 comes after 2."""
    numbers = ((path.stem.removeprefix(prefix), path) for path in folder.glob(f"{prefix}*{suffix}"))
    return dict(sorted((int(number), path) for number, path in numbers if number.isdecimal()))


def _stacked(tables: Mapping[int, Path], arrays: Mapping[str, Mapping[int, Path]], folder: Path) -> Foreign:
    """Tables one below the other, and arrays whose rows are read from their parts when they are asked for."""
    records = {number: read_table(file) for number, file in tables.items()}
    stacked = {}
    for name, files in arrays.items():
        if not files:
            continue
        if set(files) != set(tables):
            odd = min(set(files) ^ set(tables))
            file = tables[odd] if odd in tables else files[odd]
            side = name if odd in tables else "table"
            raise DataError("a part is missing", where=folder, got=f"{file.name}, and no {side} of that number")
        parts = [_part(file, len(records[number])) for number, file in files.items()]
        for file, part in zip(files.values(), parts, strict=True):
            if part.shape[1] != parts[0].shape[1]:
                what = "the parts differ in dimension"
                raise DataError(what, where=file, got=part.shape[1], allowed=f"{parts[0].shape[1]}, as in the first")
        # the class is read as an array is, but for what nobody asks of embeddings
        whole = parts[0] if len(parts) == 1 else cast(NDArray[np.float32], StackedRows(tuple(parts)))
        stacked[name] = as_float32(whole, str(folder)) if len(parts) == 1 else whole
    try:
        table = pl.concat(records.values())
    except pl.exceptions.PolarsError as error:
        what = str(error).partition("\n")[0]
        raise DataError(
            f"the parts have different columns ({what})", where=next(iter(tables.values())).parent
        ) from error
    return table, stacked


def _part(file: Path, rows: int) -> NDArray[Any]:
    """A part as long as its table: parts that are only together of the right length would be paired wrongly."""
    array = load_npy(file)
    if array.ndim != 2 or len(array) != rows:
        raise DataError("the row counts differ", where=file, got=array.shape, allowed=f"{rows} rows, as in its table")
    check_floating(array, str(file))
    return array


def _read_npz(path: Path) -> Foreign:
    """Arrays of our names; every other one-dimensional array is a column of the records."""
    try:
        with path.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            members = {name: archive[name] for name in archive.files}
    except (ValueError, OSError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise DataError(
            f"the archive cannot be read ({error})",
            where=path,
            fix="Save numbers and fixed-width text, not Python objects.",
        ) from error
    arrays = {name: as_float32(members.pop(name), f"{path}: {name}") for name in ARRAYS if name in members}
    if not arrays:
        raise DataError("there is no embedding in it", where=path, got=", ".join(members), allowed=", ".join(ARRAYS))
    rows = len(next(iter(arrays.values())))
    for name, column in members.items():
        if column.shape != (rows,):
            raise DataError("the row counts differ", where=f"{path}: {name}", got=column.shape, allowed=f"({rows},)")
    return pl.DataFrame(members), arrays


def _read_parquet(path: Path) -> Foreign:
    table = read_table(path)
    arrays = {}
    for name in ARRAYS:
        if name not in table.columns:
            continue
        column = table[name]
        if not isinstance(column.dtype, (pl.List, pl.Array)):
            raise DataError(f"column {name!r} is not a list column", where=path, got=str(column.dtype))
        arrays[name] = list_rows(column, str(path))
    return table.drop(*arrays), arrays


def _release(
    records: pl.DataFrame, arrays: dict[str, NDArray[np.float32]], path: Path, said: Mapping[str, object] | None = None
) -> Release:
    """With the columns that may be released; rows without ids are known by their number."""
    records, left_out = split_columns(records)
    rows = [*map(len, arrays.values()), len(records)][0]
    return Release(with_ids(records, rows), arrays, {"columns_left_out": left_out, **(said or {})}, where=str(path))
