"""Identifiers by their context: what the tagger says of every word, and how sure it must be.

A word that nothing but a name explains goes at once; one that is plainly clinical stays unless the sentence is beyond
doubt. The limits were chosen by totals on a part of the phantom that the tagger had been trained without.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import groupby

import numpy as np

from leadapron.reports.identifiers.calendar_words import GRADE, GRADED, NOT_A_YEAR
from leadapron.reports.identifiers.categories import Span
from leadapron.reports.identifiers.date_rules import BEFORE, unit_follows
from leadapron.reports.identifiers.known_terms import SPOKEN_NUMBER
from leadapron.reports.identifiers.lexicon import lexicon, plain
from leadapron.reports.identifiers.number_rules import BILLED, UNIT
from leadapron.reports.identifiers.tagger import CLASSES, Floats, tagger
from leadapron.reports.identifiers.tokens import Tokens

DIAL = re.compile(r"(?i)(?:1[0-2]|[1-9])(?:[- ]?o['’]?\s?clock)")
OF_DAY = re.compile(r"(?i)\s(?:in the|this|at night|today|on\b)")
RATIO = re.compile(r"\d{1,3}\s?:\s?\d")
AFTER_COLON = re.compile(r"\d\s?:\s?$")
LEVEL = re.compile(r"[CTLS]\d{1,2}|[1-9][vV]")
FRACTION = re.compile(r"\d{1,2}\s?/\s?\d{1,2}")
_NUMBER = r"(?<![\d.])(?:\d+(?:\.\d+)?\s?(?:x|×|by|-|to)\s?){0,2}\d{1,5}(?:\.\d+)?\s?-?"
MEASURED = re.compile(
    rf"(?i){_NUMBER}(?:mm|cm|ml|cc|mg|mcg|kg|fr|french|gauge|%|kvp?|mas|hu|mgy|msv|degrees?|°|mmhg|bpm|tesla|mmol|meq|iu|mbq|gy"
    r"|pack[- ]years?|cmh2o|kpa|ms|msec|[km]?hz|db|lbs?|views?|units?)(?!\w)"
    r"|(?<![\d.])\d{1,3}(?:\.\d)?\s?(?-i:[TLFG]|l|g|Ch)(?!\w)"
    r"|(?<![\d.])\d{2,3}\s?/\s?\d{2,3}\s?mmhg|(?<![\d.])\d{1,2}\s?/\s?(?:day|week|hour|min|d|h)\b|(?<![\d.])0\.\d{1,3}(?![\d.])"
)
"""A measurement with its unit, or a ratio below one: no part of it identifies anyone."""
NEAR = 24
OF_ANYBODY = re.compile(
    r"(?i)(?:i|you|s?he|it|we|they|me|him|her|us|them|hers?|his|its|our|their|who|this|that|these|those|the|an?|"
    r"patient|doctor|physician|nurse|radiologist|resident|attending|technologist|referrer|team|"
    r"mother|father|wife|husband|partner|son|daughter|sister|brother|mum|mom|dad|parents?|family|sir|madam|colleague)"
)
"""Words for people that name no one; where they stand alone, the tagger may not."""
SURE = {"w": 0.25, "W": 0.15, "E": 0.5, "e": 0.5, "h": 0.2, "H": 0.2, "#": 0.25, "Z": 0.35, "I": 0.35, "i": 0.35}
"""How sure the tagger must be of a token, by its letter in the row."""
OTHERWISE = 0.12
ROLES = "fbVpRTPo"
ROLE, CAPITAL_ROLE = 0.93, 0.3
"""The same for words of grammar, of telling, of kin: in small letters "may" is hardly ever a month."""
CLINICAL, CLINICAL_EPONYM, CLINICAL_NAME = 0.6, 0.35, 0.12
"""The same for clinical words that are no names, that are names in terms, and that are names: banks, long, rose."""
SORTS = (0, 1, 1, 1, 1, 2, 3, 4)
"""Classes that one stretch may mix: a house may be called like a person, but a date ends where a time begins."""
CODE = 5
"""Digits of a number that is neither an image nor a grade."""
TOGETHER = 8
"""Reports that are read at once: as many as fit into a processor's cache."""
WITHIN = 0.12
"""How sure of a token beside one that it is sure of: names, dates and addresses are whole."""


def find_in_context(reports: Sequence[Tokens]) -> list[list[Span]]:
    """What the tagger finds in each report."""
    spans: list[list[Span]] = []
    for at in range(0, len(reports), TOGETHER):
        some = reports[at : at + TOGETHER]
        spans += [list(_spans(*one)) for one in zip(some, tagger().chances(some), strict=True)]
    return spans


def _spans(tokens: Tokens, chances: Floats) -> Iterator[Span]:
    row, words = tokens.row, tokens.words
    likely = 1 - chances[:, 0]
    found = np.array([at for at in np.flatnonzero(likely >= WITHIN).tolist() if not _stays(tokens, at)], dtype=int)
    for group in np.split(found, np.flatnonzero(np.diff(found) > 1) + 1):
        places = [at for at in group.tolist() if words[at][0].isalnum()]
        if not any(likely[at] >= _limit(words[at], row[at]) for at in places):
            continue
        kinds = 1 + chances[places, 1:].argmax(1)
        for _, run in groupby(zip(kinds.tolist(), places, strict=True), key=lambda one: SORTS[one[0]]):
            same = list(run)
            category = CLASSES[Counter(kind for kind, _ in same).most_common(1)[0][0]]
            span = Span(tokens.starts[same[0][1]], tokens.end(same[-1][1]), category, "context")
            anybody = all(OF_ANYBODY.fullmatch(words[at]) for _, at in same)
            if not anybody and not _is_clinical(tokens.text, span):
                yield span


def _stays(tokens: Tokens, at: int) -> bool:
    """A level of the spine, T4 or the second number of C5/6; so many views, 2V."""
    row, words = tokens.row, tokens.words
    if row[at] not in "Z#":
        return False
    second = row[at] == "#" and at > 1 and row[at - 1] in "-/" and row[at - 2] == "Z" and len(words[at]) < 3
    return LEVEL.fullmatch(words[at - 2 if second else at]) is not None


@lru_cache(maxsize=200_000)
def _limit(word: str, letter: str) -> float:
    if letter in ROLES:
        return CAPITAL_ROLE if word[0].isupper() else ROLE
    if letter not in "kC":
        return SURE.get(letter, OTHERWISE)
    if plain(word) in lexicon().names:
        return CLINICAL_NAME
    return CLINICAL_EPONYM if plain(word) in lexicon().eponyms else CLINICAL


def _is_clinical(text: str, span: Span) -> bool:
    """A measurement or a part of one, a ratio, a level of the spine, a place on the dial: 4 cm, 10:1, T12-L1."""
    said, after = text[span.start : span.end], text[span.end : span.end + 24]
    if DIAL.fullmatch(said):
        return not OF_DAY.match(after)
    if not any(map(str.isdigit, said)):
        return SPOKEN_NUMBER.fullmatch(said) is not None
    around = MEASURED.finditer(text, max(0, span.start - NEAR), span.end + NEAR)
    if any(found.start() <= span.start and span.end <= found.end() for found in around):
        return span.category != "time" or not said.replace(".", "").isdigit() or UNIT.match(after) is not None
    before = text[max(0, span.start - BEFORE) : span.start]
    if RATIO.fullmatch(said) or (len(said) == 1 and AFTER_COLON.search(before)):
        return True
    if BILLED.search(before):
        return True
    if FRACTION.fullmatch(said) and GRADE.match(after):
        return True
    if said.isdigit():  # perhaps the second one of "ribs 5-7"
        before = before.rstrip("0123456789-/")
    if span.category != "time" and (NOT_A_YEAR.search(before) or GRADED.search(before)):
        return sum(map(str.isdigit, said)) < CODE
    return unit_follows(text, span.end) if span.category == "date" else UNIT.match(after) is not None
