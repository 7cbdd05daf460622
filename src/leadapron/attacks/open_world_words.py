"""What pages say of the open world: the same table and the same terms for linkage and identity."""

from __future__ import annotations

from collections.abc import Sequence

from leadapron.attacks.open_world import FEWEST_ALARMS, FPIR, METRIC
from leadapron.audits.audit import Audit
from leadapron.audits.standard_tables import INTERVAL, numbers
from leadapron.pages.numerals import round_percent
from leadapron.pages.page import Block, Text, table
from leadapron.results import Findings, Measured
from leadapron.results.selection import select
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

PLANTED = "planted leak, open world"
FOUND = 0.5

Rows = Sequence[tuple[str, Measured | None, Measured]]
"""Where, the same in a closed pool if it was measured, and in the open world."""


def open_world_table(audit: Audit, rows: Rows, caption: str = CAPTION) -> Block:
    cells = []
    for where, closed, row in rows:
        value, range_, guessing, _, count = numbers(audit, row)
        missed = row.model_copy(update={"value": 1 - row.value, "low": 1 - row.high, "high": 1 - row.low})
        share = "–" if closed is None else numbers(audit, closed)[0]
        cells.append((where, f"{row.pool:,}", share, value, range_, *numbers(audit, missed)[:2], guessing, count))
    columns = (
        "Where", "Pool", "Closed pool", "Named rightly", INTERVAL, "FNIR", INTERVAL, "Guessing", "n",
    )  # fmt: skip
    return table(caption, columns, cells, numbers=8) if cells else Text(MISSING)


def found_open(leak: Findings, relied_on: str) -> list[Outcome]:
    """Whether the headline's attacker names those who were made easy to find; nothing where too few were asked for."""
    rows = select(leak, metric=METRIC, protocol="random")
    found = {name: min(row.value for row in rows if row.attacker == name) for name in [row.attacker for row in rows]}
    if relied_on not in found:
        return []
    told = ", ".join(f"{name} {share:.3f}" for name, share in found.items())
    reason = f"at {ALARMS} of the others taken for somebody, named rightly by attacker: {told}"
    return [Outcome(PLANTED, "pass" if found[relied_on] >= FOUND else "error", reason)]
