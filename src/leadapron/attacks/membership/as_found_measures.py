"""What may be said of the numbers of an attack on one model as it is found."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.attacks.membership.membership_measures import (
    AGGREGATE,
    DIRECTIONS,
    IN_TAIL,
    PATIENT,
    RECOGNISED,
    RECORD,
)
from leadapron.attacks.membership.membership_roc import place
from leadapron.audits.measure import Coordinate, Measure
from leadapron.results import Findings, Measured

PLAIN = {
    "rmia-offline": "one who asks whether the model is surer than others, and more so than on other records",
    "rmia-500": "one who asks whether the model is surer than others, and more so than on 500 random records",
    "target-alone": "one who looks at how sure the model is and at nothing else",
    "joint": "one who adds up what all records of a patient tell",
    "calibrated": "one who takes a patient's most suspicious record, their number allowed for",
    "maximum": "one who takes a patient's most suspicious record, as published",
}
"""What each attacker does."""

SCORE_COLUMNS = {
    AGGREGATE: ("records", {"rmia-offline": "score", "rmia-500": "score_500", "target-alone": "log_p_target"}),
    PATIENT: ("patients", {"joint": "score", "calibrated": "calibrated", "maximum": "maximum"}),
}
"""The evidence of each level, and the column of each attacker's scores."""

COORDINATES = {
    "direction": DIRECTIONS,
    "protocol": Coordinate(
        "Level",
        {
            AGGREGATE: {
                "level": "record",
                "units": "records of members",
                "told": "a record of a member is told from one of somebody else",
            },
            RECORD: {
                "level": "record of a member",
                "units": "records of members",
                "told": "a record of a member is told from one of somebody else",
            },
            PATIENT: {
                "level": "patient",
                "units": "patients who are members",
                "told": "a patient who is a member is told from one who is not",
            },
        },
    ),
    "pool": Coordinate("Models"),
}
PLACE = "{level}, {pool:,} models"


def of_members_and_others(found: Findings, row: Measured) -> pl.DataFrame | None:
    """What each record or patient adds to an AUC, which is the mean of it.

    A member adds the share of the others that it stands above, somebody else the share of the members below which they
    stand; either side counts as much as the other. So the scatter of both is in a difference of two audits.
    """
    name, columns = SCORE_COLUMNS.get(row.protocol, ("", {}))
    table = found.evidence(name) if row.attacker in columns else None
    if table is None or "member" not in table.columns:
        return None
    scores, member = table[columns[row.attacker]].to_numpy(), table["member"].to_numpy()
    into, out = np.sort(scores[member]), np.sort(scores[~member])
    stands = np.where(member, place(out, scores), 1 - place(into, scores))
    auc = float(stands[member].mean())
    weight = len(member) / np.where(member, len(into), len(out))
    value = pl.Series(auc + weight * (stands - auc))
    unit = "record_id" if "record_id" in table.columns else "patient_id"
    return table.select("patient_id", record_id=pl.col(unit), value=value)


MEASURES = (
    Measure("auc", "AUC", "{told}", "{units}", scale="auc", per_unit=of_members_and_others),
    RECOGNISED,
    Measure(
        "precision@fpr",
        "Right among those called members, at {of_percent} false alarms",
        "the call is right",
        "patients called members at {of_percent} false alarms",
    ),
    IN_TAIL,
)
