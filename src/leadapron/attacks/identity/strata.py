"""What changes between two images of a patient, and how often they are still recognised: years, findings, view."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.identity.identity_task import Task
from leadapron.audits.gathering import Gathering
from leadapron.audits.groups import tellable

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

MOST_YEARS = 12
IN_TIME = ("date", "offset", "follow_up", "age")
"""The first of these that a release has tells which of two images came first."""
DEVICES = "label_support_devices"


def strata(task: Task) -> dict[str, NDArray[np.str_]]:
    """Of each same-patient pair the stratum by each criterion; "" where it is not known or does not apply."""
    records, first, second = task.gallery.records, task.first, task.second
    found: dict[str, NDArray[np.str_]] = {}
    if "age" in records.columns:
        age = records["age"].cast(pl.Float64, strict=False).to_numpy()
        years = np.abs(age[first] - age[second])
        known = np.isfinite(years) & (years < MOST_YEARS + 1)
        found["years"] = np.where(known, np.where(known, years, 0).astype(int).astype(str), "")
    if "view" in records.columns:
        view = records["view"].cast(pl.String).fill_null("").to_numpy().astype(str)
        both = (view[first] != "") & (view[second] != "")
        found["view"] = np.where(both, np.where(view[first] == view[second], "same", "changed"), "")
    if DEVICES in records.columns:
        device = _label(records, DEVICES)
        number = device[first] + device[second]
        found["devices"] = np.select([number == 0, number == 1, number == 2], ["in neither", "in one", "in both"], "")
    earlier, later = _in_time(records, first, second)
    for name in records.columns:
        if name.startswith("label_") and name != "label_no_finding":
            value = _label(records, name)
            new = (value[earlier] == 0) & (value[later] == 1)
            found[f"new_{name.removeprefix('label_')}"] = np.where(new, "appears", "")
    return found


def _label(records: pl.DataFrame, name: str) -> NDArray[np.float64]:
    return records[name].cast(pl.Float64).to_numpy()


def _in_time(records: pl.DataFrame, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The pairs with the earlier image first; where nothing tells, as they stand."""
    for name in IN_TIME:
        if name in records.columns and records[name].null_count() < len(records):
            order = records[name].rank("dense").fill_null(0).to_numpy().astype(np.int64)
            turned = order[first] > order[second]
            return np.where(turned, second, first), np.where(turned, first, second)
    return first, second


def add_strata(found: Gathering, task: Task, attacker: str, recognised: Flags, alarm: float, direction: str) -> None:
    """The true-positive rate of each stratum that may be told of; guessing is right as often as it gives alarm."""
    patient = task.gallery.patient[task.first]
    for criterion, stratum in strata(task).items():
        told = tellable(pl.Series(criterion, stratum).replace("", None), patient)
        for kind in sorted(told.drop_nulls().unique()):
            rows = np.flatnonzero(stratum == kind)
            estimate = found.means(recognised[rows][:, None].astype(np.float64), patient[rows])[0]
            at: dict[str, Any] = {"direction": direction, "protocol": "all-pairs", "pool": len(task.gallery)}
            found.add("tpr", estimate, attacker=attacker, chance=alarm, group=f"{criterion}={kind}", **at)
