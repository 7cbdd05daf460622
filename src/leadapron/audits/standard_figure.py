"""The figure of an audit that draws none of its own: attackers side by side where the headline is read off."""

from __future__ import annotations

from functools import partial

from leadapron.audits.audit_registry import find_audit
from leadapron.audits.standard_tables import INTERVAL
from leadapron.audits.wording import event_of, place_of, title_of, written, written_range
from leadapron.pages.figures.figure import Figure
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.results import Results
from leadapron.results.selection import SMALLEST_CELL, headline, select


def attackers_side_by_side(results: Results) -> Figure:
    audit, first = find_audit(results.audit), headline(results)
    spot = {name: value for name, value in results.spot.keys.items() if name != "attacker"}
    scale = audit.measure_of(first.metric).scale
    there = [row for row in select(results, **spot) if row.at == first.at and row.n >= SMALLEST_CELL]
    found = sorted(there, key=lambda row: -row.value)
    rows = [
        Row(
            (row.attacker, written(scale, row.value), written_range(scale, row.low, row.high)),
            (Dot(row.value, row.low, row.high, "circle", "s0", f"{row.attacker}: {written(scale, row.value)}"),),
        )
        for row in found
    ]
    place = place_of(audit, first)
    title = f"{title_of(audit, first)}{f', {place}' if place else ''}"
    often = "how often " if scale in ("share", "auc") else ""
    reading = (
        f"Each mark is one {audit.who}, with its 95 % interval: {often}{event_of(audit, first)}. "
        "The dotted line is guessing."
    )
    if not rows:
        return Figure("attackers", title, reading, missing="Too few were attacked to show a number.")
    guides = [Guide(first.chance, 0, len(rows), "guessing", "chance")]
    columns = ((8.0, audit.who.capitalize()), (-110.0, "Measured"), (-4.0, INTERVAL))
    layout = Layout(columns, 160.0, 500.0, begin=0.0 if scale == "auc" else None, words=partial(written, scale))
    described = "; ".join(f"{row.cells[0]} {row.cells[1]}" for row in rows)
    svg = draw_rows("attackers", title, described, layout, rows, guides, title_of(audit, first))
    return Figure("attackers", title, reading, svg)
