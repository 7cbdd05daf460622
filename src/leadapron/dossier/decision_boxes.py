"""The ways to decide, which of them fit the limits, and what could change the answer. People tick the boxes."""

from __future__ import annotations

from collections.abc import Sequence

from leadapron.audits.wording import OF_BOARD
from leadapron.dossier.assessment import Assessment, against
from leadapron.dossier.board_rows import BoardRow
from leadapron.dossier.judged_risks import Status
from leadapron.pages.decision import DecisionBox
from leadapron.pages.numerals import so_many
from leadapron.trials.trial_kinds import RELEASE

BROKEN = (Status.OVER, Status.CLOSE)
CONDITIONS = {
    "table": "The table is coarsened first: dates to years, ages to bands",
    "recognised": "The recipient holds no other X-rays or reports of these patients",
    "joined": "Reports and X-rays do not go to the same recipient",
    "member": "No model that learnt from it is published",
    "attribute": "The contract forbids to infer age, sex or race",
}
BY_WORDS, LINKAGE = "linkage-by-words", "linkage"
LACKING = "What was defended was not given: what it left out is not known."
STRIPPED = "Ids, pairs and the order of rows are stripped (leadapron handover)"
MOST = 6


def boxes(found: Assessment, rows: Sequence[BoardRow]) -> tuple[DecisionBox, ...]:
    first = [row.before.status if row.before is not None else row.status for row in rows]
    last = [row.status for row in rows]
    lacking = found.lacks_before
    open_ = lacking or any(status in (Status.CLOSE, Status.UNKNOWN) for status in last)
    as_it_is = _box("Release as it is", first, lacking=lacking)
    second = _box("Release, defended" if found.is_defended else "Release with conditions", last, lacking=lacking)
    stay = lacking or any(status is not Status.UNDER for status in last)
    return (
        as_it_is,
        second,
        DecisionBox(
            "Do not release", stay, "Nothing leaves the hospital." if stay else "The limits do not ask for it."
        ),
        DecisionBox(
            "Cannot decide yet",
            open_,
            "Ask for what is not settled." if open_ else "Not needed: every question has an answer.",
        ),
    )


def _box(title: str, statuses: Sequence[Status], *, lacking: bool) -> DecisionBox:
    kept = all(status is Status.UNDER for status in statuses)
    return DecisionBox(title, kept and not lacking, LACKING if kept and lacking else _why(statuses))


def _why(statuses: Sequence[Status]) -> str:
    if all(status is Status.UNDER for status in statuses):
        return f"All {len(statuses)} risks are under their limits."
    over, close, open_ = (
        sum(one is status for one in statuses) for status in (Status.OVER, Status.CLOSE, Status.UNKNOWN)
    )
    told = [
        f"{over} over" if over else "",
        f"{close} too close" if close else "",
        f"{open_} not settled" if open_ else "",
    ]
    return f"Of {len(statuses)} risks, {', '.join(filter(None, told))}."


def change(found: Assessment) -> str:
    """The best of the other defences, if several were tried."""
    told = []
    for one in found.groups:
        others = [other for other in one.group.defended if other.name != one.shown.entrant.name]
        if others:
            best = min(others, key=lambda other: against(one.risks[other.name]))
            over, open_, _ = against(one.risks[best.name])
            told.append(
                f"Shown is {one.shown.entrant.name}, the best of {len(one.group.defended)} defences tried. The next, "
                f"{best.name}, leaves {over} limits broken and {open_} open."
            )
    return " ".join(told)


def conditions(found: Assessment, rows: Sequence[BoardRow]) -> tuple[str, ...]:
    """The user's own, and one for each risk that is not under its limit."""
    of_release = any(one.group.kind == RELEASE for one in found.groups)
    own = [*found.declaration.conditions, *([STRIPPED] if of_release else [])]
    suggested = [_condition(row) for row in rows if row.status is not Status.UNDER]
    return tuple([*own, *suggested][:MOST])


def _condition(row: BoardRow) -> str:
    """For an attacker with the reports' words: what is left without them."""
    if row.after is None or row.after.row is None:
        return f"First find out: {row.question.words[:1].lower()}{row.question.words[1:].rstrip('?')}"
    if row.after.scenario.key == BY_WORDS:
        without = [risk for risk in row.others if risk.scenario.key == LINKAGE and risk.entry == row.after.entry]
        if without and without[0].row is not None:
            then, now = (so_many(one.value, OF_BOARD) for one in (without[0].row, row.after.row))
            return f"The recipient holds no reports in words: {then} of {OF_BOARD:,} are joined then, not {now}"
    return CONDITIONS[row.question.key]
