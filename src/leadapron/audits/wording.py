"""Numbers in words, as their measure declares them: one pattern per scale, for a verdict and for a comparison."""

from __future__ import annotations

from leadapron.audits.audit import Audit
from leadapron.audits.measure import PERCENTAGES, Measure, Scale
from leadapron.pages.numerals import NBSP, interval, out_of, percent, round_percent, significant, so_many
from leadapron.results import Measured

COMPARISONS = 1000
"""An AUC is told as so many comparisons of a pair."""
OF_BOARD = 1000
"""On one page all shares are of so many: 75 of 100 beside 232 of 1,000 would look like the smaller one."""
ALWAYS = 0.9995
"""AUCs above would be rounded to one, which nobody has measured."""
SELDOM = 1e-5
"""Chances below are written as that they are: next to none."""


def lowered(words: str) -> str:
    """With a small first letter, as within a sentence; AUROC and F1 stay as they are."""
    return words if words[1:2].isupper() or words[1:2].isdigit() else words[:1].lower() + words[1:]


def title_of(audit: Audit, row: Measured) -> str:
    """Right report first."""
    return audit.measure_of(row.metric).title.format_map(audit.words_of(row))


def units_of(audit: Audit, row: Measured) -> str:
    return audit.measure_of(row.metric).units.format_map(audit.words_of(row))


def counted_of(audit: Audit, row: Measured) -> str:
    """What the number rests on so many of."""
    measure = audit.measure_of(row.metric)
    return (measure.counted or measure.units).format_map(audit.words_of(row))


def event_of(audit: Audit, row: Measured) -> str:
    return audit.measure_of(row.metric).event.format_map(audit.words_of(row))


def place_of(audit: Audit, row: Measured) -> str:
    """Where it was measured: among 1,000 at random. Without words of the audit's own, its coordinates."""
    if audit.place:
        return audit.place.format_map(audit.words_of(row))
    titles = {name: audit.coordinates[name].title.lower() for name in row.at}
    return ", ".join(f"{titles[name]} {str(value).replace('_', ' ')}" for name, value in row.at.items())


def named(audit: Audit, row: Measured) -> str:
    """Right one first (recall@1): the measure with its key, which many titles name already."""
    title = title_of(audit, row)
    return title if row.metric.lower() in title.lower() else f"{title} ({row.metric})"


def titled(audit: Audit, row: Measured) -> str:
    """The measure, and where: a heading or a row of a table."""
    place = place_of(audit, row)
    return f"{title_of(audit, row)}, {place}" if place else title_of(audit, row)


def sentence(audit: Audit, row: Measured) -> str:
    """The number of an audit, without a full stop: Of 1,000 radiographs, … for 102; by guessing, for 1."""
    return _worded(audit, row, told_of(audit, row))


def for_board(audit: Audit, row: Measured) -> str:
    """The same for readers who know nothing of attacks, where the measure has words for them: all of 1,000."""
    measure = audit.measure_of(row.metric)
    if not measure.for_board or measure.scale not in ("share", "auc"):
        return _worded(audit, row, told_of(audit, row, size=OF_BOARD), OF_BOARD)
    size = OF_BOARD
    counts = {"found": so_many(row.value, size), "guessed": so_many(row.chance, size), "size": f"{size:,}"}
    told = measure.for_board.format_map({**audit.words_of(row), **counts}).replace("radiograph", "X-ray")
    return f"{told[:1].upper()}{told[1:]}"


def change_sentence(audit: Audit, row: Measured, before: float, after: float) -> str:
    """The same of two audits. ``row`` says what was measured, on how many, and what guessing gives."""
    told = f"{told_of(audit, row, before)} before and {told_of(audit, row, after)} after"
    return _worded(audit, row, told)


def size_of(row: Measured) -> int:
    """Of how many units a share is told."""
    return out_of(row.chance, row.n)


def told_of(audit: Audit, row: Measured, value: float | None = None, *, size: int | None = None) -> str:
    """A value of the row's kind, its own unless another is given, as a sentence counts it: for 102, or 61 times."""
    scale, own = audit.measure_of(row.metric).scale, row.value if value is None else value
    if scale == "share":
        return f"for {so_many(own, size or size_of(row))}"
    return f"{so_many(own, COMPARISONS)} times" if scale == "auc" else written(scale, own)


def _worded(audit: Audit, row: Measured, told: str, size: int | None = None) -> str:
    scale, event = audit.measure_of(row.metric).scale, event_of(audit, row)
    guessed = told_of(audit, row, row.chance, size=size)
    if scale == "share":
        return f"Of {size or size_of(row):,} {units_of(audit, row)}, {event} {told}; by guessing, {guessed}"
    if scale == "auc":
        return f"In {COMPARISONS:,} comparisons, {event} {told}; by guessing, {guessed}"
    return f"{event[:1].upper()}{event[1:]}: {told}; by guessing, {guessed}"


def written(scale: Scale, value: float) -> str:
    """A number as its scale is written: a percentage, an AUC, or a plain number."""
    if scale in PERCENTAGES:
        return percent(value)
    if scale == "auc":
        return f"> {ALWAYS:.4f}" if ALWAYS < value < 1 else f"{value:.3f}"
    return significant(value)


def written_range(scale: Scale, low: float, high: float) -> str:
    if scale in PERCENTAGES:
        return interval(low, high)
    if scale == "auc":
        decimals = next((count for count in (3, 4, 5) if round(low, count) != round(high, count)), 3)
        return f"{low:.{decimals}f}–{high:.{decimals}f}"
    return f"{significant(low)}–{significant(high)}"


def written_chance(scale: Scale, chance: float) -> str:
    if scale not in PERCENTAGES:
        return written(scale, chance)
    return f"<{NBSP}{round_percent(SELDOM)}" if 0 < chance < SELDOM else round_percent(chance)


def written_difference(measure: Measure, difference: float) -> str:
    """With a sign and a true minus; of shares in percentage points."""
    size = f"{abs(difference):.4f}" if measure.scale == "auc" else significant(100 * abs(difference))
    if measure.scale == "plain":
        size = significant(abs(difference))
    return size if float(size.replace(",", "")) == 0 else f"{'−' if difference < 0 else '+'}{size}"


def written_change(measure: Measure, low: float, high: float, *, told: str) -> str:
    """A difference that is told, with its interval; none where both ends and itself would be written as nought."""
    ends = [written_difference(measure, end) for end in (low, high)]
    if {told.rstrip("°"), *ends} <= {"0", "0.0000"}:
        return "none"
    return f"{told} ({ends[0]}{NBSP}to{NBSP}{ends[1]})"


def difference_unit(measure: Measure) -> str:
    return " percentage points" if measure.scale in PERCENTAGES else ""
