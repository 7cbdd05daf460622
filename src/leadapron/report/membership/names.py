"""What counts, measures and levels of a membership audit are called."""

from __future__ import annotations

from leadapron.report.membership.numbers import MARKED, TOP
from leadapron.report.numerals import round_percent

METRIC_NAMES = {"auc": "AUC", "in-tail": "In the tail"}
PROTOCOLS = {"aggregate": "attack on models", "record": "record", "patient": "patient"}
COUNT_NAMES = {
    "models": "models",
    "targets": "of them attacked",
    "references": "of them references",
    "records": "records",
    "patients": "patients",
    "patients_with_several": "patients with several records",
    "labels": "labels of a record",
    "records_in_tail": "records in the tail",
    "records_not_gaussian": "records not Gaussian",
    "patients_beyond_chance": "patients surely beyond chance",
    "records_of_members": "records of members",
    "patients_members": "patients who are members",
    "patients_accused": "patients called members",
    "patients_exposed": "of them rightly",
}


def metric_name(metric: str) -> str:
    name, _, number = metric.partition("=")
    if metric.startswith(MARKED):
        return f"Recognised at {round_percent(float(number))} false alarms"
    if metric.startswith(TOP):
        return f"AUC that {round_percent(float(number))} of the patients reach"
    if name == "precision@fpr":
        return f"Right of those called members, at {round_percent(float(number))} false alarms"
    if name == "patients-above":
        return f"Patients above AUC {number}"
    if name == "true-patients-above":
        return f"Patients above AUC {number}, without scatter"
    return METRIC_NAMES.get(metric, metric)
