"""What no schema can say: numbers of a results file that contradict each other."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from leadapron.engine.file_ids import id_of_files

SLACK = 1e-9
"""Of a mean that was rounded in another order than its interval."""


def find_contradiction(content: Mapping[str, Any]) -> tuple[str, str] | None:
    """The first place at which the results contradict themselves, and how; None where they do not."""
    for at, row in enumerate(content["estimates"]):
        if what := _of_estimate(row, content["attack"]):
            return f"$.estimates[{at}]", what
    spot = content["headline"]
    if content["estimates"] and not any(_is_at(row, spot) for row in content["estimates"]):
        return "$.headline", "is not among the estimates"
    return _of_subject(content["inputs"])


def no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """For ``json.loads``: of two entries with one key Python keeps the last, other readers the first."""
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return content


def _of_estimate(row: Mapping[str, Any], attack: str) -> str | None:
    if row["attack"] != attack:
        return f"an estimate of {row['attack']!r} in an audit of {attack!r}"
    value, low, high, chance = (float(row[key]) for key in ("value", "low", "high", "chance"))
    if chance <= 0:
        return f"the chance level must be above zero, not {chance}"
    if not low - SLACK <= value <= high + SLACK:
        return f"the value {value} is not within its interval, {low} to {high}"
    if not math.isclose(row["enrichment"], value / chance, rel_tol=1e-6, abs_tol=SLACK):
        return f"an enrichment of {row['enrichment']} is not {value} over {chance}"
    return None


def _is_at(row: Mapping[str, Any], spot: Mapping[str, Any]) -> bool:
    return row["group"] is None and all(row[key] == value for key, value in spot.items())


def _of_subject(inputs: Mapping[str, Any]) -> tuple[str, str] | None:
    """Results of versions that named no subject are still read, and not judged."""
    subject, hashes = inputs.get("subject"), inputs["sha256"]
    if subject is None:
        return None
    if not hashes:
        return "$.inputs.sha256", "names no file that was audited"
    if subject["id"] != id_of_files(hashes):
        return "$.inputs.subject.id", "is not that of the files named beside it"
    return None
