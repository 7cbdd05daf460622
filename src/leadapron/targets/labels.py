"""What the targets learn: the findings that can be learnt from the audited records, unknown where not said."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.errors import DataError

AUDITED = "train"
"""The split whose patients are dealt to the models; those of the others are held out from all."""


@dataclass(frozen=True)
class TargetLabels:
    """A column a label: 1 positive, -1 negative, 0 unknown. ``names`` are those of the columns, ``label_*``."""

    names: tuple[str, ...]
    truth: NDArray[np.int8]


def target_labels(records: pl.DataFrame, audited: NDArray[np.bool_], where: str) -> TargetLabels:
    """The columns ``label_*`` with both classes among the audited records, of all records.

    1 is positive and 0 negative; everything else, uncertain (-1) or missing, is unknown and teaches nothing.
    """
    columns = [name for name in records.columns if name.startswith("label_")]
    values = records.select(pl.col(columns).cast(pl.Float64, strict=False)).to_numpy() if columns else np.empty((0, 0))
    truth = np.where(values == 1, 1, np.where(values == 0, -1, 0)).astype(np.int8)
    known = [at for at in range(len(columns)) if {1, -1} <= set(truth[audited, at].tolist())]
    if not known:
        raise DataError(
            "no label can be learnt: none has positive and negative audited records",
            where=where,
            got=", ".join(columns) or "no column label_*",
            allowed="columns label_<finding> with 1, 0 or null",
        )
    return TargetLabels(tuple(columns[at] for at in known), np.ascontiguousarray(truth[:, known]))
