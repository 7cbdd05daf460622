"""The key of a study: all that decides its models, as plain data, and where two keys differ."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping


def as_read_back(key: Mapping[str, object]) -> dict[str, object]:
    """The key as it comes out of a file: tuples are lists then. What a file cannot hold is an error here."""
    plain: dict[str, object] = json.loads(json.dumps(key, allow_nan=False))
    return plain


def fingerprint_of(key: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()


def first_difference(there: object, wanted: object, name: str = "") -> tuple[str, object, object] | None:
    """The first key whose values differ, with both of them; keys within keys are joined by a dot."""
    if isinstance(there, Mapping) and isinstance(wanted, Mapping):
        for key in [*wanted, *(key for key in there if key not in wanted)]:
            inner = f"{name}.{key}" if name else str(key)
            if found := first_difference(there.get(key), wanted.get(key), inner):
                return found
        return None
    return None if there == wanted else (name, there, wanted)
