"""Linkage in sentences: the verdict in natural frequencies, and what it means for patients."""

from __future__ import annotations

from leadapron.attacks.withheld import told
from leadapron.report.basis import basis
from leadapron.report.numerals import out_of, percent, round_percent, so_many
from leadapron.report.results import Results
from leadapron.report.selection import Estimate, counted_as, few, headline, select
from leadapron.report.words import ARROWS

METRICS = ("recall@1", "recall@5", "recall@10", "mrr")
PATIENT_METRICS = ("patient-linked", "patient-report")
DIRECTIONS = ("image-to-report", "report-to-image")

NOUNS = {"image-to-report": ("radiographs", "reports"), "report-to-image": ("reports", "radiographs")}
PROTOCOLS = {"random": "random", "hard": "pathology-matched"}
METRIC_NAMES = {
    "recall@1": "Right one first",
    "recall@5": "Among the first 5",
    "recall@10": "Among the first 10",
    "mrr": "Mean reciprocal rank",
    "patient-linked": "At least one image of the patient linked",
    "patient-report": "Any match of the right patient first",
}
COUNT_NAMES = {
    "records": "radiographs",
    "patients": "patients",
    "reports": "reports",
    "distinct_reports": "distinct reports",
}


UNNAMED = (
    "The release does not name its patients, so every radiograph counts as one; whoever has several is linked more "
    "often than that."
)


def verdict(results: Results) -> str:
    row = headline(results)
    queries, candidates = NOUNS[row["direction"]]
    kind = f"{candidates} with matching findings" if row["protocol"] == "hard" else candidates
    size = out_of(row["chance"], row["n"])
    place = {"recall@1": "first"}.get(row["metric"], f"among the first {row['metric'].partition('@')[2]}")
    return (
        f"Of {size:,} {queries}, an attacker with a pool of {row['pool']:,} {kind} finds the right one {place} "
        f"for {so_many(row['value'], size)}; guessing would find {so_many(row['chance'], size)}. "
        f"{basis(results, row, queries)}"
    )


def at_patient_level(results: Results) -> list[Estimate]:
    """What was measured for whole patients with the headline's attacker, whatever the pool; none if none is named."""
    if not results.patients_named:
        return []
    spot = {key: results.content["headline"][key] for key in ("direction", "attacker")}
    return [row for metric in PATIENT_METRICS for row in select(results, **spot, metric=metric)]


def patient_sentences(results: Results) -> list[str]:
    """What the headline means for patients, where it was measured; or that nobody knows whose the radiographs are."""
    spot = results.content["headline"]
    sentences = [] if results.patients_named else [UNNAMED]
    for row in at_patient_level(results):
        size = out_of(row["chance"], row["n"])
        found, guessed = so_many(row["value"], size), so_many(row["chance"], size)
        queries, candidates = NOUNS[row["direction"]]
        what = (
            f"Of {size:,} patients, {found} have at least one radiograph linked"
            if row["metric"] == "patient-linked"
            else f"Counting any of the right patient's {candidates} as found, it is {found} of {size:,} {queries}"
        )
        sentences.append(f"{what} (pool of {row['pool']:,}); guessing would give {guessed}.")
    sentences.extend(
        selective_sentence(results, row)
        for row in results.content["selective"]
        if (row["direction"], row["attacker"]) == (spot["direction"], spot["attacker"])
    )
    return sentences


def selective_sentence(results: Results, row: Estimate) -> str:
    """How many an attacker who may stay silent links, at the precision that is wanted."""
    return (
        f"An attacker who stays silent unless {round_percent(row['precision'])} of the answers are right links "
        f"{selective_count(results, row)}."
    )


def selective_count(results: Results, row: Estimate) -> str:
    linked = counted_as(results)
    if row["patients"] == 0:
        return f"no {linked.removesuffix('s')}"
    share = "" if told(row["patients"]) is None else f" ({percent(row['share'])} of them)"
    return f"{few(row['patients'])} {linked}{share}"


def facts(results: Results) -> dict[str, str]:
    spot = results.content["headline"]
    protocol = PROTOCOLS.get(spot["protocol"], spot["protocol"])
    place = f"{protocol} pool of {spot['pool']:,}"
    return {"Headline": f"{ARROWS[spot['direction']]}, {spot['attacker']}, {place}, {spot['metric']}"}
