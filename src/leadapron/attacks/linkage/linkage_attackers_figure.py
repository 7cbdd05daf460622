"""Attackers in rows: side by side, and in random against pathology-matched pools."""

from __future__ import annotations

import polars as pl

from leadapron.attacks.linkage.linkage_measures import MATCHED_POOLS
from leadapron.pages.figures import Figure
from leadapron.pages.figures.axes import mark_kind, style
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.pages.numerals import NBSP, interval, percent, times
from leadapron.results import Measured, Results
from leadapron.results.selection import at_largest_pool, attackers, select

LONGEST = 12
"""Letters of a name for which there is room."""


def side_by_side(results: Results) -> Figure:
    """Every attacker at the headline's pool, and in the whole release."""
    title = "Attackers side by side"
    reading = (
        f"Each row is one way to attack. The mark is how often the right one comes first, the bar its 95{NBSP}% "
        "interval; the dotted line is guessing. If two bars overlap widely, the data do not tell which is stronger."
    )
    spot = results.spot
    rows = select(results, direction=spot.direction, protocol="random", metric="recall@1")
    blocks = [[row for row in rows if row.pool == spot.pool], at_largest_pool(rows)]
    blocks = [block for number, block in enumerate(blocks) if block and block not in blocks[:number]]
    if not blocks:
        return Figure("attackers", title, reading, missing="The results hold no recall@1 in random pools.")
    names = attackers(results)
    lines: list[Row] = []
    guides: list[Guide] = []
    for block in blocks:
        pool, chance = block[0].pool, block[0].chance
        lines.append(Row((f"Pool of {pool:,}", "", ""), rule=bool(lines), class_="strong"))
        guides.append(Guide(chance, len(lines) - 1, len(lines) + len(block), "guessing", "chance"))
        for row in sorted(block, key=lambda row: -row.value):
            order = names.index(row.attacker)
            cells = (row.attacker, percent(row.value), f"{interval(row.low, row.high)}")
            lines.append(Row(cells, (_dot(row, mark_kind(order), style(order)),), class_="" if order else "strong"))
    layout = Layout(
        ((8.0, "Attacker"), (-138.0, "Right first"), (-4.0, f"95{NBSP}% interval")), 120.0 + _wider(names), 545.0
    )
    described = "; ".join(f"{row.cells[0]} {row.cells[1]} ({row.cells[2]})" for row in lines if row.dots)
    svg = draw_rows("attackers", title, described, layout, lines, guides, "Right one first (logarithmic)")
    return Figure("attackers", title, reading, svg=svg)


def random_against_hard(results: Results) -> Figure:
    """What is left when the wrong candidates have the same findings as the right one."""
    title = "Random against pathology-matched pools"
    reading = (
        "Filled: the wrong candidates are drawn at random. Hollow: they are those with the most similar findings. If "
        "the hollow mark stays right of the dotted line, the pairing uses more than the diagnosis."
    )
    spot = results.spot
    hard = at_largest_pool(select(results, direction=spot.direction, protocol="hard", metric="recall@1"))
    if not hard:
        return Figure("hard", title, reading, missing=f"There are no pathology-matched pools: {_why_not(results)}.")
    names = attackers(results)
    lines = []
    for number, row in enumerate(sorted(hard, key=lambda row: names.index(row.attacker))):
        order = names.index(row.attacker)
        easy = _random_at(results, row)
        change = "" if easy is None or not easy.value else f"{100 * (row.value / easy.value - 1):+.0f}{NBSP}%"
        plain = "–" if easy is None else percent(easy.value)
        class_ = "" if order else "strong"
        cells = (row.attacker, "random", plain, "")
        lines.append(Row(cells, () if easy is None else (easy,), rule=number > 0, class_=class_))
        cells = ("", "matched", percent(row.value), change.replace("-", "−"))
        lines.append(Row(cells, (_dot(row, mark_kind(order), f"{style(order)} hollow"),), class_=class_))
    wider = _wider(names)
    guides = [Guide(hard[0].chance, 0, len(lines), "guessing", "chance")]
    layout = Layout(
        ((8.0, "Attacker"), (104.0 + wider, "Pool"), (-84.0, "Right first"), (-4.0, "Change")),
        180.0 + wider,
        580.0,
        row_height=23.0,
    )
    axis = f"Right one first in a pool of {hard[0].pool:,} (logarithmic)"
    described = "; ".join(" ".join(row.cells) for row in lines)
    return Figure("hard", title, reading, svg=draw_rows("hard", title, described, layout, lines, guides, axis))


def _wider(names: list[str]) -> float:
    """What names need that are put together of parts, in the unit of the picture."""
    return max(0.0, 7.0 * (max(map(len, names)) - LONGEST))


def _why_not(results: Results) -> str:
    """As the audit's own check says it."""
    checks = (outcome.reason for outcome in results.outcomes if outcome.check == MATCHED_POOLS)
    return next(checks, "no attacker was run who ranks the candidates of a single query")


def _random_at(results: Results, hard: Measured) -> Dot | None:
    """The same attacker in random pools of the same size: an estimate, or a point of the curve."""
    spot = {"direction": hard.direction, "attacker": hard.attacker, "pool": hard.pool, "metric": hard.metric}
    order = attackers(results).index(hard.attacker)
    for row in select(results, protocol="random", **spot):
        return _dot(row, mark_kind(order), style(order))
    curve = results.evidence("curve")
    if curve is None:
        return None
    found = curve.filter(*(pl.col(key) == spot[key] for key in ("direction", "attacker", "pool")))["recall"]
    tip = f"{hard.attacker}, random pool of {hard.pool:,}"
    return Dot(found[0], None, None, mark_kind(order), style(order), tip) if len(found) else None


def _dot(row: Measured, kind: str, class_: str) -> Dot:
    tip = f"{row.attacker}, pool of {row.pool:,}: {percent(row.value)} ({times(row.enrichment)} guessing)"
    return Dot(row.value, row.low, row.high, kind, class_, tip)
