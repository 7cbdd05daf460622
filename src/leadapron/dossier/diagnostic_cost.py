"""What a defence costs in diagnostic use, for page 1: the worst clear change first, then the mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from leadapron.audits.audit import Audit
from leadapron.audits.measure import Scale
from leadapron.audits.wording import title_of, written, written_range
from leadapron.comparisons.use_changes import UseChange
from leadapron.comparisons.use_words import name_of
from leadapron.dossier.assessment import Assessment
from leadapron.dossier.board_rows import AS_IS, DEFENDED
from leadapron.dossier.judged_risks import Status
from leadapron.pages.decision import Bar, CostRow
from leadapron.results import Measured
from leadapron.results.selection import first
from leadapron.trials.scenario_answer import Answer

MOST = 2
AUROC = "auroc"
SHOWN = {"worse": (Status.OVER, "Clear loss"), "better": (Status.UNDER, "Clear gain")}
UNCLEAR = (Status.UNDER, "No clear change")


def cost_rows(found: Assessment) -> tuple[CostRow, ...]:
    """Of each use the largest clear loss, if there is one, and its headline; losses first."""
    rows = [row for answer in _uses(found) for row in _rows(answer)]
    return tuple(sorted(rows, key=lambda row: row.status != Status.OVER)[:MOST])


def no_cost(found: Assessment) -> str:
    if not found.is_defended:
        return "No defence is on the table, so nothing is lost to one."
    return "" if cost_rows(found) else "Not measured: no use could be asked of what there is, before and after."


def _uses(found: Assessment) -> Iterator[Answer]:
    for one in found.groups:
        if one.frontier is None or not one.is_defended:
            continue
        shown = next(point for point in one.frontier.points if point.name == one.shown.entrant.name)
        yield from (answer for answer in shown.answers.values() if answer.audit.about == "use")


def _rows(answer: Answer) -> Iterator[CostRow]:
    losses = [change for change in answer.costs if change.status == "worse"]
    if losses:
        yield _of_change(answer, losses[0], len(losses))
    if not losses or not losses[0].row.has(**answer.before.at, metric=answer.before.metric):
        status, words = SHOWN.get(answer.status or "", UNCLEAR)
        note = f"Guessing gives {written(_scale(answer.audit, answer.row), answer.row.chance)}."
        if answer.row.metric == AUROC:
            note = f"How often the ill are ranked above the healthy. {note}"
        title = title_of(answer.audit, answer.row)
        yield CostRow(
            f"{title[:1].upper()}{title[1:]}", _bars(answer.audit, answer.before, answer.row), status, words, note
        )


def _of_change(answer: Answer, change: UseChange, losses: int) -> CostRow:
    row = change.row
    after = first(answer.results, metric=row.metric, attacker=row.attacker, **row.at) or row
    status, words = SHOWN["worse"]
    note = f"The largest of {losses} clear losses, by a paired test. " if losses > 1 else ""
    return CostRow(name_of(change), _bars(change.audit, row, after), status, words, f"{note}A new cut-off may help.")


def _bars(audit: Audit, before: Measured, after: Measured) -> tuple[Bar, ...]:
    return _bar(audit, before, AS_IS), _bar(audit, after, DEFENDED, defended=True)


def _bar(audit: Audit, row: Measured, label: str, *, defended: bool = False) -> Bar:
    scale = _scale(audit, row)
    number, span = written(scale, row.value), written_range(scale, row.low, row.high)
    bar = Bar(label, "", "", number, span, defended=defended)
    on_scale = row.low >= 0 and row.high <= 1
    return replace(bar, value=row.value, low=row.low, high=row.high) if on_scale else bar


def _scale(audit: Audit, row: Measured) -> Scale:
    return audit.measure_of(row.metric).scale
