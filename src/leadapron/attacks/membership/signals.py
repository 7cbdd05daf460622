"""Signals: how sure every model is of every record's true label, on the scale where such numbers look Gaussian.

The signal is log p − log(1 − p) of the probability p of the true label, taken from the logits themselves. By way of the
probabilities it would be infinite from a margin of 17 on, in float32: the very records that a model has memorised.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

Array = NDArray[Any]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

PLAIN, SOFTMAX, SIGMOID = "signals", "softmax", "sigmoid"
AT_ONCE = 4_000_000
"""Numbers of a block: what is in memory at a time."""
MOST_APART = 500
"""Signals of one patient that are taken one by one; of whom there are more, the labels of a record are added up."""


@dataclass(frozen=True)
class Signals:
    """What lies in the files, unread until it is asked for: ``stored`` and ``members`` may be memory-mapped.

    ``labels`` are the classes (softmax) or 1, −1 and 0 for positive, negative and unknown (sigmoid); ``patient``
    numbers the patients from 0, and ``order`` puts the records of a patient together.
    """

    stored: Array
    members: Flags
    records: pl.DataFrame
    patient: Ints
    order: Ints
    kind: str = PLAIN
    labels: Array | None = None
    where: Path | None = None

    @property
    def models(self) -> int:
        return int(self.stored.shape[0])

    @property
    def patients(self) -> int:
        return int(self.patient.max()) + 1

    @property
    def outputs(self) -> int:
        """How many signals a record has: one, or one a label."""
        return int(self.stored.shape[2]) if self.kind == SIGMOID else 1

    def __len__(self) -> int:
        return int(self.stored.shape[1])

    def of(self, rows: Ints) -> Array:
        """Records by models. A record with several labels has the sum of theirs: the logit of all being right is not
        Gaussian, the sum is as much as they are."""
        if self.kind == PLAIN:
            return _turned(self.stored, rows)
        if self.kind == SOFTMAX:
            assert self.labels is not None
            return _softmax_signal(_turned(self.stored, rows), self.labels[rows])
        total: Array = self.by_label(rows).sum(axis=2)
        return total

    def by_label(self, rows: Ints) -> Array:
        """Records by models by labels; zero where the label is unknown."""
        if self.kind != SIGMOID:
            return self.of(rows)[:, :, None]
        assert self.labels is not None
        signal: Array = _turned(self.stored, rows) * self.labels[rows][:, None, :].astype(np.float32)
        return signal

    def apart(self, rows: Ints) -> tuple[Array, Ints]:
        """All signals of these records one below the other, by models, and the place in ``rows`` that each is of.

        Added up, a record's labels tell less: what members gain in one of them drowns in how the others scatter.
        """
        if self.kind != SIGMOID:
            return self.of(rows), np.arange(len(rows))
        assert self.labels is not None
        known, values = self.labels[rows] != 0, self.by_label(rows)
        many = np.bincount(self.patient[rows], weights=known.sum(axis=1))[self.patient[rows]] > MOST_APART
        values[many, :, 0] = values[many].sum(axis=2)
        known[many] = False
        known[:, 0] |= ~known.any(axis=1)  # a record of which nothing is known has a signal that tells nothing
        found: Array = np.swapaxes(values, 1, 2)[known]
        return found, np.nonzero(known)[0]

    def members_of(self, rows: Ints) -> Flags:
        """Records by models: whether the model was trained on the record."""
        return _turned(self.members, rows)

    def blocks(self) -> Iterator[Ints]:
        """The records, patient by patient, in blocks that hold whole patients and fit into memory."""
        size = max(1, AT_ONCE // int(np.prod(self.stored.shape) // len(self)))
        stops = np.flatnonzero(np.diff(self.patient[self.order], append=-1)) + 1
        start = 0
        while start < len(self):
            stop = int(stops[max(int(np.searchsorted(stops, start + size, side="right")) - 1, 0)])
            if stop <= start:  # a patient with more records than a block
                stop = int(stops[np.searchsorted(stops, start, side="right")])
            yield self.order[start:stop]
            start = stop


def number_patients(records: pl.DataFrame) -> tuple[Ints, Ints]:
    """Numbers in the order of first appearance, and the order that puts a patient's records together.

    Where they are together already the order is that of the file, and the file is read from front to back.
    """
    _, first, inverse = np.unique(
        records["patient_id"].cast(pl.String).to_numpy(), return_index=True, return_inverse=True
    )
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    patient = place[inverse]
    return patient, np.argsort(patient, kind="stable")


def _turned(stored: Array, rows: Ints) -> Array:
    """Some records of an array of models by records, as records by models; a run of records is read as one."""
    run = len(rows) > 0 and rows[-1] - rows[0] == len(rows) - 1 and bool((np.diff(rows) == 1).all())
    taken = stored[:, rows[0] : rows[-1] + 1] if run else stored[:, rows]
    turned: Array = np.ascontiguousarray(np.swapaxes(taken, 0, 1))
    return turned.astype(np.float32) if turned.dtype == np.float16 else turned


def _softmax_signal(logits: Array, label: Ints) -> Array:
    """The true logit minus the log of the summed exponentials of all others."""
    logits = logits.astype(np.float64)
    true = np.take_along_axis(logits, label[:, None, None], axis=2)[:, :, 0]
    np.put_along_axis(logits, label[:, None, None], -np.inf, axis=2)
    top = logits.max(axis=2)
    others = top + np.log(np.exp(logits - top[:, :, None]).sum(axis=2))
    signal: Array = true - others
    return signal
