"""Two pictures for those who would rather look: the models side by side, and the recipe taken apart."""

from __future__ import annotations

from collections.abc import Sequence

from leadapron.pages.figures import Figure
from leadapron.pages.figures.row_chart import Dot, Guide, Layout, Row, draw_rows
from leadapron.pages.numerals import NBSP, percent
from leadapron.reproductions.study_config import HOME, UNDEFENDED
from leadapron.reproductions.study_page_tables import (
    NONE,
    SITES,
    WAYS,
    Number,
    Numbers,
    largest_pool,
    models_in,
    plain_attack,
)

HERE, STUDY = ("circle", "s0"), ("square", "s1 hollow")
STRONGEST = {"vectors": ("diamond", "s2"), "words": ("triangle", "s3")}
WIDEST = "batch norm kept, noise only"


def models_figure(numbers: Numbers) -> Figure | None:
    """Every model at both hospitals, in the largest random pool that this run shares with the study."""
    title = "Models as they are: the right report comes first"
    rows = {key: row for key, row in numbers.items() if key[0] == "1" and key[5] == "recall@1" and key[4].isdigit()}
    pools = [int(key[4]) for key, row in rows.items() if row["found"] is not None and row["published"] is not None]
    if not pools:
        return None
    pool = str(max(pools))
    lines: list[Row] = []
    for site, called in SITES.items():
        models = [model for model in models_in(numbers) if ("1", site, model, "random", pool, "recall@1") in rows]
        if models:
            lines.append(Row((called, "", ""), rule=bool(lines), class_="strong"))
        for model in models:
            row = rows["1", site, model, "random", pool, "recall@1"]
            lines.append(Row((model, _told(row, "published"), _told(row, "found")), _both(row, model)))
    reading = (
        f"Filled: this run, with its 95{NBSP}% interval. Hollow: the study. The dotted line is guessing. Further right "
        "is a higher risk."
    )
    guides = [Guide(1 / int(pool), 0, len(lines), "guessing", "chance")]
    layout = Layout(((8.0, "Model"), (-96.0, "Study"), (-4.0, "Here")), 160.0, 590.0)
    axis = f"Right report first among {int(pool):,} (logarithmic)"
    described = "; ".join(", ".join(filter(None, line.cells)) for line in lines)
    return Figure("models", title, reading, draw_rows("models", title, described, layout, lines, guides, axis))


def apart_figure(numbers: Numbers, arms: Sequence[str]) -> Figure | None:
    """Every arm by three attackers."""
    title = "The recipe taken apart"
    pool = largest_pool(numbers)
    if pool is None:
        return None
    lines: list[Row] = []
    for arm in (UNDEFENDED, *arms):
        plain = plain_attack(numbers, arm, pool)
        strong = {by: numbers.get(("strongest", HOME, arm, by, pool, "recall@1")) for by in WAYS}
        dots = _dots(plain, "found", HERE, f"{arm}, published attacker")
        for by, row in strong.items():
            dots += _dots(row, "found", STRONGEST[by], f"{arm}, strongest by {by}")
        cells = (arm, *(_told(row, "found") for row in (plain, *strong.values())))
        lines.append(Row(cells, dots, rule=len(lines) == 1, class_="" if lines else "strong"))
    reading = (
        f"Circle: the published attacker. Diamond: the strongest by vectors. Triangle: the strongest who holds the "
        f"reports' words and the encoder. Bars are 95{NBSP}% intervals, the dotted line is guessing. Each row is heads "
        "trained in another way; the table below tells which."
    )
    guides = [Guide(1 / int(pool), 0, len(lines), "guessing", "chance")]
    columns = ((8.0, "Heads"), (-148.0, "Published"), (-76.0, "Vectors"), (-4.0, "Words"))
    layout = Layout(columns, 24.0 + 7.0 * len(WIDEST), 528.0)
    axis = f"Right report first among {int(pool):,} (logarithmic)"
    described = "; ".join(", ".join(line.cells) for line in lines)
    return Figure("chain", title, reading, draw_rows("chain", title, described, layout, lines, guides, axis))


def _both(row: Number, model: str) -> tuple[Dot, ...]:
    return _dots(row, "published", STUDY, f"{model}, study") + _dots(row, "found", HERE, f"{model}, here")


def _dots(row: Number | None, name: str, look: tuple[str, str], tip: str) -> tuple[Dot, ...]:
    """A mark, if there is a number; in shares, as the axis has it."""
    if row is None or row[name] is None:
        return ()
    low, high = (None if row[f"{name}_{end}"] is None else row[f"{name}_{end}"] / 100 for end in ("low", "high"))
    return (Dot(row[name] / 100, low, high, *look, f"{tip}: {_told(row, name)}"),)


def _told(row: Number | None, name: str) -> str:
    return NONE if row is None or row[name] is None else percent(row[name] / 100)
