"""A comparison for people and machines: the page, Markdown, JSON, and a table for the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict, fields
from pathlib import Path

from leadapron import __version__
from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.basis import apart
from leadapron.audits.standard_glossary import glossary
from leadapron.audits.wording import (
    title_of,
    titled,
    written,
    written_chance,
    written_change,
    written_difference,
    written_range,
)  # fmt: skip
from leadapron.comparisons.comparison import Change, Comparison, PairedChange
from leadapron.comparisons.comparison_words import support, verdict
from leadapron.comparisons.dumbbell import at_once, axis_of, dumbbells, grouped
from leadapron.comparisons.use_changes import as_content
from leadapron.comparisons.use_words import HOW_CLEAR, cost_table
from leadapron.engine import atomic_path
from leadapron.errors import ConfigError
from leadapron.pages.html import render_html
from leadapron.pages.markdown import render_markdown
from leadapron.pages.numerals import NBSP, p_value
from leadapron.pages.page import Block, Definitions, Folded, Page, Section, Table, Text, Verdict, kept, table
from leadapron.pages.terminal_text import in_columns, wrapped

COLUMNS = ("Before", "After", "Difference", "p")
CAVEAT = (
    "A p-value tells whether the two audits differ by more than the choice of patients explains. It does not tell "
    "whether what remains is acceptable."
)
ONE_TEST = (
    "One difference is tested: that of the verdict. All others only describe: their p-values are not adjusted for "
    "their number, and of many a few are small by chance."
)
OF_USES = (
    "Losses and gains are adjusted for their number, and one difference is tested, that of the verdict. All others "
    "only describe: of many a few are small by chance."
)
IN_BRACKETS = (
    f"In brackets the 95{NBSP}% interval; patients are its units. A difference is paired, the same {{who}} on the "
    "same records before and after; judge by its interval and not by whether the other two overlap. Shares differ by "
    "percentage points. A dash stands where what each record got is not kept."
)
TERMS = {
    "Paired difference": "Each record's own value after, minus that before, averaged. What makes a record easy or hard "
    "to find counts on both sides and drops out.",
    "Percentage point": "From 10 % to 7 % is minus 3 percentage points.",
    "p": "How often a difference at least this large comes up by the choice of patients alone, if nothing has changed.",
}


def page_of(comparison: Comparison) -> Page:
    """The verdict first, then each direction with its figure and its tables."""
    audit = find_audit(comparison.audit)
    shown, more = _first_rows(audit, comparison), _other_rows(audit, comparison)
    tested = comparison.paired[0].at
    sections = []
    for number, (name, rows) in enumerate(shown.items(), start=1):
        blocks = _part(audit, f"part-{number}-figure", tested.metric, rows, more.get(name, []))
        sections.append(Section(f"part-{number}", name or title_of(audit, tested), blocks))
    terms = Definitions(dict(sorted({**glossary(audit).entries, **TERMS}.items(), key=_alphabet)), "glossary")
    footer = (
        f"Made by leadapron {__version__}, seed {comparison.seed}. This page holds no patient number, no image and no "
        "text of a report."
    )
    said, rests = apart(verdict(comparison))
    return Page(
        comparison.title or f"{comparison.before} → {comparison.after}",
        f"Two audits of the same records, before and after · {audit.question}",
        Verdict("What changed", "Measured", said, (rests, *support(comparison)), f"{CAVEAT} {_tests(audit)}"),
        (*_cost(comparison), *sections, Section("glossary", "Glossary", (terms,))),
        footer,
    )


def _cost(comparison: Comparison) -> tuple[Section, ...]:
    """Of a use: its changes, the worst clear one first."""
    blocks = kept(cost_table("Every clear change, and the means", list(comparison.uses)))
    return (Section("cost", "What is lost, and what is won", (*blocks, Text(HOW_CLEAR, note=True))),) if blocks else ()


def _tests(audit: Audit) -> str:
    return OF_USES if audit.about == "use" else ONE_TEST


def _alphabet(entry: tuple[str, str]) -> str:
    return entry[0].lower()


def _part(audit: Audit, key: str, tested: str, rows: list[Change], more: list[Change]) -> tuple[Block, ...]:
    drawn = [change for change in rows if change.before.metric == tested]
    figure = dumbbells(audit, drawn, key=key) if drawn else None
    folded = Folded("Other measures", tuple(_tables(audit, more))) if more else None
    return kept(figure, *_tables(audit, rows), Text(IN_BRACKETS.format(who=audit.who), note=True), folded)


def _first_rows(audit: Audit, comparison: Comparison) -> dict[str, list[Change]]:
    """The rows of the first tables, by direction: what is tested, the headline, and what a trial shows beside it."""
    every = [change for change in comparison.changes if change.before.group is None]
    return _by_part(audit, [change for change in every if _comes_first(audit, comparison, change)])


def _other_rows(audit: Audit, comparison: Comparison) -> dict[str, list[Change]]:
    """The other rows that are paired; the JSON file holds every row."""
    paired = [change for change in comparison.changes if change.paired]
    return _by_part(audit, [change for change in paired if not _comes_first(audit, comparison, change)])


def _comes_first(audit: Audit, comparison: Comparison, change: Change) -> bool:
    metrics = {comparison.headline, *(paired.at.metric for paired in comparison.paired)}
    return change.before.metric in metrics or any(change.before.has(**wanted) for wanted in audit.in_trials)


def _by_part(audit: Audit, changes: list[Change]) -> dict[str, list[Change]]:
    """By the coordinates that are described beside the headline, smaller pools first."""
    parts: dict[str, list[Change]] = {}
    for change in sorted(changes, key=lambda change: _size(change)):
        words = audit.words_of(change.before)
        name = ", ".join(str(words.get(f"{coordinate}_name", words[coordinate])) for coordinate in audit.beside)
        parts.setdefault(name[:1].upper() + name[1:], []).append(change)
    return parts


def _size(change: Change) -> float:
    pool = change.before.at.get("pool", 0)
    return pool if not isinstance(pool, str) else 0


def _tables(audit: Audit, changes: list[Change]) -> list[Table]:
    """The attackers side by side, a table per measure and place; where there is but one, the places in one table."""
    tables = []
    for rows in grouped(changes, lambda change: title_of(audit, change.before)).values():
        if len({change.before.attacker for change in rows}) == 1 and len(rows) > 1:
            tables.append(_by_place(audit, rows))
            continue
        for name, alike in grouped(rows, lambda change: titled(audit, change.before)).items():
            cells = [[change.before.attacker, *_cells(audit, change)] for change in alike]
            caption = f"{name} (guessing: {_guessing(audit, alike[0])})"
            tables.append(table(caption, (audit.who.capitalize(), *COLUMNS), cells, numbers=4))
    return tables


def _by_place(audit: Audit, rows: list[Change]) -> Table:
    """Each place with what guessing gives there, unless it gives the same everywhere."""
    guesses = [_guessing(audit, change) for change in rows]
    same = len(set(guesses)) == 1
    cells = [
        [at_once(audit, change.before), *([] if same else [guess]), *_cells(audit, change)]
        for change, guess in zip(rows, guesses, strict=True)
    ]
    first = rows[0].before
    caption = f"{title_of(audit, first)}, by {first.attacker}{f' (guessing: {guesses[0]})' if same else ''}"
    columns = (axis_of(audit, [change.before for change in rows]), *([] if same else ["Guessing"]), *COLUMNS)
    return table(caption, columns, cells, numbers=4 if same else 5)


def _guessing(audit: Audit, change: Change) -> str:
    scale = audit.measure_of(change.before.metric).scale
    before, after = (written_chance(scale, row.chance) for row in (change.before, change.after))
    return before if before == after else f"{before} before, {after} after"


def _cells(audit: Audit, change: Change) -> list[str]:
    measure, paired = audit.measure_of(change.before.metric), change.paired
    sides = [
        f"{written(measure.scale, row.value)} ({written_range(measure.scale, row.low, row.high)})"
        for row in (change.before, change.after)
    ]
    difference = "–"
    if paired:
        value = written_difference(measure, paired.difference)
        difference = written_change(measure, paired.low, paired.high, told=value)
    return [*sides, difference, p_value(paired.p) if paired else "–"]


def as_table(comparison: Comparison) -> str:
    """For the terminal: the verdict, then the first tables."""
    audit = find_audit(comparison.audit)
    lines = [*([comparison.title] if comparison.title else [])]
    lines += [f"Before: {comparison.before}", f"After:  {comparison.after}", ""]
    lines += [wrapped(said) for said in (verdict(comparison), *support(comparison))] + [""]
    if comparison.uses:
        lines.append(f"{in_columns(cost_table('', list(comparison.uses)))}\n")
    for rows in _first_rows(audit, comparison).values():
        lines += [f"{in_columns(block)}\n" for block in _tables(audit, rows)]
    return "\n".join([*lines, *map(wrapped, (IN_BRACKETS.format(who=audit.who), CAVEAT, _tests(audit)))])


def as_json(comparison: Comparison) -> str:
    content = {field.name: getattr(comparison, field.name) for field in fields(comparison)}
    for name in ("paired", "changes"):
        content[name] = [_flat(entry) for entry in getattr(comparison, name)]
    content["uses"] = [as_content(change) for change in comparison.uses]
    return json.dumps({"format": 2, **content}, indent=1, allow_nan=False) + "\n"


def _flat(entry: PairedChange | Change) -> dict[str, object]:
    found = asdict(entry)
    rows = {name: getattr(entry, name) for name in ("at", "before", "after") if hasattr(entry, name)}
    return {**found, **{name: row.model_dump() for name, row in rows.items()}}


def write_comparison(comparison: Comparison, path: Path) -> Path:
    if path.suffix not in RENDERERS:
        raise ConfigError("unknown suffix", where=path, got=path.suffix, allowed=", ".join(RENDERERS))
    with atomic_path(path) as partial:
        partial.write_text(RENDERERS[path.suffix](comparison), encoding="utf-8")
    return path


RENDERERS: dict[str, Callable[[Comparison], str]] = {
    ".html": lambda comparison: render_html(page_of(comparison)),
    ".md": lambda comparison: render_markdown(page_of(comparison)),
    ".json": as_json,
}
"""By the suffix of the file."""
