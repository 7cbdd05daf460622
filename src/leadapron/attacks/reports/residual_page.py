"""The page of a residual audit, beyond the standard one."""

from __future__ import annotations

from functools import partial

from leadapron.attacks.reports import residual_words as words
from leadapron.attacks.reports.residual_measures import ALL, HIPAA, OTHER, TRUTH
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.page_parts import PageParts
from leadapron.audits.standard_tables import INTERVAL, NUMBER_COLUMNS, numbers, with_interval
from leadapron.audits.wording import title_of, written, written_range
from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.row_chart import Dot, Layout, Row, draw_rows
from leadapron.pages.page import Block, Table, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import SMALLEST_CELL, select

BY_CATEGORY = {
    "leak": "Patients with a leak",
    "left": "Identifiers left",
    "recall": "Recall, any overlap",
    "recall-strict": "Recall, strict",
    "token-recall": "Recall of words",
    "precision": "Precision",
    "f1": "F1",
}
COUNT_NAMES = {
    "reports": "reports",
    "patients": "patients",
    "identifiers": "identifiers in truth",
    "found": "spans that were found",
    "terms": "clinical terms in truth",
    "searched": "patients in the patient table",
}
GLOSSARY = {
    "Embedding": "",
    "Enrichment": "",
    "p, adjusted": "",
    "F1": "Identifiers that were found and spans that are right, by all identifiers and all spans.",
    "Guessing": "Of recall and precision: what one gets who covers as many words, but anywhere. Of a search for what a "
    "patient table knows: what another patient's cells find, by coincidence. Of leaks: next to none.",
    "HIPAA": "All categories but staff, hospital and time: the identifiers that the Safe Harbor rule names.",
    "Leak": "An identifier of which a run of three letters or digits or more is covered by no found span and still "
    "stands in the released report. One without such a run leaks if none of it is covered and all of it stands there.",
    "Null control": "The same audit of reports from which exactly the true identifiers were cut, and with other "
    "patients' cells. It must find nothing, or what coincidence finds.",
    "Planted identifiers": "One identifier of every patient that was left on purpose. The audit must find them.",
    "Precision": "The share of found spans that overlap an identifier of any category.",
    "Recall": "The share of identifiers that a found span overlaps; strict: of which found spans cover every letter "
    "and digit; of words: the share of their words that a found span overlaps.",
    "Stand-in": "An invented name, date or number in the place of one that was found.",
}  # fmt: skip


def by_category(results: Results) -> Table:
    """A row per category."""
    audit, rows = find_audit(results.audit), []
    for category in _categories(results):
        own = {row.metric: row for row in select(results, attacker=TRUTH, category=category)}
        rows.append((category, *(with_interval(audit, own.get(metric)) for metric in BY_CATEGORY)))
    caption = f"Against the truth, by category ({INTERVAL})"
    return table(caption, ("Category", *BY_CATEGORY.values()), rows, numbers=len(BY_CATEGORY))


def the_rest(results: Results) -> Table:
    """What is measured once, and what other attackers found."""
    rows = [
        row
        for row in select(results)
        if row.attacker != TRUTH or (row.metric not in BY_CATEGORY and row.category == ALL)
    ]
    heads = ("Attacker", "Measure", "Category", *NUMBER_COLUMNS)
    return table("Beside it", heads, [_long(results, row) for row in rows], numbers=5)


def shown(results: Results) -> tuple[Block, ...]:
    return kept(by_category(results), the_rest(results))


def card(results: Results) -> Table:
    """All and HIPAA's."""
    rows = [row for row in select(results) if row.category in (ALL, HIPAA) or row.attacker == OTHER]
    heads = ("Attacker", "Measure", "Category", *NUMBER_COLUMNS)
    return table("", heads, [_long(results, row) for row in rows], numbers=5)


def _long(results: Results, row: Measured) -> tuple[str, ...]:
    audit = find_audit(results.audit)
    return (row.attacker, title_of(audit, row), row.category, *numbers(audit, row))


def left_by_category(results: Results) -> Figure:
    """Identifiers left, category by category; without truth, patients by column of the patient table."""
    who = results.spot.attacker
    metric = "left" if who == TRUTH else results.spot.metric
    title = "Identifiers left, by category" if who == TRUTH else "Patients with something found, by category"
    reading = "Each mark is a category, with its 95 % interval; further left is better."
    found = [row for row in select(results, metric=metric, attacker=who) if row.n >= SMALLEST_CELL]
    if not found:
        return Figure("categories", title, reading, missing="Too few were compared to show a number.")
    scale = find_audit(results.audit).measure_of(metric).scale
    rows = [
        Row(
            (row.category, written(scale, row.value), written_range(scale, row.low, row.high)),
            (Dot(row.value, row.low, row.high, "circle", "s0", f"{row.category}: {written(scale, row.value)}"),),
        )
        for row in found
    ]
    columns = ((8.0, "Category"), (-110.0, "Measured"), (-4.0, INTERVAL))
    layout = Layout(columns, 160.0, 500.0, words=partial(written, scale))
    described = "; ".join(f"{row.cells[0]} {row.cells[1]}" for row in rows)
    return Figure("categories", title, reading, draw_rows("categories", title, described, layout, rows, [], "Share"))


def _categories(results: Results) -> list[str]:
    """All and HIPAA first."""
    return list(dict.fromkeys(row.category for row in select(results, attacker=TRUTH)))


PAGE = PageParts(
    verdict=words.verdict,
    certainty=words.certainty,
    strongest=words.strongest,
    support=words.support,
    facts=words.facts,
    count_names=COUNT_NAMES,
    figures=(left_by_category,),
    tables=shown,
    glossary=GLOSSARY,
    card=card,
    summary=card,
)
