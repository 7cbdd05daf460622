"""Which columns single out whom: each alone, in pairs, one after the other, and what a change of one would do."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from leadapron.tables.alike import Coded
from leadapron.tables.least_coarsening import Coarsening, Plan, Step

MOST_PAIRS = 500
"""Of more pairs only those with one of the most telling columns are counted, and the page says so."""


def alone_by(table: Coded, columns: Sequence[str], *, linked: bool) -> int:
    """How many patients these columns single out."""
    return int((table.classes(columns, linked=linked) == 1).sum())


def by_columns(table: Coded, columns: Sequence[str], *, linked: bool) -> dict[str, Any]:
    """Counts of patients who stand alone, for the page."""
    singles = sorted(((alone_by(table, [name], linked=linked), name) for name in columns), reverse=True)
    order = [name for _, name in singles]
    every = list(itertools.combinations(order, 2))
    pairs = sorted(((alone_by(table, pair, linked=linked), *pair) for pair in every[:MOST_PAIRS]), reverse=True)
    return {
        "singles": [{"column": name, "alone": count} for count, name in singles],
        "pairs": [{"columns": names, "alone": count} for count, *names in pairs],
        "pairs_left_out": max(0, len(every) - MOST_PAIRS),
        "added": _one_after_another(table, order, linked=linked),
    }


def _one_after_another(table: Coded, columns: Sequence[str], *, linked: bool) -> list[dict[str, Any]]:
    """Beginning with the most telling, always the column that singles out most together with those before."""
    taken: list[str] = []
    found = []
    while len(taken) < len(columns):
        left = [name for name in columns if name not in taken]
        counts = {name: alone_by(table, [*taken, name], linked=linked) for name in left}
        best = max(left, key=lambda name: counts[name])
        taken.append(best)
        found.append({"column": best, "alone": counts[best]})
        if counts[best] == len(table.patients):
            break
    return found


def advice(coarsening: Coarsening, left: float) -> dict[str, Any]:
    """What each change would do alone, and the least that reaches the goal."""
    plan = coarsening.least(left)
    patients = len(coarsening.table.patients)
    return {
        "k": coarsening.k,
        "left": left,
        "reached": plan.small <= left,
        "exact": plan.exact,
        "changes": [_told(step, patients) for step in coarsening.single_changes()],
        "steps": [_told(step, patients) for step in plan.steps],
        "kept": kept_as_is(plan),
    }


def kept_as_is(plan: Plan) -> list[str]:
    return [name for name, rung in plan.rungs.items() if not rung]


def _told(step: Step, patients: int) -> dict[str, Any]:
    return {
        "column": step.column,
        "form": step.form,
        "alone": round(step.alone * patients),
        "small": round(step.small * patients),
    }
