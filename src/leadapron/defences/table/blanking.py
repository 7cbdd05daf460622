"""Who is left in too small a class gets empty values instead: all such patients look alike then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.tables.alike import Coded

Chosen = NDArray[np.bool_]


def too_rare(records: pl.DataFrame, columns: Sequence[str], patient: str | None, k: int, *, linked: bool) -> Chosen:
    """The rows of the patients to be left empty, so that every class that remains has ``k`` patients or more.

    Without them the classes of others may become too small, so that it is counted again; and they are a class of their
    own, which must be as large.
    """
    table = Coded.of(records, columns, patient)
    blank = np.zeros(len(table.patients), dtype=bool)
    while not blank.all():
        rest = records.filter(~blank[table.patient])
        kept = np.flatnonzero(~blank)
        sizes = Coded.of(rest, columns, patient).classes(linked=linked)
        small = kept[sizes < k]
        if not len(small):
            if not 0 < blank.sum() < k:
                break
            small = kept[sizes == sizes.min()]
        blank[small] = True
    return blank[table.patient]


def left_empty(records: pl.DataFrame, columns: Sequence[str], rows: Chosen) -> pl.DataFrame:
    return records.with_columns(
        pl.when(pl.Series(rows)).then(None).otherwise(pl.col(name)).alias(name) for name in columns
    )
