"""The rows of page 1: each question of the board by its worst risk, without the defence and with it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from leadapron.audits.board_question import BOARD_QUESTIONS, BoardQuestion
from leadapron.audits.wording import OF_BOARD, for_board, written, written_range
from leadapron.dossier.assessment import Assessment
from leadapron.dossier.judged_risks import NO_LIMIT, Risk, Status, in_short, worst
from leadapron.dossier.released_parts import applies
from leadapron.pages.decision import Bar, RiskRow
from leadapron.pages.numerals import fitted, so_many
from leadapron.results import Measured

STATUS_WORDS = {
    Status.OVER: "Over limit",
    Status.CLOSE: "Too close",
    Status.UNKNOWN: "Not examined",
    Status.UNDER: "Under limit",
}
SHORT = 90
LONGEST = 200
"""Characters of a sentence: five of them must find room on one sheet."""
AS_IS, DEFENDED = "As it is", "Defended"
NOT_LOOKED = "No audit here answers this. That is no sign of safety."


@dataclass(frozen=True)
class BoardRow:
    """A question and the risks that answer it: the worst that is left, the same without the defence, and the others."""

    question: BoardQuestion
    before: Risk | None
    after: Risk | None
    others: tuple[Risk, ...] = ()

    @property
    def criterion(self) -> str:
        """Of WP29: that of what is shown, which may be another than most answers of the question have."""
        return (self.after.scenario.audit.criterion if self.after is not None else "") or self.question.criterion

    @property
    def status(self) -> Status:
        return Status.UNKNOWN if self.after is None else self.after.status


def board_rows(found: Assessment) -> list[BoardRow]:
    """A row for each question that can be asked of what leaves."""
    return [_row(found, question) for key, question in BOARD_QUESTIONS.items() if applies(key, found.parts)]


def _row(found: Assessment, question: BoardQuestion) -> BoardRow:
    after = [risk for risk in found.after if risk.answers == question.key]
    measured = [risk for risk in after if risk.row is not None]
    if not after:
        return BoardRow(question, None, None)
    shown = worst(measured or after)
    others = tuple(risk for risk in after if risk is not shown)
    if not found.is_defended:
        return BoardRow(question, None, shown, others)
    same = (risk for risk in found.before if (risk.scenario.key, risk.entry) == (shown.scenario.key, shown.entry))
    return BoardRow(question, next(same, None), shown, others)


def as_row(row: BoardRow, columns: Collection[str] = ()) -> RiskRow:
    """The row as the page shows it; ``columns`` are those of the table that leaves."""
    question, shown = row.question, row.after
    kicker = f"{row.criterion} · {question.disclosure} disclosure"
    if shown is not None and shown.row is not None and shown.limit is not None:
        kicker += f" · {_limit(shown, shown.row)}"
    if shown is None:
        return RiskRow(kicker, question.words, NOT_LOOKED, (unknown_bar(),))
    if shown.row is None:
        return RiskRow(kicker, question.words, in_short(shown.reason, SHORT), (unknown_bar(),))
    first = [] if row.before is None else [as_bar(row.before, AS_IS)]
    label = AS_IS if row.before is None else DEFENDED
    bars = (*first, as_bar(shown, label, defended=True))
    said = _sentence(shown, shown.row, columns)
    if row.before is not None:
        said = f"With the defence: {said[:1].lower()}{said[1:]}"
    return RiskRow(kicker, question.words, fitted(said, LONGEST), bars, shown.row.chance, shown.limit, _beside(row))


def _sentence(risk: Risk, row: Measured, columns: Collection[str]) -> str:
    """The number in words; of an attribute, whether it can be read in the table anyway."""
    holds = f" ({risk.scenario.holds})" if risk.scenario.holds else ""
    told = f"{for_board(risk.scenario.audit, row)}{holds}."
    attribute = str(row.at.get("attribute", "")).replace("_", " ")
    return f"{told} The table that leaves says {attribute} anyway." if attribute in columns else told


def _limit(risk: Risk, row: Measured) -> str:
    """The limit in the unit of the bar."""
    scale, limit = risk.scenario.audit.measure_of(row.metric).scale, risk.limit or 0.0
    if scale not in ("share", "auc"):
        return f"limit {written(scale, limit)}"
    return f"limit {so_many(limit, OF_BOARD)} of {OF_BOARD:,}"


def unknown_bar() -> Bar:
    return Bar("", Status.UNKNOWN, STATUS_WORDS[Status.UNKNOWN], "?", "0–1,000")


def as_bar(risk: Risk, label: str, *, defended: bool = False) -> Bar:
    if risk.row is None:
        return Bar(label, Status.UNKNOWN, STATUS_WORDS[Status.UNKNOWN], "?")
    scale, row = risk.scenario.audit.measure_of(risk.row.metric).scale, risk.row
    words = "No limit set" if risk.reason == NO_LIMIT else STATUS_WORDS[risk.status]
    if risk.status is Status.UNKNOWN and risk.reason != NO_LIMIT:
        words = "Not settled"
    if scale not in ("share", "auc"):
        return Bar(label, risk.status, words, written(scale, row.value), written_range(scale, row.low, row.high))
    span = "counted" if row.low == row.high else f"{so_many(row.low, OF_BOARD)}–{so_many(row.high, OF_BOARD)}"
    return Bar(label, risk.status, words, so_many(row.value, OF_BOARD), span, row.value, row.low, row.high, defended)


def _beside(row: BoardRow) -> str:
    """How the further limits of the same question ended, in a few words."""
    told = []
    for status, words in ((Status.OVER, "over"), (Status.CLOSE, "too close"), (Status.UNKNOWN, "not settled")):
        if count := sum(risk.status is status for risk in row.others):
            told.append(f"{count} {words}")
    if kept := sum(risk.status is Status.UNDER for risk in row.others):
        told.append(f"{kept} under")
    return f"other tests: {', '.join(told)}" if told else ""
