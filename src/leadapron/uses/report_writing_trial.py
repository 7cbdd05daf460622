"""What a trial shows of report writing: what was released row by row, controls that see no image, and what changed."""

from __future__ import annotations

from collections.abc import Mapping

from leadapron.audits.audit_registry import find_audit
from leadapron.audits.standard_tables import INTERVAL
from leadapron.pages.numerals import NBSP
from leadapron.pages.page import Block, Table, Text, kept, table
from leadapron.results import Measured, Results
from leadapron.results.selection import first
from leadapron.stats import PairedDifference
from leadapron.uses.report_writing_checks import TELLING
from leadapron.uses.report_writing_measures import FINDINGS, MACRO, SIDES, TITLES
from leadapron.uses.writing_task import CONTROLS

MARK = "‡"
TOLD = (FINDINGS, SIDES, MACRO, "bleu-4", "rouge-l", "meteor")
"""The scores of the terminal and of trials; an audit's own page has them all."""


def heads(names: list[str], *audited: Results) -> list[str]:
    """Titles of scores, with a mark where a control comes near in any of these audits."""
    near = {name for results in audited for name in results.details["reached"]}
    return [f"{TITLES[name][0]}{f' {MARK}' if name in near else ''}" for name in names]


def in_trial(found: Mapping[str, Results]) -> tuple[Block, ...]:
    before, *others = found
    results = found[before]
    names = [name for name in TOLD if _row(results, name) is not None]
    note = (
        f"{MARK} A control that sees no image reaches 90{NBSP}% of it here: the score says nothing of the images. "
        f"Controls learnt from {before}. The control same labels is told the true findings, so it is not held against "
        "scores of findings without sides. At a wrong image: the written reports, dealt to other patients."
    )
    warned = [
        Text(f"{name}, {one.check}: {one.reason}.", note=True)
        for name, results in found.items()
        for one in results.outcomes
        if one.outcome == "warn" and one.check != TELLING  # which stands in the heads
    ]
    changes = _changes(found, names) if others else None
    return kept(_scores(found, names), Text(note, note=True), changes, *warned)


def _scores(found: Mapping[str, Results], names: list[str]) -> Table:
    results = next(iter(found.values()))
    rows = [(f"learnt from {name}", *(_cell(_row(one, score)) for score in names)) for name, one in found.items()]
    rows += [
        (f"control: {control}", *(_cell(_row(results, score, control)) for score in names)) for control in CONTROLS
    ]
    rows.append(("at a wrong image", *(_guessed(_row(results, score)) for score in names)))
    caption = f"Reports of test patients ({INTERVAL})"
    return table(caption, ("Writer", *heads(names, *found.values())), rows)


def _changes(found: Mapping[str, Results], names: list[str]) -> Table:
    (before, one), *others = found.items()
    rows = [(f"{name} − {before}", *(_change(one, other, score) for score in names)) for name, other in others]
    caption = f"Paired differences, percentage points ({INTERVAL})"
    return table(caption, ("Difference", *heads(names, *found.values())), rows)


def _row(results: Results, score: str, method: str | None = None) -> Measured | None:
    return first(results, metric=score, attacker=method or results.spot.attacker)


def _cell(row: Measured | None) -> str:
    if row is None:
        return "–"
    return f"{100 * row.value:.1f}{NBSP}% ({100 * row.low:.1f}{NBSP}to{NBSP}{100 * row.high:.1f})"


def _guessed(row: Measured | None) -> str:
    return "–" if row is None else f"{100 * row.chance:.1f}{NBSP}%"


def _change(before: Results, after: Results, score: str) -> str:
    measure, row = find_audit(before.audit).measure_of(score), _row(before, score)
    change: PairedDifference | None = None if row is None or not measure.paired else measure.paired(before, after, row)
    if change is None:
        return "–"
    value, low, high = (f"{100 * end:+.1f}".replace("-", "−") for end in (change.difference, change.low, change.high))
    return f"{value} ({low}{NBSP}to{NBSP}{high})"
