"""What the report says in sentences: the verdict in natural frequencies, and what the checks mean together."""

from __future__ import annotations

from leadapron.report.numerals import NBSP, out_of, percent, round_percent, so_many, times
from leadapron.report.results import Results
from leadapron.report.selection import SMALLEST_CELL, Estimate, at_patient_level, attackers, headline

SYMBOLS = {"pass": "✓", "warn": "!", "fail": "✗", "error": "⚠", "not-run": "○"}
WORST_FIRST = ("error", "fail", "not-run", "warn", "pass")

NOUNS = {"image-to-report": ("radiographs", "reports"), "report-to-image": ("reports", "radiographs")}
ARROWS = {"image-to-report": f"radiograph{NBSP}→{NBSP}report", "report-to-image": f"report{NBSP}→{NBSP}radiograph"}
PROTOCOLS = {"random": "random", "hard": "pathology-matched"}
METRIC_NAMES = {
    "recall@1": "Right one first",
    "recall@5": "Among the first 5",
    "recall@10": "Among the first 10",
    "mrr": "Mean reciprocal rank",
    "patient-linked": "At least one image of the patient linked",
    "patient-report": "Any match of the right patient first",
}


def verdict(results: Results) -> str:
    """The one sentence that a reader in a hurry takes along."""
    row = headline(results)
    queries, candidates = NOUNS[row["direction"]]
    kind = f"{candidates} with matching findings" if row["protocol"] == "hard" else candidates
    size = out_of(row["chance"])
    place = {"recall@1": "first"}.get(row["metric"], f"among the first {row['metric'].partition('@')[2]}")
    return (
        f"Of {size:,} {queries}, an attacker with a pool of {row['pool']:,} {kind} finds the right one {place} "
        f"for {so_many(row['value'], size)}; guessing would find {so_many(row['chance'], size)}."
    )


def certainty(results: Results) -> str:
    """How sure the verdict is, and whether it differs from guessing at all."""
    row = headline(results)
    size = out_of(row["chance"])
    range_ = f"(95{NBSP}% interval: {so_many(row['low'], size)} to {so_many(row['high'], size)} of {size:,})"
    if row["low"] > row["chance"]:
        return f"That is {times(row['enrichment']).removesuffix('×')} times as often as guessing {range_}."
    if row["high"] < row["chance"]:
        return f"That is less often than guessing {range_}: look at the checks before trusting it."
    return f"That cannot be told from guessing {range_}."


def strongest(results: Results) -> str:
    known = attackers(results)
    if len(known) == 1:
        return f"One attacker was tried: {known[0]}."
    return f"The strongest of {len(known)} attackers is shown: {known[0]}. A stronger one may exist."


def patient_sentences(results: Results) -> list[str]:
    """What the headline means for patients, where it was measured."""
    spot = results.content["headline"]
    sentences = []
    for row in at_patient_level(results):
        size = out_of(row["chance"])
        found, guessed = so_many(row["value"], size), so_many(row["chance"], size)
        queries, candidates = NOUNS[row["direction"]]
        what = (
            f"Of {size:,} patients, {found} have at least one radiograph linked"
            if row["metric"] == "patient-linked"
            else f"Counting any of the right patient's {candidates} as found, it is {found} of {size:,} {queries}"
        )
        sentences.append(f"{what} (pool of {row['pool']:,}); guessing would give {guessed}.")
    sentences.extend(
        selective_sentence(row)
        for row in results.content["selective"]
        if (row["direction"], row["attacker"]) == (spot["direction"], spot["attacker"])
    )
    return sentences


def selective_sentence(row: Estimate) -> str:
    """How many patients an attacker who may stay silent links, at the precision that is wanted."""
    return (
        f"An attacker who stays silent unless {round_percent(row['precision'])} of the answers are right links "
        f"{selective_count(row)}."
    )


def selective_count(row: Estimate) -> str:
    if 0 < row["patients"] < SMALLEST_CELL:
        return f"fewer than {SMALLEST_CELL} patients"
    if row["patients"] == 0:
        return "no patient"
    return f"{row['patients']:,} patients ({percent(row['share'])} of them)"


def standing(results: Results) -> tuple[str, str]:
    """The worst outcome, and what it means for the reader. Error and not-run never count as a pass."""
    outcomes = [row["outcome"] for row in results.content["outcomes"]]
    worst = next((name for name in WORST_FIRST if name in outcomes), "not-run")
    return worst, {
        "error": "A control went wrong: the numbers below must not be relied on until that is explained.",
        "fail": "A check failed: see below which one, and why.",
        "not-run": "The audit is incomplete: not every check was run.",
        "warn": "The checks ended with a warning: read it before deciding.",
        "pass": "All checks passed: the measurement can be relied on. Whether this risk is acceptable is for you to "
        "decide.",
    }[worst]
