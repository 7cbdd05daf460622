"""Releases in other people's layouts: plain arrays, a clip-retrieval folder, an ``.npz``, a parquet with lists.

None of them is unpickled: a release comes from somebody else. Columns that a release of ours would not hold are left
out, and named in the card.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.engine.ours import LIST
from leadapron.errors import DataError
from leadapron.release.handed_over import is_handover, with_truth
from leadapron.release.in_memory import as_float32, check_rows, list_rows
from leadapron.release.release import ARRAYS, Release, split_columns, with_ids
from leadapron.release.release_folder import load_npy, read_folder, read_table
from leadapron.release.split_rule import split_by_column, taken, with_split_by

LAYOUTS = (
    "a leadapron release folder (release.json), a folder with image.npy or text.npy or both (and records.parquet or "
    "records.csv, if there is a table), a clip-retrieval folder (img_emb, text_emb, metadata), "
    "an .npz with the arrays image, text and record_id, or a .parquet with list columns image and text"
)
TABLES = ("records.parquet", "records.csv")
Foreign = tuple[pl.DataFrame, dict[str, NDArray[np.float32]]]
"""A table of records, with whatever columns it has, and arrays."""
CLIP_RETRIEVAL = {"image": "img_emb", "text": "text_emb"}


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


def _read_clip_retrieval(folder: Path) -> Foreign:
    """Numbered parts of embeddings, and a metadata table a part with the same rows."""
    tables = {number: read_table(part) for number, part in _numbered(folder / "metadata", "metadata", ".parquet")}
    arrays = {}
    for name, prefix in CLIP_RETRIEVAL.items():
        if (folder / prefix).is_dir():
            files = dict(_numbered(folder / prefix, prefix, ".npy"))
            if list(files) != list(tables):
                raise DataError(
                    "the parts are not those of the metadata",
                    where=folder / prefix,
                    got=list(files),
                    allowed=str(list(tables)),
                )
            parts = [_part(file, len(tables[number])) for number, file in files.items()]
            widths = {part.shape[1] for part in parts}
            if len(widths) > 1:
                raise DataError("the parts differ in dimension", where=folder / prefix, got=sorted(widths))
            arrays[name] = parts[0] if len(parts) == 1 else np.concatenate(parts)
    try:
        records = pl.concat(tables.values())
    except pl.exceptions.PolarsError as error:
        what = str(error).partition("\n")[0]
        raise DataError(f"the parts have different columns ({what})", where=folder / "metadata") from error
    return records, arrays


def _numbered(folder: Path, prefix: str, suffix: str) -> list[tuple[int, Path]]:
    """The parts with their numbers, in the order of these: 10 comes after 2."""
    numbers = ((path.stem.removeprefix(f"{prefix}_"), path) for path in folder.glob(f"{prefix}_*{suffix}"))
    parts = sorted((int(number), path) for number, path in numbers if number.isdecimal())
    if not parts:
        raise DataError(f"there is no {prefix}_<number>{suffix} in it", where=folder)
    return parts


def _part(file: Path, rows: int) -> NDArray[np.float32]:
    """A part as long as its metadata: parts that are only together of the right length would be paired wrongly."""
    array = load_npy(file)
    if array.ndim != 2 or len(array) != rows:
        raise DataError(
            "the row counts differ", where=file, got=array.shape, allowed=f"{rows} rows, as in its metadata"
        )
    return as_float32(array, str(file))


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
