"""Two releases of the same records, before and after: what changed, and whether chance alone would do it.

A redraw takes the same patients on both sides. The p-values are not adjusted for how many there are, as published.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from threadpoolctl import threadpool_limits

from leadapron.errors import DataError
from leadapron.results import Findings, Measured
from leadapron.results.evidence import Evidence
from leadapron.stats import FAR, PairedDifference, joined, two_sided_p
from leadapron.uses.auroc import spread
from leadapron.uses.finding_scores import Judged, Redrawing, Scores, from_table, interval_of, judge

Labels = tuple[str, ...]


def paired_use(before: Findings, after: Findings, row: Measured) -> PairedDifference | None:
    """The difference of the number in this row, over redraws as ``before`` was redrawn.

    None where the evidence is not kept, or the two have no such number in common.
    """
    how = Redrawing(**before.details["redrawn"])
    return _differences(before.tables, after.tables, how).get((row.metric, row.at.get("label")))


@lru_cache(maxsize=4)
def _differences(before: Evidence, after: Evidence, how: Redrawing) -> dict[tuple[str, object], PairedDifference]:
    """Every number that both have, so that all measures of a comparison are one computation.

    Only labels count that both were judged by: means over different labels are not compared.
    """
    first, second = _scores(before), _scores(after)
    if first is None or second is None:
        return {}
    second = _in_the_order_of(first, second)
    labels = [
        tuple(name for name in one if name in other)
        for one, other in ((first.probe, second.probe), (first.zero_shot, second.zero_shot))
    ]
    with threadpool_limits(1, user_api="blas"):
        new = judge(second.only(*labels), how)
        later = {(one.metric, one.label): one for one in new}
        both = [(one, later.get((one.metric, one.label))) for one in _judged_before(before, *labels, how)]
    return {(old.metric, old.label): _difference(old, new) for old, new in both if new is not None}


@lru_cache(maxsize=4)
def _scores(evidence: Evidence) -> Scores | None:
    table = evidence.table("records")
    return None if table is None else from_table(table, "evidence")


@lru_cache(maxsize=4)
def _judged_before(before: Evidence, probe: Labels, zero_shot: Labels, how: Redrawing) -> list[Judged]:
    """Once for all releases that are compared with it, which have the same labels as a rule."""
    scores = _scores(before)
    assert scores is not None
    return judge(scores.only(probe, zero_shot), how)


def _in_the_order_of(first: Scores, second: Scores) -> Scores:
    """The second's rows as the first's stand; an error where they are not of the same records, patients and truth."""
    order, places = np.argsort(first.record_id), np.argsort(second.record_id)
    if not np.array_equal(first.record_id[order], second.record_id[places]):
        raise DataError(
            "the two measurements are not of the same test records",
            got=f"{len(first.record_id):,} and {len(second.record_id):,} records",
            fix="Compare releases that were made from the same records.",
        )
    moved = np.empty_like(order)
    moved[order] = places
    aligned = second.rows(moved)
    if not np.array_equal(first.patient_id, aligned.patient_id):
        raise DataError("the two measurements name different patients for the same records")
    if first.labels.names != aligned.labels.names or not np.array_equal(first.labels.truth, aligned.labels.truth):
        raise DataError("the two measurements have different labels for the same records")
    return aligned


def _from_always_to_never(old: Judged, new: Judged) -> tuple[float, float]:
    """Redraws of such a change are all alike; the limits of both sides tell how certain it is (MOVER)."""
    (old_low, old_high, _), (new_low, new_high, _) = interval_of(old), interval_of(new)
    change = new.value - old.value
    below, above = joined(new.value - new_low, old_high - old.value), joined(new_high - new.value, old.value - old_low)
    return max(change - below, -1.0), min(change + above, 1.0)


def _difference(old: Judged, new: Judged) -> PairedDifference:
    there = ~np.isnan(old.replicates) & ~np.isnan(new.replicates)
    differences = (new.replicates - old.replicates)[there]
    low, high, sd = spread(differences)
    if low == high != 0:
        low, high = _from_always_to_never(old, new)
        sd = (high - low) / (2 * FAR)
    return PairedDifference(
        before=old.value,
        after=new.value,
        difference=new.value - old.value,
        low=low,
        high=high,
        sd=sd,
        p=two_sided_p(new.value - old.value, differences),
        n=old.n,
        clusters=old.patients,
    )
