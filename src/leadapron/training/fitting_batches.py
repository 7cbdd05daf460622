"""Batches that fit the memory of a device: one that does not is halved, and so are all after it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.parallel import ahead
from leadapron.errors import ConfigError


def in_batches(function: Callable[[Any], NDArray[Any]], rows: Sequence[Any] | NDArray[Any], size: int) -> NDArray[Any]:
    """``function(rows)`` a batch of at most ``size`` at a time; the next batch is read while one is computed.

    For what makes of each row the same whatever stands beside it: a network that runs, and none that learns.
    """
    made, fits = [], size
    for batch in ahead(_read(rows[start : start + size]) for start in range(0, len(rows), size)):
        while len(batch):
            some = batch[:fits]
            part = _unless_memory_runs_out(function, some)
            if part is not None:
                made.append(part)
                batch = batch[fits:]
            elif len(some) > 1:
                fits = len(some) // 2
            else:
                raise ConfigError(
                    "the memory of the device is too small for the network and one row",
                    where="--device",
                    fix="Use --device cpu, or a device that nothing else runs on.",
                )
    return np.concatenate(made)


def _read(batch: Any) -> Any:  # noqa: ANN401 (texts, or rows of an array)
    """From disk, where they lie there."""
    return np.array(batch) if isinstance(batch, np.ndarray) else batch


def _unless_memory_runs_out(function: Callable[[Any], NDArray[Any]], rows: Any) -> NDArray[Any] | None:  # noqa: ANN401
    """None if it did. What the attempt held is free once this has returned: it hung on the error."""
    try:
        return function(rows)
    except RuntimeError as error:
        if "out of memory" not in str(error).lower():
            raise
    if (torch := sys.modules.get("torch")) is not None and torch.cuda.is_available():
        torch.cuda.empty_cache()
    return None
