"""What the core does without: packages that are imported when used and missed in words, and torch's threads."""

from __future__ import annotations

import importlib
import pickle
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from safetensors import SafetensorError

from leadapron.errors import MissingExtraError

Tensor = Any
"""A torch tensor: torch is not imported where types are read."""
UNREADABLE = (
    KeyError,
    EOFError,
    OSError,
    RuntimeError,
    TypeError,
    ValueError,
    pickle.UnpicklingError,
    SafetensorError,
)
"""What torch and safetensors raise on a file of weights that is not there, cut short or something else."""


def need(name: str, purpose: str, extra: str = "train") -> ModuleType:
    """A module of an extra, or an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise MissingExtraError(name.partition(".")[0].replace("_", "-"), extra, purpose=purpose) from error


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """torch on so many threads, and as before afterwards.

    One is right for small matrices: a second thread costs more in waiting than it brings, and sums that are split over
    threads make the result depend on the machine.
    """
    torch = need("torch", "training")
    before = torch.get_num_threads()
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
