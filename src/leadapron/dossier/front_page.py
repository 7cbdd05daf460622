"""Page 1: the assessment as one sheet that carries the decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leadapron import __version__
from leadapron.audits.wording import OF_BOARD
from leadapron.dossier.assessment import Assessment
from leadapron.dossier.board_rows import BoardRow, as_row, board_rows
from leadapron.dossier.decision_boxes import boxes, change, conditions
from leadapron.dossier.diagnostic_cost import cost_rows, no_cost
from leadapron.dossier.judged_risks import Status
from leadapron.dossier.released_parts import columns_that_leave, size_of_release
from leadapron.dossier.unexamined import outside, unexamined
from leadapron.pages.decision import Banner, DecisionPage, IconArray
from leadapron.pages.numerals import fitted, so_many
from leadapron.trials.common_scale import above_guessing

ANSWERS = {
    Status.OVER: "Over the limit",
    Status.CLOSE: "Too close to call",
    Status.UNKNOWN: "Not known yet",
    Status.UNDER: "Within the limits",
}
COUNTED = {
    Status.OVER: "over limit",
    Status.CLOSE: "too close to call",
    Status.UNKNOWN: "not settled",
    Status.UNDER: "under limit",
}
NUMBERS = "lists of numbers"
FORMS = {"images": "pictures", "reports": "words", "image vectors": NUMBERS, "report vectors": NUMBERS}
LONGEST_FACT = 165
HUNDRED = 100
UNDECLARED = "Not declared."
TESTED = "Tested as if they held more."
CHECKS = {
    "pass": "passed",
    "warn": "ended with a warning",
    "not-run": "could not be run",
    "error": "went wrong",
    "fail": "failed",
}


def front_page(found: Assessment, *, made: str) -> DecisionPage:
    rows = board_rows(found)
    said = found.declaration
    columns = {column for one in found.groups for column in columns_that_leave(one.shown.entrant)}
    who = f"{said.institution} · " if said.institution else ""
    return DecisionPage(
        kicker=f"{who}Decision page · page 1 of the dossier · leadapron {__version__}, {made}",
        title=said.title or _title(found),
        defended=found.is_defended,
        banner=_banner(found, rows),
        facts=_facts(found),
        risks=tuple(as_row(row, columns) for row in rows),
        scale="Bars run from 0 to 1,000 of 1,000.",
        costs=cost_rows(found),
        no_cost=no_cost(found),
        unexamined=unexamined(found),
        outside=outside(found),
        boxes=boxes(found, rows),
        change=change(found),
        conditions=conditions(found, rows),
        signatories=said.signatories,
        trust=_trust(found),
    )


def _title(found: Assessment) -> str:
    sizes = "; ".join(size_of_release(one.shown.entrant) for one in found.groups)
    forms = sorted({form for part, form in FORMS.items() if part in found.parts})
    form = f", as {' and '.join(forms)}," if forms else ""
    return f"May we share {sizes}{form} with {found.declaration.recipient or 'others'}?"


def _banner(found: Assessment, rows: Sequence[BoardRow]) -> Banner:
    words = ANSWERS[found.status]
    if found.is_defended and found.status is Status.OVER:
        words += ", even with the defence"
    counts = [(status, sum(row.status is status for row in rows)) for status in Status]
    told = tuple((str(status), f"{count} {COUNTED[status]}") for status, count in counts if count)
    limits = f"Judged by these limits: “{found.policy.title}”."
    return Banner(str(found.status), words, limits, told, _array(rows, defended=found.is_defended))


def _array(rows: Sequence[BoardRow], *, defended: bool) -> IconArray | None:
    """The worst risk that counts people or pictures, as so many of a hundred."""
    counted = [row for row in rows if row.after is not None and row.after.is_share]
    if not counted:
        return None
    row = min(counted, key=lambda one: (tuple(Status).index(one.status), -_excess(one)))
    assert row.after is not None
    assert row.after.row is not None
    shown = row.after.row
    before = row.before.row if row.before is not None else None
    with_it = " with the defence" if defended else ""
    limit = "" if row.after.limit is None else f"; the limit is {so_many(row.after.limit, OF_BOARD)}"
    return IconArray(
        f"The worst risk: {row.question.words} Yes, for {so_many(shown.value, OF_BOARD)} of {OF_BOARD:,}"
        f"{with_it}{limit}.",
        round(HUNDRED * shown.value),
        round(HUNDRED * (shown if before is None else before).value),
        round(HUNDRED * shown.chance),
        before is not None,
    )


def _excess(row: BoardRow) -> float:
    """How far the risk lies above guessing, which is not the release's doing."""
    assert row.after is not None
    assert row.after.row is not None
    above = above_guessing(row.after.scenario.audit, row.after.row)
    return above.value if above else 0.0


def _facts(found: Assessment) -> dict[str, str]:
    said = found.declaration
    aim = f"{said.recipient or 'Recipient not declared'}, to {said.purpose}" if said.purpose else said.recipient
    done = [words for one in found.groups for words in _steps(one.shown.defence)]
    told = {
        "What would leave": f"{'; '.join(found.parts.values())}.",
        "To whom, what for": f"{aim.rstrip('.')}." if aim else UNDECLARED,
        "What they may hold": f"{said.means or UNDECLARED} {TESTED}",
        "Defence": " ".join(done) or "None.",
    }
    return {term: fitted(words[:1].upper() + words[1:], LONGEST_FACT) for term, words in told.items()}


def _steps(card: Mapping[str, Any]) -> list[str]:
    """What was done, one defence on top of the other."""
    before = card.get("before")
    words = str(card.get("done") or card.get("summary") or card.get("method") or "")
    told = [f"{words[:1].upper()}{words[1:].rstrip('.')}."] if words else []
    return [*(_steps(before) if isinstance(before, dict) else []), *told]


def _trust(found: Assessment) -> str:
    checks = [
        check.outcome for one in found.groups for results in one.shown.results.values() for check in results.outcomes
    ]
    counts = {word: sum(outcome == key for outcome in checks) for key, word in CHECKS.items()}
    told = ", ".join(f"{count} {word}" for word, count in counts.items() if count)
    ids = ", ".join(f"{one.shown.entrant.name} {one.shown.entrant.inputs.subject.id[:12]}" for one in found.groups)
    return (
        f"Can this be trusted? Of {len(checks)} self-checks (is a planted leak found, and nothing where nothing is?) "
        f"{told}. Ranges are 95 % intervals over patients: over limit means that all of the range is, too close that "
        "the limit lies within. “As it is” is the initial risk, “Defended” the residual one, by the strongest attacker "
        "tried, who knows the defence; ids are not given to attackers. Singling out, linkability and inference are "
        "criteria of the Article 29 Working Party (WP216); what stands under which is our reading, not theirs. "
        f"Subject {ids}; seed {found.seed}; the record is dossier.json. No legal advice."
    )
