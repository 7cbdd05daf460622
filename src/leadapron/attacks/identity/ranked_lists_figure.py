"""Ranked lists: the right patient first against the size of the gallery, and among the first so many of all images."""

from __future__ import annotations

import polars as pl

from leadapron.pages.figures import Figure
from leadapron.pages.figures.axes import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    attacker_lines,
    axes,
    end_labels,
    mark_kind,
    style,
)
from leadapron.pages.figures.pool_curves import Curves, draw_pools
from leadapron.pages.figures.scales import Linear, Log
from leadapron.pages.figures.svg import area, drawing, mark, text
from leadapron.pages.numerals import NBSP, interval, percent, round_percent
from leadapron.results import Results
from leadapron.results.selection import attackers, headline, select

READ_OFF = (1, 10, 100)


def gallery_size(results: Results) -> Figure:
    """How often the right patient comes first, against the number of strangers."""
    figure = Figure(
        "gallery",
        "Right patient first, against the size of the gallery",
        "Further right, more strangers' images stand beside the patient's own; further up, the patient is found first "
        "more often. Lines above the dotted one do better than guessing. Both axes are logarithmic: each step is ten "
        "times the one before.",
        missing="The results came without the evidence “gallery”, from which this figure is drawn.",
    )
    table = results.evidence("gallery")
    if table is None or table.is_empty():
        return figure
    table = table.sort("attacker", "pool")
    names = attackers(results)
    own = table.filter(pl.col("attacker") == names[0])
    curves = Curves(
        paths={name: table.filter(pl.col("attacker") == name).select("pool", "value").rows() for name in names},
        chance=(own if len(own) else table).select("pool", "chance").unique("pool").sort("pool").rows(),
        band=own.select("pool", "low", "high").rows(),
        points=select(results, protocol="random", metric="precision@1"),
        headline=headline(results),
        candidates="One more than the strangers' images in the gallery",
        success="Right patient first",
    )
    return draw_pools(figure, curves)


def cmc(results: Results) -> Figure:
    """How far down the list of all images one must look to meet the right patient."""
    title = "Right patient among the first images"
    reading = (
        "The attacker puts all other images of the release in order, the most alike first. Go right to the number of "
        "images that are looked at, up to a line, and read at the left how often the right patient is among them. A "
        "person can look at ten by eye."
    )
    table = results.evidence("cmc")
    if table is None or table.is_empty():
        missing = "The results came without the evidence “cmc”, from which this figure is drawn."
        return Figure("cmc", title, reading, missing=missing)
    table = table.sort("attacker", "rank")
    names = attackers(results)
    x, y = Log(1, max(*table["rank"], 2), LEFT, RIGHT), Linear(0, 1, BOTTOM, TOP)
    parts = axes(
        x, y, "Images looked at (logarithmic)", "Right patient among them", lambda tick: f"{tick:,.0f}", round_percent
    )
    own = table.filter(pl.col("attacker") == names[0]).select("rank", "value", "low", "high").rows()
    if own:
        lower, upper = ([(x(row[0]), y(row[edge])) for row in own] for edge in (2, 3))
        parts.append(area(upper, lower, "band s0"))
    points = {name: table.filter(pl.col("attacker") == name).select("rank", "value").rows() for name in names}
    lines, labels = attacker_lines({name: [(x(one), y(two)) for one, two in rows] for name, rows in points.items()})
    parts += [*lines, *end_labels(labels, high=BOTTOM - 8)]
    told = []
    for rank, value, low, high in own:
        if rank in READ_OFF:
            tip = f"{names[0]}, first {rank}: {percent(value)} ({interval(low, high)})"
            parts.append(mark(mark_kind(0), x(rank), y(value), style(0), tip))
            told.append(tip)
    if told:
        rank, value, *_ = own[0]
        parts.append(text(percent(value), x(rank) + 8, y(value) + 20, class_="label strong halo"))
    note = f"Shaded: 95{NBSP}% interval of the headline attacker, {names[0]}." if own else ""
    svg = drawing("cmc", WIDTH, HEIGHT, title, "; ".join(told) or reading, parts)
    return Figure("cmc", title, reading, svg=svg, note=note)
