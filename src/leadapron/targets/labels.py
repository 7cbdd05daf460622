"""What the targets learn: the findings that can be learnt from the audited records, unknown where not said."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort.truth import Labels, labels_of
from leadapron.errors import DataError

AUDITED = "train"
"""The split whose patients are dealt to the models; those of the others are held out from all."""


def target_labels(records: pl.DataFrame, audited: NDArray[np.bool_], where: str) -> Labels:
    """Those with both classes among the audited records, of all records; what is unknown teaches nothing."""
    labels = labels_of(records, where)
    learnt = np.flatnonzero(labels.rows(audited).both_classes())
    if not len(learnt):
        raise DataError(
            "no label can be learnt: none has positive and negative audited records",
            where=where,
            got=", ".join(labels.column_names) or "no column label_*",
            allowed="columns label_<finding> with 1, 0 or null",
        )
    return labels.columns(learnt)
