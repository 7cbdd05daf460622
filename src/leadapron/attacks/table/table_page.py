"""The page of a table audit, beyond the standard one."""

from __future__ import annotations

from typing import Any

from leadapron.attacks.table import table_words as words
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.page_parts import PageParts
from leadapron.audits.standard_tables import group_tests, subgroup_estimates
from leadapron.audits.wording import title_of, written, written_chance
from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.row_chart import Dot, Layout, Row, draw_rows
from leadapron.pages.numerals import percent
from leadapron.pages.page import Block, Table, kept, table
from leadapron.results import Results
from leadapron.results.selection import SMALLEST_CELL, few, headline, select

SHOWN_PAIRS = 10
COUNT_NAMES = {"rows": "rows", "patients": "patients", "columns": "columns that others may know"}
GLOSSARY = {
    "Embedding": "",
    "Enrichment": "",
    "Confidence interval (95 %)": "",
    "Class": "All patients who look the same in the columns that an attacker knows. One who stands alone is a class.",
    "Guessing": "Of a risk: picking one of all patients at random. Of patients who stand alone or in small classes: a "
    "table in which all look the same, where there are none.",
    "k-map": "The same count in a population from which the patients come, for an attacker who does not know who of "
    "them is in the table.",
    "Mean risk": "The mean of 1 / class over patients: how often a pick within the class is right (marketer risk).",
    "Highest risk": "1 / smallest class: the risk of the patient who is easiest to pick (prosecutor risk; in a "
    "population, journalist risk).",
    "Quasi-identifier": "A column that does not name a patient by itself, but may be known to others, and together "
    "with more singles one out.",
}


def measured(results: Results) -> Table:
    audit = find_audit(results.audit)
    rows = [
        (row.attacker, title_of(audit, row), written(scale, row.value), written_chance(scale, row.chance), f"{row.n:,}")
        for row in select(results)
        for scale in [audit.measure_of(row.metric).scale]
        if row.n >= SMALLEST_CELL
    ]
    return table("Counted", ("Attacker knows", "Measure", "Counted", "Guessing", "Patients"), rows, numbers=3)


def shown(results: Results) -> tuple[Block, ...]:
    return kept(measured(results), steps(results), changes(results))


def folded(results: Results) -> dict[str, tuple[Block, ...]]:
    return {
        "Columns one by one and in pairs": kept(singles(results), pairs(results)),
        "Subgroups and tests": kept(subgroup_estimates(results), group_tests(results)),
    }


def steps(results: Results) -> Table:
    """The way to the goal."""
    advice = results.details["advice"]
    caption = f"The advice for classes of {advice['k']}, step by step"
    return _changed(results, caption, advice["steps"])


def changes(results: Results) -> Table:
    return _changed(results, "What one change alone would do", results.details["advice"]["changes"])


def _changed(results: Results, caption: str, rows: list[dict[str, Any]]) -> Table:
    below = f"In classes below {results.details['advice']['k']} after it"
    cells = [(words.step_in_words(row), few(row["alone"]), few(row["small"])) for row in rows]
    return table(caption, ("Change", "Stand alone after it", below), cells, numbers=2)


def singles(results: Results) -> Table:
    cells = [(row["column"], few(row["alone"])) for row in results.details["singles"]]
    return table("Patients whom one column singles out", ("Column", "Stand alone"), cells, numbers=1)


def pairs(results: Results) -> Table:
    every = results.details["pairs"]
    cells = [(words.listed(row["columns"]), few(row["alone"])) for row in every[:SHOWN_PAIRS]]
    left_out = results.details["pairs_left_out"]
    more = f"; {left_out:,} pairs of less telling columns were not counted" if left_out else ""
    caption = f"The most telling pairs{more}"
    return table(caption, ("Columns", "Stand alone"), cells, numbers=1)


def one_after_another(results: Results) -> Figure:
    """How fast a few columns single out everybody."""
    title = "Patients who stand alone, with one column more each time"
    reading = (
        "Each row adds a column to those above it, beginning with the most telling; the mark is the share of the "
        "patients who then stand alone."
    )
    patients = headline(results).n
    if patients < SMALLEST_CELL:
        return Figure("columns", title, reading, missing="There are too few patients to show a number.")
    rows = []
    for place, added in enumerate(results.details["added"]):
        share, name = added["alone"] / patients, f"{'+ ' if place else ''}{added['column']}"
        shown = percent(share) if added["alone"] == 0 or added["alone"] >= SMALLEST_CELL else few(added["alone"])
        rows.append(Row((name, shown), (Dot(share, None, None, "circle", "s0", f"{name}: {shown}"),)))
    layout = Layout(((8.0, "Columns known"), (-4.0, "Stand alone")), 190.0, 560.0, begin=0.0)
    described = "; ".join(f"{row.cells[0]} {row.cells[1]}" for row in rows)
    return Figure(
        "columns", title, reading, draw_rows("columns", title, described, layout, rows, [], "Share of patients")
    )


PAGE = PageParts(
    verdict=words.verdict,
    certainty=words.certainty,
    could_see=lambda _: "",
    strongest=words.strongest,
    support=words.support,
    facts=words.facts,
    count_names=COUNT_NAMES,
    things=frozenset({"columns", "rows"}),
    figures=(one_after_another,),
    tables=shown,
    folded=folded,
    glossary=GLOSSARY,
    card=measured,
    summary=measured,
)
