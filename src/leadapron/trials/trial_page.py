"""The page of a trial, its JSON, and its table for the terminal."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, replace

from leadapron import __version__
from leadapron.audits.basis import apart
from leadapron.audits.standard_glossary import SHARED
from leadapron.comparisons.use_changes import as_content
from leadapron.pages.html import render_html
from leadapron.pages.markdown import render_markdown
from leadapron.pages.numerals import NBSP
from leadapron.pages.page import Block, Bullets, Definitions, Page, Section, Text, Verdict, kept
from leadapron.pages.terminal_text import in_columns, wrapped
from leadapron.trials.entrants import noun
from leadapron.trials.frontier import Frontier, Gap
from leadapron.trials.frontier_figure import frontier_figure
from leadapron.trials.risk_status import has_strongest
from leadapron.trials.scenario_answer import Answer
from leadapron.trials.trial_kinds import KINDS, RELEASE
from leadapron.trials.trial_tables import overview, promises, scenario_table, use_table
from leadapron.trials.trial_words import CONTROL_READING, NO_BOUND, adaptive, conclusions, is_private, of_scenario

IN_BRACKETS = (
    f"In brackets the 95{NBSP}% interval; patients are its units. The worst risk is the largest of all on one scale: "
    "0 is guessing, 1 an attacker who is always right. * no other {kind} beats it in worst risk and use. Removed: the "
    "share of the risk above guessing that the defence removes. WORSE: the defence raises it. Removed and kept compare "
    "the same patients before and after, and are the ones to judge a defence by."
)
LIMIT = "A trial speaks of these attackers. A stronger one, or one with more knowledge, may find more."
CHOSEN = (
    "The strongest attacker is chosen on the patients that it is judged on. Where a number does not allow for that, it "
    "errs on the side of caution."
)
OF_USE = "Use is agreement with the labels of the records, right or wrong."
TERMS = {
    "Chance, guessing": "What an attacker gets who knows nothing of the release.",
    "Removed": "One minus the risk above guessing after, over that before. All of it leaves nothing above guessing; a "
    "risk that rises is called worse.",
    "Worst risk": "The largest of all risks that were measured of every entrant, each between guessing (0) and always "
    "right (1).",
    "Kept": "The use after, as a share of the use before.",
    "Control": "The same pipeline with a part of the defence left out. What a control removes, that part did not do.",
}


def page_of(frontier: Frontier) -> Page:
    tried = "A release" if frontier.kind == RELEASE else KINDS[frontier.kind].tried
    first, *said = conclusions(frontier)
    sentence, rests = apart(first)
    sections = [Section("frontier", "Risk against use" if frontier.use else "Risk", _plane(frontier))]
    for scenario in frontier.scenarios:
        blocks = (use_table if scenario.audit.about == "use" else scenario_table)(frontier, scenario)
        sections.append(Section(scenario.key, scenario.title, blocks))
    sections += [
        Section("promised", "What is promised", promises(frontier)),
        Section("limits", "Limits", (Bullets(_limits(frontier)),)),
    ]
    page = Page(
        frontier.title or f"Trial: {frontier.points[0].name} and its defended versions",
        f"{tried}, defended, attacked again and used again",
        Verdict(
            "What the defences leave",
            "Measured",
            sentence,
            tuple(filter(None, (rests, *said))),
            adaptive(frontier),
        ),
        tuple(sections),
        f"Made by leadapron {__version__}, seed {frontier.seed}. This page holds no patient number and no image.",
    )
    glossary = Section("glossary", "Glossary", (_glossary(frontier, render_markdown(page)),))
    return replace(page, sections=(*sections, glossary))


def _limits(frontier: Frontier) -> tuple[str, ...]:
    return (LIMIT, *([CHOSEN] if has_strongest(frontier) else []), *([OF_USE] if frontier.use else []))


def _plane(frontier: Frontier) -> tuple[Block, ...]:
    controls = {point.name.rpartition("/")[2] for point in frontier.points if point.role == "control"}
    explained = {name: words for name, words in CONTROL_READING.items() if name in controls}
    return kept(
        frontier_figure(frontier),
        overview(frontier),
        Text(IN_BRACKETS.format(kind=noun(frontier.kind)), note=True),
        Definitions(explained) if explained else None,
    )


def _glossary(frontier: Frontier, words: str) -> Definitions:
    """The terms that stand on the page. One that several audits explain in their own way has an entry for each."""
    audits = {one.audit.name: one.audit.page.glossary for one in frontier.scenarios}
    own = {**SHARED, **TERMS}
    terms = dict(own)
    for audit, entries in audits.items():
        for term, text in entries.items():
            shared = sum(term in other for other in audits.values()) > 1
            if text and term not in own:
                terms[f"{term} ({audit})" if shared else term] = text
    used = {term: text for term, text in terms.items() if term in own or _stands_in(term, words)}
    return Definitions({term: used[term] for term in sorted(used, key=str.lower)}, "glossary")


def _stands_in(term: str, words: str) -> bool:
    """Whether one of a term's names does; what follows in brackets says more about it."""
    names = term.partition(" (")[0].split(", ")
    return any(re.search(rf"\b{re.escape(name)}\b", words, flags=re.IGNORECASE) for name in names)


def as_page(frontier: Frontier) -> str:
    return render_html(page_of(frontier))


def as_table(frontier: Frontier) -> str:
    """For the terminal; * marks the front."""
    risks = [one for one in frontier.scenarios if one.audit.about == "risk" and one.key != frontier.risk]
    said = [*conclusions(frontier), *(f"{one.title} {of_scenario(frontier, one)}" for one in risks)]
    notes = [adaptive(frontier), *([NO_BOUND] if is_private(frontier) else [])]
    return "\n".join([*map(wrapped, said), "", in_columns(overview(frontier)), "", *map(wrapped, notes)])


def as_json(frontier: Frontier) -> str:
    points = [
        {
            **{
                name: getattr(point, name) for name in ("name", "role", "of", "method", "strength", "worst", "on_front")
            },
            "guarantee": dict(point.guarantee),
            "verified": point.verified,
            "errors": list(point.errors),
            "absent": dict(point.absent),
            "answers": {key: _answer_content(answer) for key, answer in point.answers.items()},
            "gap": None if point.gap is None else _gap_content(point.gap),
        }
        for point in frontier.points
    ]
    content = {
        "format": 2,
        "title": frontier.title,
        "seed": frontier.seed,
        "risk": frontier.risk,
        "risks": frontier.risks,
        "use": frontier.use,
        "points": points,
    }
    return json.dumps(content, indent=1, allow_nan=False) + "\n"


def _answer_content(answer: Answer) -> dict[str, object]:
    return {
        "audit": answer.audit.name,
        "headline": answer.row.model_dump(),
        "status": answer.status,
        "above_guessing": None if answer.above_guessing is None else asdict(answer.above_guessing),
        "change": None if answer.change is None else {"of": answer.tested.metric, **asdict(answer.change)},
        "cut": None if answer.cut is None else asdict(answer.cut),
        "kept": None if answer.kept is None or answer.audit.about == "risk" else asdict(answer.kept),
        "costs": [as_content(change) for change in answer.costs],
    }


def _gap_content(gap: Gap) -> dict[str, object]:
    rows = {"train": gap.train.model_dump(), "test": gap.test.model_dump()}
    return {**rows, "difference": gap.difference, "low": gap.low, "high": gap.high, "bound": gap.bound}
