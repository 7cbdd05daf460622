"""The tables of an identity audit."""

from __future__ import annotations

from leadapron.attacks.identity.identity_measures import AT_THRESHOLD, GALLERIES, PAIRS, RETRIEVAL, VERIFICATION
from leadapron.attacks.identity.identity_words import against
from leadapron.attacks.identity.strata_figure import KNOWN, known_rows, strata, stratum_names
from leadapron.attacks.open_world_words import open_world, released_before
from leadapron.audits import standard_tables as standard
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.standard_tables import INTERVAL, NUMBER_COLUMNS, by_attacker, group_tests, subgroup_estimates
from leadapron.audits.wording import title_of
from leadapron.pages.page import Block, Table, Text, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import select

SETS = {
    "One patient or two": VERIFICATION[:2],
    "Recognised at a given rate of false alarms": VERIFICATION[2:],
    "Yes or no, on as many pairs of either kind": AT_THRESHOLD[:3],
    "The same, of those called one patient": AT_THRESHOLD[3:],
}
"""Measures of pairs that stand in one table: no more than fit on a page with their intervals."""

SHARE_COLUMNS = ("Measured", INTERVAL, "Guessing")
"""Shares of which guessing gets a half are no multiples of it that mean anything."""


def shown(results: Results) -> tuple[Block, ...]:
    return kept(
        verification(results),
        at_threshold(results),
        retrieval(results),
        open_world(results, "precision@1"),
        *before(results),
    )


def folded(results: Results) -> dict[str, tuple[Block, ...]]:
    return {
        "What changed, and several known images": kept(what_changed(results), several_known(results)),
        "Subgroups and tests": kept(subgroup_estimates(results), group_tests(results)),
        "All estimates": kept(*all_estimates(results)),
    }


def numbers(row: Measured) -> tuple[str, ...]:
    return standard.numbers(find_audit("identity"), row)


def _title(row: Measured) -> str:
    return title_of(find_audit("identity"), row)


def verification(results: Results) -> Block:
    """One patient or two? The headline's attacker on all pairs, without repeats, and against alike strangers."""
    rows = [
        (against(protocol), _title(row), *_shares(row), numbers(row)[-1])
        for protocol in PAIRS
        for metric in VERIFICATION
        for row in _own(results, protocol=protocol, metric=metric)
    ]
    caption = f"One patient or two (verification): {results.spot.attacker}"
    columns = ("Pairs", "Measure", *SHARE_COLUMNS, "n")
    return table(caption, columns, rows, numbers=4) if rows else Text("No pairs were told apart.")


def at_threshold(results: Results) -> Block:
    """The figures of a yes or no, on as many pairs of either kind."""
    rows = [
        (_title(row), *_shares(row), numbers(row)[-1])
        for metric in AT_THRESHOLD
        for row in _own(results, protocol="all-pairs", metric=metric)
    ]
    if not rows:
        return Text("Without other patients to set a threshold on, no share of right answers was measured.")
    caption = (
        f"Yes or no, on as many pairs of either kind: {results.spot.attacker}, threshold set on "
        f"{results.details.get('threshold', 'an unknown set of pairs')}"
    )
    return table(caption, ("Measure", *SHARE_COLUMNS, "n"), rows, numbers=4)


def retrieval(results: Results) -> Table:
    """The headline's attacker in every gallery, and what that means for whole patients."""
    rows = [
        (against(row.protocol), _title(row), f"{row.pool:,}", *numbers(row))
        for metric in (*RETRIEVAL, "patient-recognised")
        for row in _by_gallery(_own(results, metric=metric))
    ]
    caption = f"The right patient in a list (retrieval): {results.spot.attacker}"
    return table(caption, ("Gallery", "Measure", "Images", *NUMBER_COLUMNS), rows, numbers=6)


def before(results: Results) -> tuple[Block, ...]:
    found = released_before(results, "precision@1")
    return () if found is None else (found,)


def what_changed(results: Results) -> Table:
    rows = [(*stratum_names(group), *_with_count(group.estimate)) for group in strata(results)]
    columns = ("What changed", "How", "Recognised", INTERVAL, "False alarms", "Pairs")
    return table("Pairs of one patient by what changed", columns, rows, numbers=4)


def several_known(results: Results) -> Table:
    rows = [((row.group or "").removeprefix(KNOWN), *_with_count(row)) for row in known_rows(results)]
    columns = ("Known images", "Right first", INTERVAL, "Guessing", "Images")
    return table("Several known images of one patient", columns, rows, numbers=4)


def all_estimates(results: Results) -> list[Table]:
    """Every attacker by every measure, for everybody."""
    audit = find_audit("identity")
    tables = []
    for name, metrics in SETS.items():
        found = [row for protocol in PAIRS for row in select(results, protocol=protocol) if row.metric in metrics]
        caption = f"{name}: measured ({INTERVAL})"
        tables.append(by_attacker(audit, caption, "Pairs", found, lambda row: against(row.protocol)))
    found = _by_gallery([row for row in select(results) if row.metric in RETRIEVAL and row.protocol in GALLERIES])
    return [
        *tables,
        by_attacker(audit, f"The right patient in a list: measured ({INTERVAL})", "Gallery", found, _gallery),
    ]


def card(results: Results) -> Table:
    """The headline's attacker in a few rows for a model card."""
    lists = _by_gallery(_own(results, metric="precision@1")) + _own(results, metric="patient-recognised")
    pairs = [row for metric in VERIFICATION for row in _own(results, metric=metric)]
    rows = [(against(row.protocol), f"{row.pool:,}", _title(row), *_shares(row)) for row in [*lists, *pairs]]
    return table("", ("Against", "Images", "Measure", *SHARE_COLUMNS), rows, numbers=3)


IN_SUMMARY = (
    ("all-pairs", "auc"),
    ("apart", "auc"),
    ("matched", "auc"),
    ("all-pairs", "eer"),
    ("all-pairs", "tpr@fpr=0.001"),
    ("random", "precision@1"),
    ("apart", "precision@1"),
    ("matched", "precision@1"),
    ("random", "map@r"),
)


def summary(results: Results) -> Table:
    """The figures of every attacker, on the terminal."""
    rows = [
        (row.attacker, row.protocol, row.metric, f"{row.pool:,}", *_shares(row))
        for attacker in dict.fromkeys(row.attacker for row in select(results))
        for protocol, metric in IN_SUMMARY
        for row in select(results, attacker=attacker, protocol=protocol, metric=metric)
    ]
    heads = ("attacker", "strangers", "figure", "images", "measured", "95 % interval", "guessing")
    return table("", heads, rows, numbers=4)


def _own(results: Results, **wanted: str) -> list[Measured]:
    """Of the headline's attacker, for everybody."""
    return select(results, attacker=results.spot.attacker, **wanted)


def _shares(row: Measured) -> tuple[str, ...]:
    return numbers(row)[:3]


def _with_count(row: Measured) -> tuple[str, ...]:
    return *_shares(row), numbers(row)[-1]


def _by_gallery(rows: list[Measured]) -> list[Measured]:
    here = [row for row in rows if row.protocol in GALLERIES]
    return sorted(here, key=lambda row: (GALLERIES.index(row.protocol), row.pool))


def _gallery(row: Measured) -> str:
    return f"{row.pool:,}, {against(row.protocol)}"
