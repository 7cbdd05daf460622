"""What training needs beyond the core: imported when it is used, missed in words."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from leadapron.errors import MissingExtraError

Tensor = Any
"""A torch tensor: torch is not imported where types are read."""


def need(name: str, purpose: str) -> ModuleType:
    """A module of the extra ``train``, or an error that says how to get it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        package = {"dp_accounting": "dp-accounting"}.get(name.partition(".")[0], name.partition(".")[0])
        raise MissingExtraError(package, "train", purpose=purpose) from error


@contextmanager
def one_thread() -> Iterator[None]:
    """torch on one thread, and as before afterwards.

    The matrices of a head are small: at the sizes met here a second thread costs more in waiting than it brings, and
    sums that are split over threads would make the result depend on the machine.
    """
    torch = need("torch", "training heads")
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
