"""What may be said of the numbers of a federation audit."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.attacks.federation.federation_attack import ANYWHERE, OWN
from leadapron.attacks.membership.membership_roc import cut_at, place
from leadapron.audits.measure import Coordinate, Measure
from leadapron.results import Findings, Measured

ALL = "all"
EVIDENCE = "suspicions"
MARKED = "tpr@fpr="
COORDINATES = {
    "hospitals": Coordinate(
        "Hospitals",
        {
            ALL: {"kind": "all hospitals", "half": "record"},
            "image": {"kind": "hospitals with radiographs alone", "half": "radiograph"},
            "text": {"kind": "hospitals with reports alone", "half": "report"},
            "both": {"kind": "hospitals with both", "half": "record"},
        },
    ),
    "asked": Coordinate(
        "Asked",
        {
            OWN: {"where": "at their hospital", "who": "a patient of a hospital"},
            ANYWHERE: {"where": "at any hospital", "who": "a patient of the federation"},
        },
    ),
}


def rows_at(found: Findings, row: Measured) -> pl.DataFrame | None:
    """The evidence that a number was counted from."""
    table = found.evidence(EVIDENCE)
    if table is None or row.group:
        return None
    own = table.filter(attacker=row.attacker, asked=row.at.get("asked", OWN))
    return own if row.hospitals == ALL else own.filter(hospitals=row.hospitals)


def recognised_members(found: Findings, row: Measured) -> pl.DataFrame | None:
    """Of every member whether the suspicion is above what so few outsiders exceed."""
    table = rows_at(found, row)
    if table is None:
        return None
    outsiders = np.sort(table.filter(~pl.col("member"))["suspicion"].to_numpy())
    cut = cut_at(outsiders, float(row.metric.removeprefix(MARKED)))
    members = table.filter("member")
    return members.select("patient_id", record_id="patient_id", value=(pl.col("suspicion") > cut).cast(pl.Float64))


def members_and_outsiders(found: Findings, row: Measured) -> pl.DataFrame | None:
    """What each patient adds to an AUC, which is the mean of it: the scatter of either side is in a difference."""
    table = rows_at(found, row)
    if table is None:
        return None
    member, values = table["member"].to_numpy(), table["suspicion"].to_numpy()
    into, out = np.sort(values[member]), np.sort(values[~member])
    stands = np.where(member, place(out, values), 1 - place(into, values))
    by_patient = table.with_columns(stands=pl.Series(stands)).group_by("patient_id", "member", maintain_order=True)
    units = by_patient.agg(pl.col("stands").mean())
    auc = float(stands[member].mean())
    sides = units["member"].to_numpy()
    weight = len(sides) / np.where(sides, sides.sum(), (~sides).sum())
    value = pl.Series(auc + weight * (units["stands"].to_numpy() - auc))
    return units.select("patient_id", record_id="patient_id", value=value)


def rightly_placed(found: Findings, row: Measured) -> pl.DataFrame | None:
    """Of every member whether the own hospital is the most suspected one."""
    table = rows_at(found, row)
    if table is None:
        return None
    return table.filter("member").select("patient_id", record_id="patient_id", value="right")


MEASURES = (
    Measure(
        "auc",
        "Membership AUC, {where}",
        "{who} is told from somebody who was at none",
        "patients",
        scale="auc",
        per_unit=members_and_outsiders,
    ),
    Measure(
        "tpr@fpr",
        "Recognised {where}, at {of_percent} false alarms",
        "membership {where} is recognised at {of_percent} false alarms",
        "patients of hospitals",
        per_unit=recognised_members,
    ),
    Measure(
        "source",
        "Right hospital named",
        "the right one of the {kind} is named",
        "patients of hospitals",
        per_unit=rightly_placed,
    ),
    Measure(
        "partner",
        "Partner worked out",
        "the public partner of the {half} in a round is worked out",
        "records in a round",
    ),
    Measure(
        "alone",
        "Alone on a public partner",
        "no other record of the hospital has the same public partner in the round",
        "records in a round",
    ),
    Measure(
        "sharing",
        "Records per public partner",
        "records of a hospital that share a public partner in a round",
        "records in a round",
        scale="plain",
        higher_is="better",
    ),
    Measure(
        "changing",
        "Different partners of a record",
        "public partners that a record has over all rounds",
        "records in a round",
        scale="plain",
    ),
)
