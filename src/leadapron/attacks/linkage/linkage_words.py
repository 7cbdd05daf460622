"""Linkage in sentences: what the verdict means for patients."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.attacks.linkage.linkage_measures import PATIENT_METRICS
from leadapron.attacks.open_world import METRIC
from leadapron.attacks.open_world_words import before_sentences
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.wording import named, place_of, sentence
from leadapron.pages.numerals import percent, round_percent
from leadapron.results import Measured, Results
from leadapron.results.selection import counted_as, few, first, headline, select
from leadapron.results.withheld import told

COUNT_NAMES = {
    "records": "radiographs",
    "patients": "patients",
    "reports": "reports",
    "distinct_reports": "distinct reports",
}


UNNAMED = (
    "The release does not name its patients, so every radiograph counts as one; a patient who has several is linked "
    "more often than that."
)


def at_patient_level(results: Results) -> list[Measured]:
    """What was measured for whole patients with the headline's attacker, whatever the pool; none if none is named."""
    if not results.patients_named:
        return []
    spot = {"direction": results.spot.direction, "attacker": results.spot.attacker}
    return [row for metric in PATIENT_METRICS for row in select(results, **spot, metric=metric, protocol="random")]


def patient_sentences(results: Results) -> list[str]:
    """What the headline means for patients, where it was measured; or that nobody knows whose the radiographs are."""
    spot = results.spot
    sentences = [] if results.patients_named else [UNNAMED]
    audit = find_audit("linkage")
    sentences += [f"{sentence(audit, row)}." for row in at_patient_level(results)]
    sentences += open_world_sentences(results)
    sentences += [
        selective_sentence(results, row)
        for row in selective_rows(results)
        if (row.direction, row.attacker) == (spot.direction, spot.attacker)
    ]
    return sentences


def open_world_sentences(results: Results) -> list[str]:
    """What the headline becomes where most have no match."""
    row = first(results, **{**results.spot.keys, "metric": METRIC})
    here = [] if row is None else [f"{sentence(find_audit('linkage'), row)}."]
    return [*here, *before_sentences(results, "patient-report")]


@dataclass(frozen=True)
class SelectiveRow:
    """How many patients an attacker links who may stay silent. None: withheld."""

    direction: str
    attacker: str
    precision: float
    patients: int | None
    share: float | None
    low: float | None
    high: float | None


def selective_rows(results: Results) -> list[SelectiveRow]:
    return [SelectiveRow(**row) for row in results.details.get("selective", [])]


def selective_sentence(results: Results, row: SelectiveRow) -> str:
    """How many an attacker who may stay silent links, at the precision that is wanted."""
    return (
        f"An attacker who searches {_all_reports(results)}, does not know who is at risk, and stays "
        f"silent unless {round_percent(row.precision)} of the answers are right links {selective_count(results, row)}."
    )


def _all_reports(results: Results) -> str:
    count = results.counts.get("reports")
    return f"all {count:,} reports" if count else "all reports"


def two_counts(results: Results) -> str:
    """Why more patients have a high risk than an attacker can name: empty where one of the two was not counted."""
    if not selective_rows(results) or results.evidence("survival") is None:
        return ""
    whom = counted_as(results)
    return (
        f"How many {whom} are at high risk and how many an attacker links who may stay silent are two counts, and both "
        f"are right. A risk is counted afterwards, with the truth at hand, over pools of {results.spot.pool:,}. The "
        f"silent attacker searches {_all_reports(results)} at once, does not know who is at risk, "
        "and has to choose whom to name by how sure it is itself."
    )


def selective_count(results: Results, row: SelectiveRow) -> str:
    linked = counted_as(results)
    if row.patients == 0:
        return f"no {linked.removesuffix('s')}"
    share = "" if row.share is None or told(row.patients) is None else f" ({percent(row.share)} of them)"
    return f"{few(row.patients)} {linked}{share}"


def facts(results: Results) -> dict[str, str]:
    audit, row = find_audit("linkage"), headline(results)
    told = {"Headline": f"{named(audit, row)}, {place_of(audit, row)}, by {row.attacker}"}
    if chosen := [one for one in results.details.get("compositions", []) if one["direction"] == row.direction]:
        told["Composed of"] = "; ".join(f"{one['attacker']}: {one['composition']}" for one in chosen)
    return told
