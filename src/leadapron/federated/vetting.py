"""Answers that must not be counted: numbers that are not finite, other shapes, other names, an absurd length."""

from __future__ import annotations

import math

import numpy as np

from leadapron.federated.methods.method import Answer, Method
from leadapron.federated.station import Array, Arrays


def refused(answer: Answer, sent: Arrays, method: Method, records: int, largest: float) -> str | None:
    """Why an answer is left out; None where it counts.

    ``records`` are those that the hospital was dealt: by them it is weighted. ``largest`` is in multiples of the length
    of what was sent. Features are measured from zero, weights from those that were sent.
    """
    if not answer.arrays:
        return "it sent nothing"
    if answer.records != records:
        return f"it says that it has {answer.records} records, and {records} were dealt to it"
    if answer.loss is not None and not math.isfinite(answer.loss):
        return f"its loss is {answer.loss}"
    moved = 0.0
    for name, array in answer.arrays.items():
        before = sent.get(name)
        if before is None:
            return f"it sent an array {name!r} that was not asked for"
        if array.shape != before.shape:
            return f"{name!r} is of shape {array.shape}, and {before.shape} was sent"
        if array.dtype != before.dtype:
            return f"{name!r} is of type {array.dtype}, and {before.dtype} was sent"
        if not np.isfinite(array).all():
            return f"{name!r} holds a value that is not finite"
        moved += _squares(array) if method.sends_features else _squares(array, before)
    allowed = largest * math.sqrt(sum(map(_squares, sent.values())))
    if math.sqrt(moved) > allowed:
        times = math.sqrt(moved) / allowed * largest if allowed else math.inf
        return f"its update is {times:.3g} times as long as what was sent, more than {largest:g}"
    return None


def _squares(array: Array, origin: Array | float = 0.0) -> float:
    """The squared length; a counter of batches has none."""
    if not np.issubdtype(array.dtype, np.floating):
        return 0.0
    return float(np.square(array.astype(np.float64) - origin).sum())
