"""What was computed of an array is kept for a while: several audits of the same images ask for the same."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

MOST = 8
"""Arrays that something is known of; the one that nobody has asked about for longest is forgotten first."""
_known: OrderedDict[str, dict[Hashable, Any]] = OrderedDict()


def content(*arrays: NDArray[Any]) -> str:
    """A hash of what arrays hold and how it is laid out."""
    together = hashlib.sha256()
    for array in arrays:
        together.update(f"{array.dtype.str} {array.shape} ".encode())
        together.update(np.ascontiguousarray(array).view(np.uint8).reshape(-1).data)
    return together.hexdigest()


def remembered(array: NDArray[Any], what: Hashable, compute: Callable[[], T]) -> T:
    """``compute()``, or what it gave when the same was asked of the same numbers before.

    ``what`` names all that the answer depends on beside the array. Nobody may change the answer.
    """
    key = content(array)
    own = _known.setdefault(key, {})
    _known.move_to_end(key)
    if what not in own:
        own[what] = compute()
    while len(_known) > MOST:
        _known.popitem(last=False)
    found: T = own[what]
    return found


def recalled(array: NDArray[Any], what: Hashable) -> Any | None:  # noqa: ANN401
    """What was remembered of the same numbers; None where nothing was."""
    return _known.get(content(array), {}).get(what)


def forget() -> None:
    """All of it; for who measures what something costs."""
    _known.clear()
