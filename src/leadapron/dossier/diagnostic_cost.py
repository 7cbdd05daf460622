"""What a defence costs in diagnostic use: the worst clear change first."""

from __future__ import annotations

from collections.abc import Iterator

from leadapron.audits.wording import counted_of, lowered, title_of, written, written_range
from leadapron.dossier.assessment import Assessment
from leadapron.dossier.judged_risks import Status
from leadapron.pages.decision import Bar, CostRow
from leadapron.trials.frontier import Answer

CLEAR = 0.05
MOST = 3
WORDS = {Status.OVER: "Clear loss", Status.UNDER: "No clear loss", Status.UNKNOWN: "Not compared"}


def cost_rows(found: Assessment) -> tuple[CostRow, ...]:
    """Uses of what would be released beside those of what there was."""
    rows = list(_rows(found))
    return tuple(sorted(rows, key=lambda row: row.status != Status.OVER)[:MOST])


def no_cost(found: Assessment) -> str:
    if not any(one.is_defended for one in found.groups):
        return "No defence is on the table: nothing is lost, and nothing was measured of its price."
    return "" if cost_rows(found) else "Not measured: no use could be asked of what there is before and after."


def _rows(found: Assessment) -> Iterator[CostRow]:
    for one in found.groups:
        if one.frontier is None or not one.is_defended:
            continue
        points = {point.name: point for point in one.frontier.points}
        before, after = points[one.group.before.name], points[one.shown.entrant.name]
        for key, answer in after.answers.items():
            if answer.audit.about == "use" and key in before.answers:
                yield _row(before.answers[key], answer)


def _row(before: Answer, after: Answer) -> CostRow:
    audit, change = after.audit, after.change
    measure = audit.measure_of(after.row.metric)
    status = Status.UNKNOWN
    if change is not None:
        worse = measure.as_risk(change.difference) > 0
        status = Status.OVER if worse and change.p <= CLEAR else Status.UNDER
    bars = (_bar(before, "As it is"), _bar(after, "Defended", defended=True))
    title = f"{title_of(audit, after.row)[:1].upper()}{title_of(audit, after.row)[1:]}"
    note = f"On {after.row.n:,} {lowered(counted_of(audit, after.row))}; guessing gives {written(measure.scale, after.row.chance)}."
    return CostRow(title, bars, str(status), WORDS[status], note)


def _bar(answer: Answer, label: str, *, defended: bool = False) -> Bar:
    scale, row = answer.audit.measure_of(answer.row.metric).scale, answer.row
    number, span = written(scale, row.value), written_range(scale, row.low, row.high)
    return Bar(label, "", "", number, span, row.value, row.low, row.high, defended)
