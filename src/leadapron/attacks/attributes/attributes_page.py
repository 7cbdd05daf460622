"""The page of an attribute audit, beyond the standard one."""

from __future__ import annotations

from leadapron.attacks.attributes.attribute_probes import CHOSEN, CURVED, LINEAR
from leadapron.attacks.attributes.attributes_measures import AUC, KNOWN, RIGHT, TOLD
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.basis import basis
from leadapron.audits.page_parts import PageParts
from leadapron.audits.standard_tables import INTERVAL, all_estimates, numbers, with_interval
from leadapron.audits.wording import event_of, size_of, units_of
from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.row_chart import Dot, Layout, Row, draw_rows
from leadapron.pages.numerals import NBSP, interval, percent, round_percent, so_many
from leadapron.pages.page import Block, Table, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, first, headline, select

STORY = (
    "Somebody who receives the vectors knows what some patients are, learns from these how to read it off a vector, "
    "and reads it off those of everybody else."
)
COUNT_NAMES = {
    "attacked_records": "radiographs under attack",
    "attacked_patients": "patients under attack",
    "learnt_records": "radiographs of others that are learnt from",
    "learnt_patients": "others who are learnt from",
}
GLOSSARY = {
    "Attribute": "What the table says of a patient or picture beside findings: sex, age in bands, race, view.",
    "AUC": "How often a patient of a group is ranked above one of another, as the mean over groups. 0.5 is guessing.",
    "Chance, guessing": "What an attacker tells who has findings and view, but no vector, by the same rules.",
    "Known with 99 % certainty": "The attacker answers only where as sure answers about other patients were right 99 "
    "times of 100. How many of these answers are right about patients under attack stands beside it.",
    "Null control": "The same attack with the attributes of every patient dealt to another. It must tell nothing.",
    "Planted attribute": "A coin for every patient, written into the vectors. The attack must find it.",
    "Told right": "The likeliest group is the right one. Every group counts alike, however small, so that nothing is "
    "gained by always naming the largest.",
}


def of_attributes(results: Results, metric: str) -> list[Measured]:
    """The rows of a measure by the attacker who chose, an attribute each: that of the headline first."""
    rows = [row for row in select(results, attacker=CHOSEN) if row.metric.partition("=")[0] == metric]
    return sorted(rows, key=lambda row: row.attribute != results.spot.attribute)


def alone(results: Results, attribute: str) -> str:
    """What guessing is here: from findings and view alone."""
    seen = [name for name in results.details["table"] if name != attribute]
    return f"from {' and '.join(seen)} alone" if seen else "by guessing"


def verdict(results: Results) -> str:
    audit, row = find_audit(results.audit), headline(results)
    size = size_of(row)
    return (
        f"Of {size:,} {units_of(audit, row)}, {event_of(audit, row)} for {so_many(row.value, size)}; "
        f"{alone(results, row.attribute)}, for {so_many(row.chance, size)}. {basis(results, row, 'patients')}"
    )


def certainty(results: Results) -> str:
    """Whether the vector adds anything, pair by pair."""
    row = headline(results)
    size, more = size_of(row), results.details["advantage"][row.attribute][row.attacker]
    low, high = (_signed(more[end], size) for end in ("low", "high"))
    range_ = f"(95{NBSP}% interval of the difference, over patients: {low} to {high} of {size:,})"
    if more["low"] > 0:
        return f"The vector tells it of {_signed(more['value'], size)} more {range_}."
    if more["high"] < 0:
        return f"With the vector fewer are told right than without it {range_}: look at the checks before trusting it."
    return f"That the vector adds anything is not shown {range_}."


def _signed(share: float, size: int) -> str:
    return f"{'−' if share < 0 else ''}{round(abs(share) * size):,}"


def strongest(results: Results) -> str:
    rule = {LINEAR: "the straight", CURVED: "the curved"}[results.details["choice"][results.spot.attribute]]
    what = "The rule" if results.config.get("headline") else "Attribute and rule"
    chosen = "was" if what == "The rule" else "were"
    return (
        f"Of a straight and a curved rule, {rule} one is shown. {what} {chosen} chosen on other patients, so the "
        "interval needs no allowance for the choice. A stronger attacker may exist."
    )


def support(results: Results) -> list[str]:
    """The story, the other attributes, and who is known for certain."""
    told = of_attributes(results, TOLD)
    said = [STORY]
    if others := [_beside(results, row) for row in told[1:]]:
        said.append(f"The others, of {size_of(told[0]):,} patients: {'; '.join(others)}.")
    said += [_surely(results, row) for row in of_attributes(results, KNOWN)[:1]]
    return said


def _beside(results: Results, row: Measured) -> str:
    size = size_of(row)
    blind = f"{alone(results, row.attribute)} for {so_many(row.chance, size)}"
    return f"{row.attribute} is told right for {so_many(row.value, size)}, {blind}"


def _surely(results: Results, row: Measured) -> str:
    certain = round_percent(float(row.metric.partition("=")[2]))
    if not row.value:
        return f"An attacker who stays silent unless {certain} certain tells {row.attribute} of no patient."
    right = first(results, metric=row.metric.replace(KNOWN, RIGHT), attribute=row.attribute)
    also = (
        ""
        if right is None
        else f"; of the answers given, {percent(right.value)} are right ({interval(right.low, right.high)})"
    )
    return (
        f"An attacker who stays silent unless {certain} certain tells {row.attribute} of {percent(row.value)} of the "
        f"patients ({interval(row.low, row.high)}){also}."
    )


def facts(results: Results) -> dict[str, str]:
    kinds = results.details["kinds"]
    return {
        "Attributes": "; ".join(f"{name} ({', '.join(groups)})" for name, groups in kinds.items()),
        "Known without the vector": " and ".join(results.details["table"]) or "nothing",
    }


def by_attribute(results: Results) -> Figure:
    """Every attribute: what is told with the vector, and without it."""
    title = "What the vector tells, and what is known without it"
    reading = (
        f"A circle is the share of patients whose attribute is told right with the vector, and its 95{NBSP}% interval; "
        "the diamond is what findings and view tell without it. All groups of an attribute count alike. Only what lies "
        "to the right of the diamond is the vector's doing."
    )
    rows = [_drawn(row) for row in of_attributes(results, TOLD) if row.n >= SMALLEST_CELL]
    if not rows:
        return Figure("attributes", title, reading, missing="Too few were attacked to show a number.")
    columns = ((8.0, "Attribute"), (-190.0, "Without"), (-110.0, "Told right"), (-4.0, INTERVAL))
    layout = Layout(columns, 140.0, 490.0, begin=0.0)
    described = "; ".join(f"{row.cells[0]}: {row.cells[2]}, without the vector {row.cells[1]}" for row in rows)
    svg = draw_rows("attributes", title, described, layout, rows, [], "Told right")
    return Figure("attributes", title, reading, svg)


def _drawn(row: Measured) -> Row:
    share, range_, blind = percent(row.value), interval(row.low, row.high), percent(row.chance)
    dots = (
        Dot(row.chance, None, None, "diamond", "s1", f"{row.attribute}, without the vector: {blind}"),
        Dot(row.value, row.low, row.high, "circle", "s0", f"{row.attribute}: {share} ({range_})"),
    )
    return Row((row.attribute, blind, share, range_), dots)


def shown(results: Results) -> tuple[Block, ...]:
    """A row an attribute; what was gained is paired, patient by patient."""
    audit = find_audit(results.audit)
    rows = []
    for row in of_attributes(results, TOLD):
        more = results.details["advantage"][row.attribute][CHOSEN]
        gained = f"{_points(more['value'])} ({_points(more['low'])} to {_points(more['high'])})"
        others = [one for metric in (AUC, KNOWN) for one in of_attributes(results, metric)]
        beside = [with_interval(audit, one) for one in others if one.attribute == row.attribute]
        rows.append((row.attribute, with_interval(audit, row), numbers(audit, row)[2], gained, *beside))
    columns = ("Attribute", "Told right", "Without", "Gained, points", "AUC", "Known for certain")
    return kept(table(f"What is read off a vector, with the {INTERVAL}", columns, rows, numbers=5))


def _points(share: float) -> str:
    return f"{'−' if share < 0 else '+'}{abs(100 * share):.1f}"


def folded(results: Results) -> dict[str, tuple[Block, ...]]:
    audit = find_audit(results.audit)
    groups = [
        (row.attribute, row.group.partition("=")[2], *numbers(audit, row)[:3], f"{row.n:,}")
        for row in results.estimates
        if row.group and row.n >= SMALLEST_CELL
    ]
    columns = ("Attribute", "Group", "Told right", INTERVAL, "Without the vector", "Patients")
    return {
        "Group by group": kept(table("Who is told right", columns, groups, numbers=4)),
        "All estimates": kept(all_estimates(results)),
    }


def summary(results: Results) -> Table:
    audit = find_audit(results.audit)
    rows = [
        (row.attribute, row.attacker, *numbers(audit, row)[:3], f"{row.n:,}") for row in select(results, metric=TOLD)
    ]
    return table("", ("attribute", "attacker", "told right", "95 % interval", "without", "patients"), rows, numbers=4)


PAGE = PageParts(
    verdict=verdict,
    certainty=certainty,
    strongest=strongest,
    support=support,
    facts=facts,
    count_names=COUNT_NAMES,
    figures=(by_attribute,),
    tables=shown,
    folded=folded,
    glossary=GLOSSARY,
    summary=summary,
)
