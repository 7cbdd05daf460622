"""AUCs in rows, each with its interval: attacks beside what chance gives, and beside what training promised."""

from __future__ import annotations

import math
from dataclasses import replace

from leadapron.attacks.membership.membership_measures import AGGREGATE, PATIENT, RECORD, SCORES, TOP
from leadapron.attacks.membership.membership_numbers import attacks, auc, few, highest_auc, promise_of
from leadapron.audits.wording import written_range
from leadapron.pages.figures import Figure
from leadapron.pages.figures.axes import mark_kind, style
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.pages.numerals import NBSP
from leadapron.results import Measured, Results
from leadapron.results.selection import first, select

HALF = 0.5
INTERVAL = f"95{NBSP}% interval"


def attacks_and_chance(results: Results) -> Figure:
    """Attacks, records and patients on average, and the patients who are most exposed."""
    figure = Figure(
        "attackers",
        "Attacks on average, and on the most exposed",
        "Each mark is an AUC: how often a model that was trained on somebody is told from one that was not. The bar is "
        f"its {INTERVAL}, the dotted line what chance gives. Above: everybody together. Below: the AUC that one "
        "patient in a hundred reaches, or one in a thousand; with few models, chance reaches high there, too.",
        missing="The results hold no AUC of an attack or of patients.",
    )
    blocks = {
        "Attacks on models, on average": select(results, protocol=AGGREGATE, metric="auc"),
        "Records, on average": select(results, protocol=RECORD, metric="auc"),
        "Patients, on average": select(results, protocol=PATIENT, metric="auc"),
        "One patient in a hundred": select(results, protocol=PATIENT, metric=f"{TOP}0.01"),
        "One patient in a thousand": select(results, protocol=PATIENT, metric=f"{TOP}0.001"),
    }
    return draw_blocks(figure, blocks, attacks(results))


def draw_blocks(figure: Figure, blocks: dict[str, list[Measured]], names: list[str]) -> Figure:
    """Blocks of rows below their heads; ``names`` are the attacks in the order of their styles."""
    lines: list[Row] = []
    guides: list[Guide] = []
    for head, block in blocks.items():
        if not block:
            continue
        lines.append(Row((head, "", "", ""), rule=bool(lines), class_="strong"))
        average = all(row.chance == HALF for row in block)
        if average:
            words = "chance" if len(lines) == 1 else ""
            guides.append(Guide(HALF, len(lines) - 1, len(lines) + len(block), words, "chance"))
        for row in sorted(block, key=lambda row: _place(row, names)):
            if not average:
                guides.append(Guide(row.chance, len(lines), len(lines) + 1, "", "chance"))
            lines.append(_row(row, names))
    if not lines:
        return figure
    columns = ((8.0, "Attack or score"), (-200.0, "AUC"), (-84.0, INTERVAL), (-4.0, "By chance"))
    layout = Layout(columns, 200.0, 480.0, row_height=22.0, begin=_begin(lines), words=lambda tick: f"{tick:g}")
    described = "; ".join(f"{row.cells[0]} {row.cells[1]} ({row.cells[2]})" for row in lines if row.dots)
    svg = draw_rows(figure.key, figure.title, described, layout, lines, guides, "AUC")
    return replace(figure, svg=svg, missing="")


def _place(row: Measured, names: list[str]) -> tuple[int, float]:
    """Scores in the order of their names, attacks by their strength."""
    if row.protocol == PATIENT and row.attacker in SCORES:
        return SCORES.index(row.attacker), 0.0
    return (0 if row.attacker in names else 1), -row.value


def _begin(rows: list[Row]) -> float:
    """A little below chance, or below whatever is lower still."""
    lows = [dot.value if dot.low is None else dot.low for row in rows for dot in row.dots]
    return max(math.floor(20 * min(*lows, HALF) - 1e-9), 0) / 20


def _row(row: Measured, names: list[str]) -> Row:
    kind, class_ = "square", "ink"
    if row.protocol == AGGREGATE and row.attacker in names:
        order = names.index(row.attacker)
        kind, class_ = mark_kind(order), style(order)
    return _in_a_row(row, row.attacker, kind, class_, auc(row.chance))


def _in_a_row(row: Measured, name: str, kind: str, class_: str, *more: str) -> Row:
    range_ = written_range("auc", row.low, row.high)
    dot = Dot(row.value, row.low, row.high, kind, class_, f"{name}: {auc(row.value)} ({range_})")
    return Row((name, auc(row.value), range_, *more), (dot,))


def promised(results: Results) -> Figure:
    """What training promised by differential privacy, held against what was measured."""
    title = "What was promised, and what was measured"
    reading = (
        "The dashed line is the most that any attack can reach if training kept its promise. Each mark is an AUC that "
        f"was measured, the bar its {INTERVAL}. A bar that lies wholly right of its line breaks the promise; left of "
        "it, the promise may hold or not. Where single records were protected, a patient with several is protected "
        "less: the solid line is theirs."
    )
    held = promise_of(results)
    if held is None:
        missing = "No promise of differential privacy was given; --epsilon with --delta, --mu or --profile give one."
        return Figure("promise", title, reading, missing=missing)
    best = highest_auc(results)
    measured = {
        f"All records ({best.attacker if best else ''})": best,
        "One patient in a hundred": first(results, protocol=PATIENT, attacker="joint", metric=f"{TOP}0.01"),
        "One patient in a thousand": first(results, protocol=PATIENT, attacker="joint", metric=f"{TOP}0.001"),
    }
    rows = [_in_a_row(row, name, "circle", "s0") for name, row in measured.items() if row is not None]
    if not rows:
        return Figure("promise", title, reading, missing="The results hold no AUC to hold against the promise.")
    guides = [Guide(held.auc_bound_record, 0, len(rows), f"one {held.unit}", "threshold")]
    several = min((int(size) for size in held.auc_bound_patient if int(size) > 1), default=0)
    if several and held.unit == "record":
        guides.append(Guide(held.auc_bound_patient[str(several)], 0, len(rows), f"{several} records", "everybody"))
    columns = ((8.0, "Measured"), (-128.0, "AUC"), (-4.0, INTERVAL))
    begin = min(HALF, *(dot.low for row in rows for dot in row.dots if dot.low is not None))
    layout = Layout(columns, 200.0, 560.0, row_height=32.0, begin=begin, words=lambda tick: f"{tick:g}")
    described = f"The bound for one {held.unit} is {auc(held.auc_bound_record)}; "
    described += "; ".join(" ".join(row.cells) for row in rows)
    svg = draw_rows("promise", title, described, layout, rows, guides, "AUC")
    records, patients = held.records, held.patients
    note = (
        f"One by one, {few(records.above)} records and {few(patients.above)} patients are above their own bound, "
        f"{few(records.surely_above)} and {few(patients.surely_above)} surely so after all comparisons. Estimates "
        "scatter: some are above although the promise was kept."
    )
    return Figure("promise", title, reading, svg, note=note)
