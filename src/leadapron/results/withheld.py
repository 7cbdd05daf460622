"""Counts that are not told: fewer than ten would speak of people, not of a group."""

from __future__ import annotations

FEWEST_PATIENTS = 10
FEWEST_POSITIVES = 20
"""A finding that fewer records have, or do not have, is not judged by itself and has no part in a mean: a single record
would decide its number."""


def told(count: int | None) -> int | None:
    """The count, or None for one that is withheld: fewer than ten, and not none."""
    return None if count is None or 0 < count < FEWEST_PATIENTS else count


def told_in_words(count: int) -> str:
    return f"fewer than {FEWEST_PATIENTS}" if told(count) is None else f"{count:,}"
