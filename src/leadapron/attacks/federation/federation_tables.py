"""The tables of a federation audit."""

from __future__ import annotations

from leadapron.attacks.federation.federation_attack import OWN
from leadapron.attacks.federation.federation_attackers import RECORD_ALONE, RECORD_AND_FINDINGS
from leadapron.attacks.federation.federation_rows import RATES
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.standard_tables import INTERVAL, NUMBER_COLUMNS, numbers, with_interval
from leadapron.audits.wording import title_of
from leadapron.pages.page import Block, Table, Text, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import select

NOT_MEMBERSHIP = (RECORD_AND_FINDINGS, RECORD_ALONE)
AT_RANDOM = (
    "Guessing is here what partners drawn at random would give: a claim of anonymity holds where few records are alone "
    "and many share a partner."
)


def shown(results: Results) -> tuple[Block, ...]:
    pairing = partners(results)
    return kept(attackers(results), pairing, Text(AT_RANDOM, note=True) if pairing.rows else None)


def attackers(results: Results) -> Table:
    """Kind by kind every attacker: AUC, recognised at rare false alarms, and the right hospital."""
    audit, rows = find_audit(results.audit), []
    for kind, name in dict.fromkeys((row.hospitals, row.attacker) for row in select(results, asked=OWN)):
        own = {
            row.metric: row for row in select(results, attacker=name, hospitals=kind) if row.at.get("asked", OWN) == OWN
        }
        cells = (with_interval(audit, own.get(metric)) for metric in (*RATES, "source"))
        rows.append((_kind(results, kind), name, *cells))
    heads = ("Hospitals", "Attacker", "AUC", "at 1 % false alarms", "at 0.1 %", "Right hospital")
    return table(f"Patients recognised at their own hospital ({INTERVAL})", heads, rows, numbers=4)


def partners(results: Results) -> Table:
    """What the claim of anonymity by averaging is judged by."""
    rows = [row for row in select(results) if row.attacker in NOT_MEMBERSHIP]
    heads = ("Hospitals", "Attacker", "Measure", *NUMBER_COLUMNS)
    return table("Partners from the public set", heads, [_long(results, row) for row in rows], numbers=5)


def card(results: Results) -> Table:
    """The headline's attacker, everywhere."""
    rows = [_long(results, row) for row in select(results, attacker=results.spot.attacker)]
    return table("", ("Hospitals", "Attacker", "Measure", *NUMBER_COLUMNS), rows, numbers=5)


def _long(results: Results, row: Measured) -> tuple[str, ...]:
    audit = find_audit(results.audit)
    return (_kind(results, row.hospitals), row.attacker, title_of(audit, row), *numbers(audit, row))


def _kind(results: Results, hospitals: str) -> str:
    words = find_audit(results.audit).coordinates["hospitals"].words_of(hospitals)
    return str(words["kind"])
