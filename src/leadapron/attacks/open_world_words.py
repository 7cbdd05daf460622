"""What pages say of the open world: the same table and the same terms for linkage and identity."""

from __future__ import annotations

from collections.abc import Sequence

from leadapron.attacks.open_world import FEWEST_ALARMS, FPIR, METRIC
from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.standard_tables import INTERVAL, numbers
from leadapron.audits.wording import sentence
from leadapron.pages.numerals import round_percent
from leadapron.pages.page import Block, Text, table
from leadapron.results import Findings, Measured, Results
from leadapron.results.selection import few, first, select
from leadapron.stats import Outcome

ALARMS = round_percent(FPIR)
CAPTION = f"Open world: most have no match, and {ALARMS} of these are taken for somebody"
MISSING = (
    f"The open world, in which most have no match, was not measured: it takes {round(FEWEST_ALARMS / FPIR)} queries, "
    "and pools of a thousandth of all candidates or more."
)
GLOSSARY = {
    "Open world": "Most of those whom an attacker asks for have no match among the candidates. Whoever names the first "
    "of the list each time is then mostly wrong, and so names it only where its score is high. In a closed pool "
    "everybody has a match.",
    "False-positive identification rate (FPIR)": "The share of those without a match who are taken for somebody all "
    f"the same (ISO/IEC 19795-1). Here the attacker's threshold is set so that it is {ALARMS}.",
    "False-negative identification rate (FNIR)": "At the same threshold the share of those with a match who are not "
    "named rightly; one less this is the share that is.",
}

AGAINST, LARGEST = "against", 1000
PLANTED = "planted leak, open world"
FOUND = 0.5

Rows = Sequence[tuple[str, Measured | None, Measured | None]]
"""Where, the same in a closed pool, and in the open world; at least one of them was measured."""


def open_world_table(audit: Audit, rows: Rows, caption: str = CAPTION) -> Block:
    cells = []
    for where, closed, row in rows:
        there = row or closed
        assert there is not None
        share = "–" if closed is None else numbers(audit, closed)[0]
        named, missed = ["–", "–"], ("–", "–")
        guessing, count = "–", f"{there.n:,}"
        if row is not None:
            *named, guessing, _, count = numbers(audit, row)
            missing = row.model_copy(update={"value": 1 - row.value, "low": 1 - row.high, "high": 1 - row.low})
            missed = numbers(audit, missing)[:2]
        cells.append((where, f"{there.pool:,}", share, *named, *missed, guessing, count))
    columns = ("Where", "Pool", "Closed pool", "Named rightly", INTERVAL, "FNIR", INTERVAL, "Guessing", "n")
    return table(caption, columns, cells, numbers=8) if cells else Text(MISSING)


def open_world(results: Results, closed: str) -> Block:
    """The headline's attacker where most have no match, beside closed pools; and who is stronger there, if anybody."""
    here = select(results, metric=METRIC, protocol="random")
    at_headline = [row for row in here if row.at == results.spot.at]
    best = [max(at_headline, key=lambda row: row.value).attacker] if at_headline else []
    names = dict.fromkeys([results.spot.attacker, *best])
    found = [row for name in names for row in here if row.attacker == name]
    rows = [
        (_place(results, row), first(results, **row.at, metric=closed, attacker=row.attacker), row) for row in found
    ]
    return open_world_table(find_audit(results.audit), rows)


def released_before(results: Results, closed: str) -> Block | None:
    """Every attacker who looked in what was released before; None where nothing was."""
    rows = [
        (_place(results, row), row, first(results, **row.at, metric=METRIC, attacker=row.attacker))
        for row in select(results, metric=closed, protocol=AGAINST)
    ]
    caption = f"Looked for in what was released before, {ALARMS} of those who are not there taken for somebody"
    return open_world_table(find_audit(results.audit), rows, caption) if rows else None


def _place(results: Results, row: Measured) -> str:
    return f"{find_audit(results.audit).words_of(row)['direction_name']}, {row.attacker}"


def before_sentences(results: Results, closed: str) -> list[str]:
    """Who was looked for where, and what the strongest attacker finds."""
    told = results.details.get(AGAINST)
    rows = select(results, metric=closed, protocol=AGAINST, direction=results.spot.direction)
    rows = rows or select(results, metric=closed, protocol=AGAINST)
    if not told or not rows:
        return []
    audit = find_audit(results.audit)
    strongest = max(rows, key=lambda row: (row.pool <= LARGEST, row.pool, row.value))
    row = first(results, **strongest.at, metric=METRIC, attacker=strongest.attacker)
    asked = "those who are not there" if told["in_vain"] == "others" else "everybody, with the own patient taken out"
    return [
        f"Among {told['candidates']:,} candidates of {told['releases']}, {few(told['probes_with_mates'])} were looked "
        f"for whose patient is there, and {few(told['probes_without'])} whose patient is not; false alarms are counted "
        f"on {asked}.",
        *(f"{sentence(audit, one)}." for one in (strongest, row) if one is not None),
    ]


def found_open(leak: Findings, relied_on: str) -> list[Outcome]:
    """Whether the headline's attacker names those who were made easy to find; nothing where too few were asked for."""
    rows = select(leak, metric=METRIC, protocol="random")
    found = {name: min(row.value for row in rows if row.attacker == name) for name in [row.attacker for row in rows]}
    if relied_on not in found:
        return []
    told = ", ".join(f"{name} {share:.3f}" for name, share in found.items())
    reason = f"at {ALARMS} of the others taken for somebody, named rightly by attacker: {told}"
    return [Outcome(PLANTED, "pass" if found[relied_on] >= FOUND else "error", reason)]
