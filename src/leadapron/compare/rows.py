"""Estimates of an audit's results, found by what they are of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leadapron.report import Results
from leadapron.stats import Estimate


def find_row(audit: Results, **wanted: object) -> dict[str, Any] | None:
    """The first row of everybody, unless a group is asked for, that has these values; None where there is none."""
    asked = {"group": None, **wanted}
    return next((row for row in audit.estimates if all(row[key] == value for key, value in asked.items())), None)


def row_of(audit: Results, **wanted: object) -> dict[str, Any]:
    """The same where the audit is known to have it."""
    row = find_row(audit, **wanted)
    assert row is not None, wanted
    return row


def estimate_of(row: Mapping[str, Any]) -> Estimate:
    wanted = ("value", "low", "high", "sd", "n")
    return Estimate(**{key: row[key] for key in wanted}, patients=row.get("patients"))
