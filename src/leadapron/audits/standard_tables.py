"""Tables that every page may have, and how a row of numbers is written."""

from __future__ import annotations

from collections.abc import Callable

from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.measure import PERCENTAGES, Measure
from leadapron.audits.wording import SELDOM, place_of, title_of, written, written_chance, written_range
from leadapron.pages.html import SYMBOLS
from leadapron.pages.numerals import NBSP, p_value, significant, times
from leadapron.pages.page import Block, Table, Text, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, attribute_name, groups, level_name, select
from leadapron.stats import Outcome

INTERVAL = f"95{NBSP}% interval"
NUMBER_COLUMNS = ("Measured", INTERVAL, "Guessing", "Enrichment", "n")


def numbers(audit: Audit, row: Measured) -> tuple[str, str, str, str, str]:
    """What stands below ``NUMBER_COLUMNS``. Only of shares a multiple of what guessing gives means anything."""
    if row.n < SMALLEST_CELL:
        return ("withheld", "", "", "", f"< {SMALLEST_CELL}")
    measure = audit.measure_of(row.metric)
    scale = measure.scale
    return (
        written(scale, row.value),
        written_range(scale, row.low, row.high),
        written_chance(scale, row.chance),
        times(row.enrichment) if _is_multiple(measure, row) else "–",
        f"{row.n:,}",
    )


def _is_multiple(measure: Measure, row: Measured) -> bool:
    """Nor of one that guessing next to never gets."""
    return measure.scale in PERCENTAGES and measure.higher_is == "worse" and row.chance >= SELDOM


def with_interval(audit: Audit, row: Measured | None) -> str:
    """A cell that holds both."""
    if row is None:
        return "–"
    value, range_, *_ = numbers(audit, row)
    return f"{value} ({range_})" if range_ else value


def group_tests(results: Results) -> Table:
    rows = [
        (attribute_name(row.attribute), row.method, row.groups, "–" if row.patients is None else f"{row.patients:,}",
         _statistic(row.statistic), p_value(row.p), p_value(row.p_adjusted))
        for row in results.group_tests
    ]  # fmt: skip
    columns = ("Attribute", "Method", "Groups", "Patients", "Statistic", "p", "adjusted p")
    return table("Tests of differences between groups", columns, rows, numbers=5)


def _statistic(value: float) -> str:
    return "< 0.001" if 0 <= value < 0.001 else significant(value)


def subgroup_estimates(results: Results) -> Table:
    audit = find_audit(results.audit)
    rows = [
        (attribute_name(group.attribute), level_name(group.attribute, group.level), *numbers(audit, group.estimate))
        for group in groups(results)
    ]
    return table("Subgroups at the headline", ("Attribute", "Group", *NUMBER_COLUMNS), rows, numbers=5)


def by_attacker(
    audit: Audit, caption: str, block: str, estimates: list[Measured], name_of: Callable[[Measured], str]
) -> Table:
    """Attackers in rows and metrics in columns, block by block, with guessing at the head of each."""
    metrics = list(dict.fromkeys(row.metric for row in estimates))
    rows: list[tuple[str, ...]] = []
    for name in dict.fromkeys(map(name_of, estimates)):
        here = [row for row in estimates if name_of(row) == name]
        chances = {row.metric: written_chance(audit.measure_of(row.metric).scale, row.chance) for row in here}
        rows.append((name, "guessing", *(chances.get(metric, "–") for metric in metrics)))
        for attacker in dict.fromkeys(row.attacker for row in here):
            own = {row.metric: row for row in here if row.attacker == attacker}
            rows.append(("", attacker, *(with_interval(audit, own.get(metric)) for metric in metrics)))
    return table(caption, (block, audit.who.capitalize(), *metrics), rows, numbers=len(metrics))


def headline_rows(results: Results) -> Table:
    """The headline's attacker by every measure and in every place."""
    audit = find_audit(results.audit)
    rows = [
        (title_of(audit, row), place_of(audit, row), *numbers(audit, row))
        for row in select(results, attacker=results.spot.attacker)
    ]
    caption = f"Measured with the headline's {audit.who}: {results.spot.attacker}"
    return table(caption, ("Measure", "Where", *NUMBER_COLUMNS), rows, numbers=5)


def all_estimates(results: Results) -> Table:
    """Every attacker by every measure, for everybody."""
    audit = find_audit(results.audit)
    rows = [(row.attacker, title_of(audit, row), place_of(audit, row), *numbers(audit, row)) for row in select(results)]
    return table("All estimates", (audit.who.capitalize(), "Measure", "Where", *NUMBER_COLUMNS), rows, numbers=5)


def standard_tables(results: Results) -> tuple[Block, ...]:
    return kept(headline_rows(results))


def standard_folded(results: Results) -> dict[str, tuple[Block, ...]]:
    return {
        "Subgroups and tests": kept(subgroup_estimates(results), group_tests(results)),
        "All estimates": kept(all_estimates(results)),
    }


def checks(results: Results) -> Block:
    rows = [
        (row.check, f"{SYMBOLS[row.outcome]}{NBSP}{row.outcome}", row.reason, _vouched_for(row))
        for row in results.outcomes
    ]
    if not rows:
        return Text("○ not-run: no check was run.")
    covered = f"{find_audit(results.audit).who.capitalize()}s covered"
    return table("Checks", ("Check", "Outcome", "Why", covered), rows)


def _vouched_for(row: Outcome) -> str:
    return "–" if row.attackers is None else ", ".join(row.attackers) or "none"
