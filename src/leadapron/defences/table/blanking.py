"""Who is left in too small a class gets empty values instead: all such patients look alike then."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.tables.alike import Ints, class_sizes, coded, combined

Chosen = NDArray[np.bool_]


def too_rare(records: pl.DataFrame, columns: Sequence[str], patient: Ints, k: int, *, linked: bool) -> Chosen:
    """The patients to be left empty, so that every class that remains has ``k`` patients or more.

    ``patient`` numbers the patients of the rows from 0. Without those who are left empty the classes of others may
    become too small, so that it is counted again. They are a class of their own, which must be as large: where they are
    too few, patients of the largest class join them.
    """
    rows = combined([coded(records[name]) for name in columns], len(records))
    blank = np.zeros(int(patient.max()) + 1, dtype=bool)
    while not blank.all():
        here, kept = ~blank[patient], np.flatnonzero(~blank)
        sizes = class_sizes(rows[here], patient[here], linked)
        small = kept[sizes < k]
        if not len(small):
            if not 0 < blank.sum() < k:
                break
            small = kept[sizes == sizes.max()][: k - int(blank.sum())]
        blank[small] = True
    return blank


def left_empty(records: pl.DataFrame, columns: Sequence[str], rows: Chosen) -> pl.DataFrame:
    return records.with_columns(
        pl.when(pl.Series(rows)).then(None).otherwise(pl.col(name)).alias(name) for name in columns
    )
