"""Two releases of the same records, before and after: what changed, and whether chance alone would do it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from leadapron.errors import DataError
from leadapron.stats import two_sided_p
from leadapron.utility.judge import Measured, judge
from leadapron.utility.redraws import spread
from leadapron.utility.scores import Scores, from_table
from leadapron.utility.utility import Utility


@dataclass(frozen=True)
class UtilityChange:
    """A number before and after, the difference with its 95 % interval, and the two-sided p of "no difference".

    The p-values are not adjusted for how many there are, as published.
    """

    metric: str
    label: str | None
    before: float
    after: float
    difference: float
    low: float
    high: float
    sd: float
    p: float
    n: int
    patients: int
    positives: int | None
    smallest_class: int | None


def compare_utility(before: Utility, after: Utility) -> list[UtilityChange]:
    """Every number that both have. A redraw takes the same patients on both sides, as ``before`` is configured."""
    first, second = (from_table(each.evidence["records"], "evidence") for each in (before, after))
    second = _in_the_order_of(first, second)
    with threadpool_limits(1, user_api="blas"):
        old, new = (judge(scores, before.config) for scores in _of_both(first, second))
    later = {(one.metric, one.label): one for one in new}
    return [_change(one, later[one.metric, one.label]) for one in old if (one.metric, one.label) in later]


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


def _of_both(first: Scores, second: Scores) -> tuple[Scores, Scores]:
    """Only the labels that both were judged by: means over different labels are not compared."""
    probe = [name for name in first.probe if name in second.probe]
    zero_shot = [name for name in first.zero_shot if name in second.zero_shot]
    return first.only(probe, zero_shot), second.only(probe, zero_shot)


def _change(old: Measured, new: Measured) -> UtilityChange:
    there = ~np.isnan(old.replicates) & ~np.isnan(new.replicates)
    differences = (new.replicates - old.replicates)[there]
    low, high, sd = spread(differences)
    return UtilityChange(
        metric=old.metric,
        label=old.label,
        before=old.value,
        after=new.value,
        difference=new.value - old.value,
        low=low,
        high=high,
        sd=sd,
        p=two_sided_p(new.value - old.value, differences),
        n=old.n,
        patients=old.patients,
        positives=old.positives,
        smallest_class=old.smallest_class,
    )
