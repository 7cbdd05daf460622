"""How many patients are above an AUC: without the scatter of estimates, by every score, and by chance alone."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from leadapron.attacks.membership.membership_numbers import auc, people
from leadapron.pages.figures import Figure
from leadapron.pages.figures.axes import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, axes, line_key
from leadapron.pages.figures.scales import Linear, Log
from leadapron.pages.figures.svg import Point, area, drawing, line, mark, polyline, text
from leadapron.pages.numerals import NBSP, interval, percent, round_percent, so_many
from leadapron.results import Results
from leadapron.results.selection import SMALLEST_CELL

TRUE = "joint-true"
SCORES = {"joint": "s4", "calibrated": "s3", "maximum": "s1"}
NAMES = {TRUE: "joint, true", "joint": "joint", "calibrated": "calibrated", "maximum": "maximum"}
READ_OFF = (0.7, 0.9, 0.99)


@dataclass(frozen=True)
class Plane:
    """The drawing's plane: AUCs to the right, shares of the patients upwards."""

    x: Linear
    y: Log

    def __call__(self, auc: float, share: float) -> Point:
        return self.x(auc), self.y(share)

    def line(self, table: pl.DataFrame, column: str) -> list[Point]:
        return list(map(self, table["auc"], table[column]))


def patients_above(results: Results) -> Figure:
    title = "Patients above an AUC"
    reading = (
        "Pick an AUC below, go up to the thick line and read at the left what share of the patients is above it: 0.5 "
        "is guessing, at 1 a member is always recognised. Estimates scatter, and the dotted lines are what scatter "
        "alone gives; the thick line is without it. Where another line meets its dotted one, it shows nothing but "
        "chance. The patients at the right are those that an average hides."
    )
    table = results.evidence("survival")
    if table is None or table.is_empty():
        missing = "The results came without the evidence “survival”, from which this figure is drawn."
        return Figure("survival", title, reading, missing=missing)
    patients = max(results.counts["patients"] or 0, 1)
    place = Plane(Linear(0.5, 1, LEFT, RIGHT), Log(1 / (1.6 * max(patients, 10)), 1, BOTTOM, TOP))
    titles = "AUC of a patient", "Patients above it (logarithmic)"
    parts = axes(place.x, place.y, *titles, lambda tick: f"{tick:g}", round_percent)
    own = table.filter(pl.col("score") == TRUE, pl.col("share") >= 1 / patients - 1e-12).sort("auc")
    if len(own):
        parts.append(area(place.line(own, "high"), place.line(own, "low"), "band s0"))
    entries = [(NAMES[TRUE], "s0")]
    for name, class_ in reversed(SCORES.items()):
        rows = table.filter(pl.col("score") == name).sort("auc")
        shown = rows.filter(pl.col("share") * patients >= SMALLEST_CELL - 1e-9)
        if len(shown):
            parts.append(polyline(place.line(shown, "share"), f"line {class_}"))
            entries.insert(1, (NAMES[name], class_))
        if name != "calibrated" and "chance" in rows.columns:  # that of a calibrated one is nearly the joint one's
            there = rows.filter(pl.col("chance") >= place.y.low)
            parts += [polyline(place.line(there, "chance"), f"chance {class_}")] if len(there) else []
    if len(own):
        parts.append(polyline(place.line(own, "share"), "line s0"))
    told = []
    for row in own.filter(pl.col("auc").round(6).is_in(READ_OFF)).iter_rows(named=True):
        size = people(row["share"], row["high"], patients)
        words = f"{so_many(row['share'], size)} of {size:,}"
        tip = f"above {auc(row['auc'])}: {percent(row['share'])} ({interval(row['low'], row['high'])}) of the patients"
        at_x, at_y = place(row["auc"], row["share"])
        parts += [line(at_x, at_y, at_x, BOTTOM, "leader"), mark("circle", at_x, at_y, "s0", tip)]
        parts.append(text(words, at_x + 6, at_y - 10, class_="label strong halo"))
        told.append(tip)
    parts += line_key([*entries, ("by chance", "chance")])
    note = (
        f"Shaded: 95{NBSP}% interval of the true share, which allows for the error of every AUC and for the number of "
        f"patients. Counts of fewer than {SMALLEST_CELL} patients are not drawn; the true share is an estimate and no "
        "count. Dotted lines have the colour of the score whose chance they are."
    )
    svg = drawing("survival", WIDTH, HEIGHT, title, "; ".join(told) or reading, parts)
    return Figure("survival", title, reading, svg=svg, note=note)
