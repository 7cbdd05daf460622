"""What may be said of the numbers of a membership audit."""

from __future__ import annotations

import polars as pl

from leadapron.audits.measure import Coordinate, Measure
from leadapron.results import Findings, Measured

DIRECTION = "model-to-record"
AGGREGATE, RECORD, PATIENT = "aggregate", "record", "patient"
"""What a number is of: attacks on several models, single records, or patients with all of theirs."""
SCORES = ("joint", "calibrated", "maximum")
"""Of patients, in the order in which they are shown."""

MARKED, TOP = "tpr@fpr=", "auc@top="
ABOVE = 0.9
EXPOSED = f"true-patients-above={ABOVE:g}"
"""The share of the patients whose true AUC is above: they count as exposed."""

PLAIN = {
    "lira": "one who asks whether an answer is likelier from models with the record or without it",
    "lira-per-label": "one who asks, label by label, whether an answer is likelier from models with the record or "
    "without it",
    "lira-sum": "one who adds up the labels and asks whether the sum is likelier from models with the record or "
    "without it",
    "lira-offline": "one who asks how far an answer is above those of models without the record",
    "rmia": "one who asks whether a model is surer than others are, and more so than on other records",
    "rmia-offline": "one who asks whether a model is surer than models without the record, and more so than on other "
    "records",
    "bi-normal": "the AUC of a record, if signals are Gaussian",
    "mann-whitney": "the AUC of a record by ranks",
    "joint": "one who attacks all records of a patient together",
    "calibrated": "the highest AUC of a patient's records, without what chance adds to a highest of so many",
    "maximum": "the highest AUC of a patient's records, as published; it grows with their number by chance alone",
}
"""What each attacker does, or what a score is."""

TOLD_FROM = "is told from one that was not"
DIRECTIONS = Coordinate("Direction", {DIRECTION: {}})
COORDINATES = {
    "direction": DIRECTIONS,
    "protocol": Coordinate(
        "Level",
        {
            AGGREGATE: {
                "level": "attack on models",
                "units": "records of members",
                "told": "a record of a member is told from one of somebody else",
            },
            RECORD: {
                "level": "record",
                "units": "records",
                "told": f"a model that was trained on a record {TOLD_FROM}",
            },
            PATIENT: {
                "level": "patient",
                "units": "patients",
                "told": f"a model that was trained on a patient {TOLD_FROM}",
            },
        },
    ),
    "pool": Coordinate("Models"),
}
PLACE = "{level}, {pool:,} models"


def of_patients(found: Findings, row: Measured) -> pl.DataFrame | None:
    """The AUC of each patient by the joint attack: what few exceed, or how many exceed it, is nobody's own."""
    table = found.evidence("patients")
    if table is None or not row.has(protocol=PATIENT, attacker="joint", group=None):
        return None
    return table.select("patient_id", record_id="patient_id", value="auc_joint")


RECOGNISED = Measure(
    "tpr@fpr",
    "Recognised at {of_percent} false alarms",
    "membership is recognised at {of_percent} false alarms",
    "{units}",
)
IN_TAIL = Measure("in-tail", "In the tail", "the record is among the most exposed", "records")

MEASURES = (
    Measure("auc", "AUC", "{told}", "{units}", scale="auc", per_unit=of_patients),
    RECOGNISED,
    Measure(
        "auc@top",
        "AUC that {of_percent} of the patients reach",
        "for the most exposed {of_percent} of the patients, the attacker picks the model that learnt from them, "
        "and not one that did not, at least",
        "patients",
        for_board="of two models, only one trained with the patient, an attacker picks that one at least {found} times "
        "in {size}, for the most exposed {of_percent} of patients; luck alone reaches {guessed}",
        scale="auc",
    ),
    Measure("patients-above", "Patients above AUC {of}", "the AUC is above {of}", "patients"),
    Measure(
        "true-patients-above",
        "Patients above AUC {of}, without scatter",
        "the true AUC, without the scatter of estimates, is above {of}",
        "patients",
        for_board="{found} of {size} patients are given away: of two models, one trained with the patient and one "
        "without, an attacker tells them apart in more than {of_percent} of tries",
    ),
    IN_TAIL,
)
