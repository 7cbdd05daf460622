"""Releases in other people's layouts: a clip-retrieval folder, an ``.npz``, one parquet with list columns.

None of them is unpickled: a release comes from somebody else. Columns that a release of ours would not hold are left
out, and named in the card.
"""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.release.folder import load_npy, read_folder, read_table
from leadapron.release.release import ARRAYS, ID_COLUMNS, Release, split_columns

LAYOUTS = (
    "a leadapron release folder (release.json), a clip-retrieval folder (img_emb, text_emb, metadata), "
    "an .npz with the arrays image, text and record_id, or a .parquet with list columns image and text"
)
CLIP_RETRIEVAL = {"image": "img_emb", "text": "text_emb"}


def read_release(path: Path, *, verify: bool = True) -> Release:
    """A release in any layout that is known, recognised by what lies there.

    ``verify`` compares the files with the hashes that were recorded; only our own layout records any.
    """
    if (path / "release.json").is_file():
        return read_folder(path, verify=verify)
    if (path / "metadata").is_dir():
        return _read_clip_retrieval(path)
    if path.is_file() and path.suffix == ".npz":
        return _read_npz(path)
    if path.is_file() and path.suffix == ".parquet":
        return _read_parquet(path)
    what = "there is no release here" if path.exists() else "there is no such file or folder"
    raise DataError(what, where=path, allowed=LAYOUTS)


def _read_clip_retrieval(folder: Path) -> Release:
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
    return _release(records, arrays, folder)


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
    return _float32(array, str(file))


def _read_npz(path: Path) -> Release:
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
    arrays = {name: _float32(members.pop(name), f"{path}: {name}") for name in ARRAYS if name in members}
    if not arrays:
        raise DataError("there is no embedding in it", where=path, got=", ".join(members), allowed=", ".join(ARRAYS))
    rows = len(next(iter(arrays.values())))
    for name, column in members.items():
        if column.shape != (rows,):
            raise DataError("the row counts differ", where=f"{path}: {name}", got=column.shape, allowed=f"({rows},)")
    records = pl.DataFrame(members) if members else pl.DataFrame({"record_id": [str(row) for row in range(rows)]})
    return _release(records, arrays, path)


def _read_parquet(path: Path) -> Release:
    table = read_table(path)
    arrays = {}
    for name in ARRAYS:
        if name not in table.columns:
            continue
        column = table[name]
        if not isinstance(column.dtype, (pl.List, pl.Array)):
            raise DataError(f"column {name!r} is not a list column", where=path, got=str(column.dtype))
        widths = column.list.len().unique() if isinstance(column.dtype, pl.List) else pl.Series([column.dtype.shape[0]])
        if len(widths) != 1 or not widths[0]:
            raise DataError(
                f"column {name!r} must hold lists of one length",
                where=path,
                got=widths.sort().to_list(),
                allowed="one length of 1 or more",
            )
        arrays[name] = _float32(column.explode().to_numpy().reshape(len(table), -1), f"{path}: {name}")
    return _release(table.drop(*arrays), arrays, path)


def _release(records: pl.DataFrame, arrays: dict[str, NDArray[np.float32]], path: Path) -> Release:
    """With ids as text; rows without ids are known by their number."""
    records, left_out = split_columns(records)
    if "record_id" not in records.columns:
        records = records.with_row_index("record_id")
    ids = [column for column in ID_COLUMNS if column in records.columns]
    return Release(
        records.with_columns(pl.col(ids).cast(pl.String)), arrays, {"columns_left_out": left_out}, where=str(path)
    )


def _float32(array: NDArray[np.generic], where: str) -> NDArray[np.float32]:
    if not np.issubdtype(array.dtype, np.floating):
        raise DataError("embeddings must be floating-point numbers", where=where, got=str(array.dtype))
    if array.ndim != 2:
        raise DataError("embeddings must be rows x dimensions", where=where, got=array.shape)
    with np.errstate(over="ignore"):  # a number too large for it becomes infinite, which the release refuses
        return array if array.dtype == np.float32 else array.astype(np.float32)  # type: ignore[return-value]
