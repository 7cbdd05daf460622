"""Hard identifiers, planted into a report that has none: in headers, sentences, comparisons, signatures.

What is planted comes in five parts that share no name, no number's shape, no sentence and no layout: what was fitted
on ``tune`` and watched on ``test`` was judged on ``judge``, what was mended since was judged on ``verdict``, and what
was mended after that is judged once on ``appeal``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from random import Random

from leadapron.phantoms.clinical_words import clinical_terms
from leadapron.phantoms.identifiers import Draft
from leadapron.phantoms.planted.disfiguring import in_case, scanned, with_breaks, with_slips, without_accents
from leadapron.phantoms.planted.gap_filling import OLD, GapFiller
from leadapron.phantoms.planted.persons import Visit
from leadapron.phantoms.planted.planted_vocabulary import VOCABULARIES
from leadapron.phantoms.planted.template_pieces import Piece

FEWEST, MOST = 2, 8
"""Identifiers of a report."""
_HOW_MANY = (2, 2, 3, 3, 4, 4, 4, 5, 5, 6, 6, 7, 8)
_SECTION = re.compile(r"(?im)^[ \t]*(findings|description|impression|conclusion|opinion)[^\n:]{0,20}:")
_SENTENCE_END = re.compile(r"(?<=[a-z]{3}\.)(?=\s+[A-Z]|\s*$)")
_PRIOR = re.compile(r"\b(?:prior|previous) (?:study|exam|examination|radiograph|film)\b|\bprevious(?=[.,])")
_TRIES = 60

Pieces = list[Piece]


@dataclass
class _Plan:
    """What goes where: above the report, within it at certain characters, and below it."""

    top: list[Pieces] = field(default_factory=list)
    within: list[tuple[int, Pieces]] = field(default_factory=list)
    end: list[Pieces] = field(default_factory=list)
    header: Pieces = field(default_factory=list)
    footer: Pieces = field(default_factory=list)


def plant(report: str, visit: Visit, rng: Random, part: str) -> Draft:
    """The report with identifiers of a person's visit: ``spans`` says which characters, ``keep`` what must survive.

    The characters of ``report`` stay in their order; clinical words among them are kept, too.
    """
    return _compose(report, _Planter(report, visit, rng, part).plan())


class _Planter:
    """The choices for one report."""

    def __init__(self, report: str, visit: Visit, rng: Random, part: str) -> None:
        self.report, self.rng = report, rng
        self.words, self.filler = VOCABULARIES[part], GapFiller(visit, rng, part)
        self.places = _places(report)
        self.left = rng.choice(_HOW_MANY)
        self.very_old = visit.age > OLD  # a remarkable age is mostly remarked on
        self.from_scan = rng.random() < 0.15
        self.accents = rng.random() < 0.5

    def plan(self) -> _Plan:
        plan = _Plan()
        if self.rng.random() < 0.5:
            plan.header = self.take_header()
        if self.left and self.rng.random() < 0.45:
            plan.footer = self.take(self.words.footers)
        for found in list(_PRIOR.finditer(self.report))[:2]:
            if self.left and self.rng.random() < 0.6:
                plan.within.append((found.end(), self.take(self.words.since, " {}")))
        used: set[str] = set()
        if self.left and self.very_old and self.rng.random() < 0.6:
            aged = [template for place, template in self.words.sentences if place == "history" and "{age}" in template]
            if pieces := self.take(aged):
                used.add("history")
                self.put(plan, "history", pieces)
        for _ in range(_TRIES):
            if not self.left:
                break
            place, template = self.rng.choice(self.words.sentences)
            # a report has one history and one comparison
            mark = place if place in ("history", "comparison") else template
            if mark not in used and (pieces := self.take([template])):
                used.add(mark)
                self.put(plan, place, pieces)
        for place, template in self.rng.sample(self.words.decoys, self.rng.choice((0, 0, 1, 1, 2))):
            pieces = self.filler.fill(template)
            if place not in used and not any(piece.identifier for piece in pieces):  # an age may be one
                self.put(plan, place, pieces)
        return plan

    def take_header(self) -> Pieces:
        """Any header, even if it has more than were wanted: else reports with few identifiers would share a header."""
        wanted, self.left = self.left, MOST
        pieces = self.take(self.words.headers)
        self.left = max(0, wanted - (MOST - self.left))
        return pieces

    def take(self, templates: Iterable[str], frame: str = "{}") -> Pieces:
        """One of the templates that has no more identifiers than are left, filled; nothing if there is none."""
        templates = list(templates)
        for template in self.rng.sample(templates, len(templates)):
            pieces = self.filler.fill(frame.format("\0").replace("\0", template))
            count = sum(piece.identifier is not None for piece in pieces)
            if 0 < count <= self.left:
                self.left -= count
                return self.disfigure(pieces, sentence="\n" not in template and frame == "{}")
        return []

    def disfigure(self, pieces: Pieces, *, sentence: bool) -> Pieces:
        pieces = with_slips(pieces, self.rng)
        if not self.accents:
            pieces = without_accents(pieces)
        pieces = in_case(pieces, self.rng, upper=0.07, lower=0.05)
        if sentence:
            pieces = with_breaks(pieces, self.rng)
        return scanned(pieces, self.rng) if self.from_scan else pieces

    def put(self, plan: _Plan, place: str, pieces: Pieces) -> None:
        if place in ("history", "comparison"):
            plan.top.append(pieces)
        elif place in ("findings", "impression"):
            plan.within.append((self.rng.choice(self.places[place]), [Piece(" "), *_sentence(pieces)]))
        else:
            plan.end.append(_sentence(pieces))


def _sentence(pieces: Pieces) -> Pieces:
    """A capital letter in front, where it is the words of the sentence that begin it."""
    first = pieces[0]
    if first.identifier is None and first.term is None and first.text[:1].islower():
        return [Piece(first.text[0].upper() + first.text[1:]), *pieces[1:]]
    return pieces


def _places(report: str) -> dict[str, list[int]]:
    """The characters after which a sentence may go, in the findings and at the end of the impression."""
    end = len(report.rstrip())
    sections = [(found[1].lower(), found.start(), found.end()) for found in _SECTION.finditer(report)]
    starts = [*(start for _, start, _ in sections), end]
    bounds = {
        "findings" if name in ("findings", "description") else "impression": (begin, starts[number + 1])
        for number, (name, _, begin) in enumerate(sections)
    }
    whole = (0, end)
    findings = bounds.get("findings", whole)
    _, close = bounds.get("impression", whole)
    ends = [found.start() for found in _SENTENCE_END.finditer(report, *findings)]
    return {
        "findings": ends or [len(report[: findings[1]].rstrip())],
        "impression": [len(report[:close].rstrip())],
    }


def _compose(report: str, plan: _Plan) -> Draft:
    """One text from the report and the plan, with every span where it has come to stand."""
    draft = Draft()
    if plan.header:
        _say(draft, [*plan.header, Piece("\n\n")])
    for pieces in plan.top:
        _say(draft, [*pieces, Piece("\n")])
    if plan.top:
        draft.say("\n")
    terms = clinical_terms(report)
    at = 0
    for stop, pieces in [*sorted(plan.within, key=lambda placed: placed[0]), (len(report), [])]:
        inside = [(category, start, end) for category, start, end in terms if at <= start and end <= stop]
        draft.keep += [
            (category, start - at + draft.length, end - at + draft.length) for category, start, end in inside
        ]
        draft.say(report[at:stop])
        _say(draft, pieces)
        at = stop
    if plan.end:
        draft.say("\n\n")
        for number, pieces in enumerate(plan.end):
            _say(draft, [*[Piece(" ")] * bool(number), *pieces])
    if plan.footer:
        _say(draft, [Piece("\n\n"), *plan.footer])
    return draft


def _say(draft: Draft, pieces: Iterable[Piece]) -> None:
    for piece in pieces:
        if piece.identifier:
            draft.identify(piece.identifier, piece.text)
        elif piece.term:
            draft.say_term(piece.term, piece.text)
        else:
            draft.say(piece.text)
