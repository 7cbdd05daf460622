"""Embeddings and columns from what people hold in memory: NumPy, torch, Polars or pandas objects, or plain lists.

Neither torch nor pandas is imported: what an object can do tells what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.errors import DataError


def as_rows(values: object, where: str) -> NDArray[np.float32]:
    """Embeddings as float32, one row per record; a copy, so that nobody changes them later."""
    if isinstance(values, pl.Series) and isinstance(values.dtype, (pl.List, pl.Array)):
        return list_rows(values, where)
    try:
        array = np.asarray(_numpy(values))
        if array.dtype == object:  # rows that are objects of their own
            array = np.array(array.tolist())
    except (ValueError, TypeError) as error:
        raise DataError(f"these are not rows of numbers ({error})", where=where) from error
    return as_float32(array, where, copy=True)


def list_rows(column: pl.Series, where: str) -> NDArray[np.float32]:
    """The lists of a column, which must all have one length."""
    kind = column.dtype
    widths = pl.Series([kind.shape[0]]) if isinstance(kind, pl.Array) else column.list.len().unique()
    if len(widths) != 1 or not widths[0]:
        raise DataError(
            f"column {column.name!r} must hold lists of one length",
            where=where,
            got=widths.sort().to_list(),
            allowed="one length of 1 or more",
        )
    return as_float32(column.explode().to_numpy().reshape(len(column), -1), f"{where}: {column.name}")


def as_float32(array: NDArray[Any], where: str, *, copy: bool = False) -> NDArray[np.float32]:
    """Rows of floating-point numbers in single precision."""
    check_floating(array, where)
    return single_precision(array, copy=copy)


def check_floating(array: NDArray[Any], where: str) -> None:
    if not np.issubdtype(array.dtype, np.floating):
        raise DataError("embeddings must be floating-point numbers", where=where, got=str(array.dtype))
    if array.ndim != 2:
        raise DataError("embeddings must be rows x dimensions", where=where, got=array.shape)


def single_precision(array: NDArray[Any], *, copy: bool = False) -> NDArray[np.float32]:
    """A number too large for it becomes infinite, which the release refuses."""
    with np.errstate(over="ignore"):
        return array.astype(np.float32, copy=copy)


def as_column(name: str, values: object, where: str) -> pl.Series:
    """One value per record; what pandas and NumPy mark as missing is null."""
    plain = _numpy(values)
    if hasattr(values, "isna"):  # pandas has several ways to say that a value is missing
        plain = [None if missing else value for value, missing in zip(plain, values.isna(), strict=True)]
    elif isinstance(plain, np.ndarray) and plain.dtype == object:
        plain = plain.tolist()
    try:
        column = values.alias(name) if isinstance(values, pl.Series) else pl.Series(name, plain)
    except (TypeError, ValueError, pl.exceptions.PolarsError):
        column = None
    if column is None or column.dtype.is_nested() or column.dtype == pl.Object or isinstance(values, str | bytes):
        raise DataError(
            f"column {name!r} cannot be read",
            where=where,
            got=type(values).__name__,
            allowed="one value per record, all of one kind",
        )
    return column.fill_nan(None) if column.dtype.is_float() else column


def check_rows(counts: Mapping[str, int], where: str) -> None:
    """All that is given has the same number of rows."""
    if len(set(counts.values())) > 1:
        got = ", ".join(f"{name} {rows}" for name, rows in counts.items())
        raise DataError("the row counts differ", where=where, got=got, allowed="one row per record everywhere")


def _numpy(values: Any) -> Any:  # noqa: ANN401 (whatever the user has)
    """A tensor, wherever it lies and whatever it is derived from, or a column, as an array; all else as it is."""
    if hasattr(values, "detach"):
        tensor = values.detach().cpu()
        try:
            return tensor.numpy()
        except TypeError:  # NumPy has no bfloat16
            return tensor.float().numpy()
    if hasattr(values, "to_numpy"):
        return values.to_numpy()
    return [_numpy(row) for row in values] if isinstance(values, list | tuple) else values
