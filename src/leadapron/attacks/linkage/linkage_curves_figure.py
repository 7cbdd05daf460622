"""Linkage against the size of the pool, and the same as enrichment over chance."""

from __future__ import annotations

import polars as pl

from leadapron.pages.figures import Figure
from leadapron.pages.figures.pool_curves import Curves, Path, draw_pools
from leadapron.pages.figures.scales import Log
from leadapron.results import Results
from leadapron.results.selection import attackers, headline, select

POINTS = 160
MISSING = "The results came without the evidence “curve” and “bands”, from which this figure is drawn."


def pool_size(results: Results) -> Figure:
    """How often the right one comes first, against the pool, on logarithmic axes."""
    figure = Figure(
        "pool-size",
        "Linkage against the size of the pool",
        "Further right, the attacker must search among more candidates; further up, the right one is found more often. "
        "Lines above the dotted one do better than guessing. Both axes are logarithmic: the same distance is the "
        "same factor everywhere, from 10 to 100 as from 100 to 1,000.",
        missing=MISSING,
    )
    curves = _curves(results)
    return figure if curves is None else draw_pools(figure, curves)


def enrichment(results: Results) -> Figure:
    """The same lines, divided by chance."""
    figure = Figure(
        "enrichment",
        "Enrichment over guessing",
        "How many times as often as guessing the attacker is right. 1× is no better than guessing. A line that rises "
        "to the right tells that a larger pool hurts the attacker less than it hurts a guesser.",
        missing=MISSING,
    )
    curves = _curves(results)
    return figure if curves is None else draw_pools(figure, curves, enriched=True)


def _curves(results: Results) -> Curves | None:
    direction = results.spot.direction
    lines, bands = (_of(results.evidence(name), direction) for name in ("curve", "bands"))
    if lines is None and bands is not None:
        lines = bands.select("attacker", "pool", recall="value")
    if lines is None or lines.is_empty():
        return None
    names = attackers(results)
    points = select(results, direction=direction, protocol="random", metric="recall@1")
    paths = {name: _thin(lines.filter(pl.col("attacker") == name)) for name in names}
    last = max(max(lines["pool"]), *(row.pool for row in points), 3)
    band = [] if bands is None else bands.filter(pl.col("attacker") == names[0]).select("pool", "low", "high").rows()
    chance = [(2, 1 / 2), (last, 1 / last)]
    return Curves(paths, chance, band, points, headline(results), "Candidates in the pool", "Right one first")


def _of(table: pl.DataFrame | None, direction: str) -> pl.DataFrame | None:
    return None if table is None else table.filter(pl.col("direction") == direction).sort("attacker", "pool")


def _thin(rows: pl.DataFrame) -> Path:
    """At most so many points, evenly spaced on the logarithmic axis, both ends among them."""
    table: Path = list(rows.select("pool", "recall").iter_rows())
    if len(table) <= POINTS:
        return table
    scale = Log(1, len(table), 0, POINTS - 1)
    kept = {round(scale(place + 1)): row for place, row in reversed(list(enumerate(table)))}
    kept[POINTS] = table[-1]
    return [kept[place] for place in sorted(kept)]
