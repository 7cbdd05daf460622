"""The tables of an identity audit."""

from __future__ import annotations

from leadapron.report.identity.strata import KNOWN, known_rows, strata, stratum_names
from leadapron.report.identity.words import GALLERIES, PAIRS, metric_name
from leadapron.report.results import Results
from leadapron.report.selection import Estimate, select
from leadapron.report.tables import (
    INTERVAL,
    NUMBER_COLUMNS,
    by_attacker,
    group_tests,
    numbers,
    subgroup_estimates,
    table,
)

VERIFICATION = ("auc", "eer", "tpr@fpr=0.01", "tpr@fpr=0.001", "tpr@fpr=0.0001")
AT_THRESHOLD = ("accuracy", "specificity", "recall", "precision", "f1")
RETRIEVAL = ("precision@1", "map@r", "r-precision")
SETS = {
    "One patient or two": VERIFICATION[:2],
    "Recognised at a given rate of false alarms": VERIFICATION[2:],
    "Yes or no, on as many pairs of either kind": AT_THRESHOLD[:3],
    "The same, of those called one patient": AT_THRESHOLD[3:],
}
"""Measures of pairs that stand in one table: no more than fit on a page with their intervals."""

SHARE_COLUMNS = ("Measured", INTERVAL, "Guessing")
"""Shares of which guessing gets a half are no multiples of it that mean anything."""
CARD_COLUMNS = ("Against", "Images", "Measure", *SHARE_COLUMNS)


def shown(results: Results) -> list[str]:
    return [verification(results), at_threshold(results), retrieval(results)]


def folded(results: Results) -> dict[str, str]:
    return {
        "What changed, and several known images": what_changed(results) + several_known(results),
        "Subgroups and tests": subgroup_estimates(results) + group_tests(results),
        "All estimates": all_estimates(results),
    }


def verification(results: Results) -> str:
    """One patient or two? The headline's attacker on all pairs, without repeats, and against alike strangers."""
    rows = [
        (PAIRS[protocol], metric_name(metric), *_shares(row), numbers(row)[-1])
        for protocol in PAIRS
        for metric in VERIFICATION
        for row in _own(results, protocol=protocol, metric=metric)
    ]
    caption = f"One patient or two (verification): {results.content['headline']['attacker']}"
    columns = ("Pairs", "Measure", *SHARE_COLUMNS, "n")
    return table(caption, columns, rows, numbers=4) if rows else "<p>No pairs were told apart.</p>"


def at_threshold(results: Results) -> str:
    """The figures of a yes or no, on as many pairs of either kind."""
    rows = [
        (metric_name(metric), *_shares(row), numbers(row)[-1])
        for metric in AT_THRESHOLD
        for row in _own(results, protocol="all-pairs", metric=metric)
    ]
    if not rows:
        return "<p>Without other patients to set a threshold on, no share of right answers was measured.</p>"
    caption = (
        f"Yes or no, on as many pairs of either kind: {results.content['headline']['attacker']}, threshold set on "
        f"{results.content.get('threshold', 'an unknown set of pairs')}"
    )
    return table(caption, ("Measure", *SHARE_COLUMNS, "n"), rows, numbers=4)


def retrieval(results: Results) -> str:
    """The headline's attacker in every gallery, and what that means for whole patients."""
    rows = [
        (GALLERIES[row["protocol"]], metric_name(row["metric"]), f"{row['pool']:,}", *numbers(row))
        for metric in (*RETRIEVAL, "patient-recognised")
        for row in _by_gallery(_own(results, metric=metric))
    ]
    caption = f"The right patient in a list (retrieval): {results.content['headline']['attacker']}"
    return table(caption, ("Gallery", "Measure", "Images", *NUMBER_COLUMNS), rows, numbers=6)


def what_changed(results: Results) -> str:
    rows = [(*stratum_names(group), *_with_count(group.estimate)) for group in strata(results)]
    columns = ("What changed", "", "Recognised", INTERVAL, "False alarms", "Pairs")
    return table("Pairs of one patient by what changed", columns, rows, numbers=4) if rows else ""


def several_known(results: Results) -> str:
    rows = [(row["group"].removeprefix(KNOWN), *_with_count(row)) for row in known_rows(results)]
    columns = ("Known images", "Right first", INTERVAL, "Guessing", "Images")
    return table("Several known images of one patient", columns, rows, numbers=4) if rows else ""


def all_estimates(results: Results) -> str:
    """Every attacker by every measure, for everybody."""
    parts = []
    for name, metrics in SETS.items():
        found = [row for protocol in PAIRS for row in select(results, protocol=protocol) if row["metric"] in metrics]
        caption = f"{name}: measured ({INTERVAL})"
        heads = ("Pairs", "Attacker", *metrics)
        parts.append(by_attacker(caption, heads, found, metrics, lambda row: PAIRS[row["protocol"]]))
    found = _by_gallery([row for row in select(results) if row["metric"] in RETRIEVAL and row["protocol"] in GALLERIES])
    caption = f"The right patient in a list: measured ({INTERVAL})"
    heads = ("Gallery", "Attacker", *RETRIEVAL)
    parts.append(by_attacker(caption, heads, found, RETRIEVAL, _gallery))
    return "\n".join(part for part in parts if part)


def card(results: Results) -> list[tuple[str, ...]]:
    """The headline's attacker in a few rows for a model card."""
    lists = _by_gallery(_own(results, metric="precision@1")) + _own(results, metric="patient-recognised")
    pairs = [row for metric in VERIFICATION for row in _own(results, metric=metric)]
    against = {**PAIRS, **GALLERIES}
    return [
        (against[row["protocol"]], f"{row['pool']:,}", metric_name(row["metric"]), *_shares(row))
        for row in [*lists, *pairs]
    ]


def _own(results: Results, **wanted: str) -> list[Estimate]:
    """Of the headline's attacker, for everybody."""
    return select(results, attacker=results.content["headline"]["attacker"], **wanted)


def _shares(row: Estimate) -> tuple[str, ...]:
    return numbers(row)[:3]


def _with_count(row: Estimate) -> tuple[str, ...]:
    return *_shares(row), numbers(row)[-1]


def _by_gallery(rows: list[Estimate]) -> list[Estimate]:
    order = list(GALLERIES)
    return sorted(rows, key=lambda row: (order.index(row["protocol"]), row["pool"]))


def _gallery(row: Estimate) -> str:
    return f"{row['pool']:,}, {GALLERIES[row['protocol']]}"
