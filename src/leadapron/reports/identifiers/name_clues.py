"""Clues to names: a title, a label, a relative, a verb of telling, a credential … Each is a rule of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from leadapron.reports.identifiers.field_labels import labelled_values
from leadapron.reports.identifiers.lexicon import lexicon, plain, words_of
from leadapron.reports.identifiers.name_walk import ANY, LONGEST, name_before, name_from
from leadapron.reports.identifiers.tokens import Tokens, sentence_start


class Mark(NamedTuple):
    """Tokens that are a name, whose it is, and what says so."""

    places: range
    category: str
    clue: str


Clue = Callable[[Tokens], Iterator[Mark]]

STAFF_TITLES, WEAK_TITLES = words_of("people.toml", "titles_staff"), words_of("people.toml", "weak_titles")
ACTIVE, NOBODY = words_of("rules.toml", "active"), words_of("rules.toml", "nobody")
NOT_BY, WRITTEN = words_of("rules.toml", "not_by"), words_of("rules.toml", "written")

TITLED = re.compile(r"T\.?\|?")
RELATED = re.compile(r"R(?=[,(:]?[\"“(]?(?:[UNAWCEXun]|a[,.|]))[,(:]?[\"“(]?")
PATIENT = re.compile(r"p\.?,?:?[\"“(]?(?=[UNAEun]|[Ii]\.?[Ii]|X)")
LETTERS = re.compile(r"p\.?(?=[A-Z](?:,|ff?#))")
TOLD = re.compile(r"V(?:[fb]|V){0,3}(?=[UNA])|V(?=X)|Vb(?=[EXCW])|V(?:f|b)*b(?=[una](?![kw]))")
CALLED = re.compile(r"[UNAIunai]\.?[(]?[\"“'‘](?=[A-Za-z]{1,2}[\"”'’])")
SLASHED = re.compile(r"(?<=[#Z])/[UNAWCXunawk](?:-[UNAWCX])?(?=/#)")
NAME_FIRST = re.compile(r"(?:^|(?<=\|))[Ck](?=[UNAXC])")
CREDENTIAL = re.compile("P")
CREDENTIALLED = re.compile(r"P(?=[UNAECW][^-])")
INITIALLED = re.compile(r"I\.[UNAWCEM](?:-[UNAWCE])?")
TWO_NAMES = re.compile(r"A[CW](?![a-z]*k)")
ACTING = re.compile(r"[AWCEUN](?:V|f|w|k|'[f]?i?R|’i?R)")
WHO = re.compile(r"[AWCE](?=,?f)")
DATED_BY = re.compile(r"(?<=[#Z])b([aknwANWCUu]{1,3}(?:,[aknwANWCUu])?)(?=[;.|])")
SPELLED = re.compile(r"I{4,}")
BY_EPONYM = re.compile(r"[bf](?=[Ee](?![-kE]))")
SMALL_EPONYM = re.compile(r"e(?=V)")
IS_SOMEONE = re.compile(r"X(?=f(?:f|w)?#)")
TYPED = 3
COLUMN = re.compile(r"(?:(?<=[|_])|^)[UNAWC],\|?[UNAWC](?:I\.?)?(?=[_|,#]|$)")
"""Of the row of letters."""
CLOSING = re.compile(
    r"(?i)\b(?:thanks|thank you|regards|sincerely|cheers|best wishes|yours|faithfully|truly|dear|hi|hello)(?: again| so much| very much)?,?[ \t]*\n?[ \t]*(?=(?-i:[A-Z]))"
)
KNOWN_AS = re.compile(
    r"(?i)\b(?:known as|goes by|nick-?named?|nickname[^\n]{0,20}[=:]|prefers (?:the name|to be called)|real name|legal name|maiden name|answers to|a\.k\.a\.?|aka|named|titled|pronounced|calls (?:him|her)self)\s*[\"“'‘]?(?=(?-i:[A-Z]))"
)
CLOSING_WORDS, KNOWN_WORDS = words_of("rules.toml", "closing"), words_of("rules.toml", "known_as")
"""Without one of these there is nothing to find."""
DICTATED = re.compile(r"\b[DTR]\s?:\s?([A-Z]{2,4}|[a-z]{2,4})\b(?!:)")
BY_LETTERS = re.compile(
    r"\bby (?:user )?([A-Z]{2,4})\b|\bby user ([a-z]{2,8})\b|\binitials:? ([A-Za-z]{2,4})\b"
    r"|\b(?:[Tt]yped|[Ff]iled|[Mm]oved|[Ee]ntered|[Ss]canned|[Tt]ranscribed)\b[^\n;]{0,48}?\bby ([a-z]{2,3})(?=[,.;\n]|$)"
)
LETTERS_AND_AGE = re.compile(
    r"(?m)(?:: |^)((?!(?:CT|MR|US|XR|PA|AP|ED|ER)\b)[A-Z]{2,3}),\s(?:\d{1,3}|[a-z]+ty(?:-[a-z]+)?)(?=,|\s?[MF]\b|\s?y)"
)
"""Of the text."""


def label(tokens: Tokens) -> Iterator[Mark]:
    """Patient name: …, Dictated by: …"""
    for category, first, end in labelled_values(tokens):
        if category in ("name", "staff"):
            yield from (Mark(part, category, "label") for part in _value(tokens, first, end))
            if category == "staff" and _typed_initials(tokens, first, end):
                yield Mark(range(first, first + 1), category, "initials")
    for found in NAME_FIRST.finditer(tokens.row):
        if plain(tokens.words[found.start()]) == "name":
            yield Mark(name_from(tokens, found.end(), ANY), "name", "label")


def title(tokens: Tokens) -> Iterator[Mark]:
    """Dr. Okafor, Mrs. May, Drs. Young and Bone; "nurse" and the like only before what looks like a name."""
    row, words = tokens.row, tokens.words
    for found in TITLED.finditer(row):
        said, then = plain(words[found.start()]), found.end()
        category = "staff" if said in STAFF_TITLES else "name"
        if said not in WEAK_TITLES:
            name = name_from(tokens, then, ANY + "wkeMD")
            yield Mark(name, category, "title")
            if said == "drs" and words[name.stop : name.stop + 1] == ["and"]:
                yield Mark(name_from(tokens, name.stop + 1, ANY), category, "title")
        elif row[then - 1] == "T":
            known = row[then : then + 1] in ("W", "C") and plain(words[then]) in lexicon().names
            yield Mark(name_from(tokens, then, "UNAEXun" + "WC" * known), category, "title")


def relative(tokens: Tokens) -> Iterator[Mark]:
    for found in RELATED.finditer(tokens.row):
        yield Mark(name_from(tokens, found.end(), "UNAWCEXuna"), "name", "relative")


def patient(tokens: Tokens) -> Iterator[Mark]:
    """Patient Okafor, Pt. R.M., pt. AIT, 83 yrs."""
    for found in PATIENT.finditer(tokens.row):
        yield Mark(name_from(tokens, found.end(), "UNAEXun"), "name", "patient")
    for found in LETTERS.finditer(tokens.row):
        if tokens.words[found.end()].isupper() and len(tokens.words[found.end()]) <= 3:
            yield Mark(range(found.end(), found.end() + 1), "name", "initials")


def credential(tokens: Tokens) -> Iterator[Mark]:
    """Amara Okafor, MD; RN Hart."""
    for found in CREDENTIAL.finditer(tokens.row):
        yield Mark(name_before(tokens, found.start()), "staff", "credential")
    for found in CREDENTIALLED.finditer(tokens.row):
        if tokens.row[found.end()] not in "CW" or _listed(tokens, found.end()):
            yield Mark(name_from(tokens, found.end(), "UNAECW"), "staff", "credential")


def telling(tokens: Tokens) -> Iterator[Mark]:
    """Discussed with Hope Price, mentioned by Ghon, reviewed by CT only where that is no name."""
    row, words = tokens.row, tokens.words
    for found in TOLD.finditer(row):
        if row[found.end()] not in "CW" or (_listed(tokens, found.end()) and words[found.end()].istitle()):
            yield Mark(name_from(tokens, found.end(), "UNAEXCWuna"), "staff", "telling")
    for found in BY_EPONYM.finditer(row):
        led = plain(words[found.start()])
        if led in ("by", "per") or (led in ("of", "from", "to") and plain(words[found.start() - 1]) in WRITTEN):
            yield Mark(range(found.end(), found.end() + 1), "staff", "by")
    for found in DATED_BY.finditer(row):
        places = range(*found.span(1))
        if plain(words[found.start()]) == "by" and any(_listed(tokens, at) for at in places):
            yield Mark(places, "staff", "telling")
    for found in BY_LETTERS.finditer(tokens.text) if tokens.lowered & {"by", "initials"} else ():
        group = found.lastindex or 1
        if found.group(group).lower() not in NOT_BY or "user" in found.group():
            yield from _at(tokens, found.start(group), "staff", "initials")


def acting(tokens: Tokens) -> Iterator[Mark]:
    """Stone called back; Vane's husband; Bone, who agrees: only people do that."""
    row, words = tokens.row, tokens.words
    for found in ACTING.finditer(row):
        at, last = found.start(), found.end() - 1
        acts = plain(words[last]) in ACTIVE or row[last] == "R"
        known = _listed(tokens, at) or plain(words[at]) in lexicon().eponyms
        if acts and known and words[at].istitle() and (row[at] != "C" or row[last] == "V"):
            yield Mark(range(at, at + 1), "name", "acting")
    for found in SMALL_EPONYM.finditer(row):  # in a line of capitals or of small letters
        if plain(words[found.end()]) in ACTIVE:
            yield Mark(range(found.start(), found.end()), "name", "acting")
    for found in WHO.finditer(row):
        at, then = found.start(), found.end() + (row[found.end()] == ",")
        if plain(words[then]) in ("who", "whom", "whose") and words[at].istitle() and not sentence_start(row, at):
            yield Mark(range(at, at + 1), "name", "who")


def called(tokens: Tokens) -> Iterator[Mark]:
    """Nicknames, closings of letters, names that are spelled out."""
    for found in CALLED.finditer(tokens.row):
        yield Mark(range(found.end(), found.end() + 1), "name", "nickname")
    for pattern, hints, category, letters in (
        (KNOWN_AS, KNOWN_WORDS, "name", "UNAWCEXM"),
        (CLOSING, CLOSING_WORDS, "staff", "UNAWCEX"),
    ):
        for found in pattern.finditer(tokens.text) if tokens.lowered & hints else ():
            if (place := tokens.place_of.get(found.end())) is not None:
                yield Mark(name_from(tokens, place, letters), category, "called")
    for found in SPELLED.finditer(tokens.row):
        yield Mark(range(*found.span()), "name", "spelled")


def layout(tokens: Tokens) -> Iterator[Mark]:
    """A column that holds "Young, Ivy" alone; a name between two numbers and slashes."""
    for found in SLASHED.finditer(tokens.row):
        yield Mark(range(found.start() + 1, found.end()), "name", "between slashes")
    for found in COLUMN.finditer(tokens.row):
        if not set(found.group()) <= set("C,|W"):
            yield Mark(range(*found.span()), "name", "column")


def initial(tokens: Tokens) -> Iterator[Mark]:
    """V. Mild; EAK is a 81 y/o; D: RTV; two names of which the second is a word, too."""
    row, words = tokens.row, tokens.words
    for found in INITIALLED.finditer(row):
        ends = row[found.end() : found.end() + 1] not in ("k", "w", "f", "V", "b")
        led = not found.start() or row[found.start() - 1] in "bVTPR:,|(_-/;&"
        if led and (ends or not sentence_start(row, found.start())):
            staff = (
                row[found.start() - 1 : found.start()] in ("b", "V", "P") or row[found.end() : found.end() + 1] == "P"
            )
            yield Mark(range(*found.span()), "staff" if staff else "name", "initial")
    for found in IS_SOMEONE.finditer(row):
        yield Mark(range(*found.span()), "name", "initials")
    for found in LETTERS_AND_AGE.finditer(tokens.text):
        yield from _at(tokens, found.start(1), "name", "initials")
    for found in DICTATED.finditer(tokens.text):
        if found.group(1).lower() not in lexicon().own:
            yield from _at(tokens, found.start(1), "staff", "initials")
    for found in TWO_NAMES.finditer(row):
        second = found.end() - 1
        if _listed(tokens, second) and not sentence_start(row, second) and words[second].istitle():
            yield Mark(range(*found.span()), "name", "two names")


CLUES: tuple[Clue, ...] = (label, title, relative, patient, credential, telling, acting, called, layout, initial)
"""The surest first: the first to mark a word says whose name it is."""


def _listed(tokens: Tokens, at: int) -> bool:
    return plain(tokens.words[at]) in lexicon().names


def _at(tokens: Tokens, start: int, category: str, clue: str) -> Iterator[Mark]:
    """The token that begins at a character."""
    if (place := tokens.place_of.get(start)) is not None:
        yield Mark(range(place, place + 1), category, clue)


def _value(tokens: Tokens, first: int, end: int) -> Iterator[range]:
    """The names in what stands behind a label, up to the end of the line or of its column."""
    row, words = tokens.row, tokens.words
    kept = [place for place in range(first, end) if words[place][0].isalpha() and row[place] not in "TP"]
    kept = [place for place in kept if row[place] != "f" or _listed(tokens, place)]
    if kept and _is_name_alone(tokens, kept, first, end):
        yield from (range(place, place + 1) for place in kept)
        return
    at = first
    while at < end:
        part = name_from(tokens, at, ANY) if row[at] in ANY + "Io" else range(at, at)
        part = range(part.start, min(part.stop, end))
        if len(part) and not set(row[part.start : part.stop]) <= set("kCW.,"):
            yield part
            at = part.stop
        elif row[at] in "TP.,_;/&(\"“-'" or plain(words[at]) == "and" or len(part):
            at = max(at + 1, part.stop)
        else:
            return


def _typed_initials(tokens: Tokens, first: int, end: int) -> bool:
    """Whether a field holds two or three letters and nothing else: By: ok."""
    word = tokens.words[first] if end == first + 1 else ""
    return word.isalpha() and 1 < len(word) <= TYPED and plain(word) not in NOBODY


def _is_name_alone(tokens: Tokens, kept: list[int], first: int, end: int) -> bool:
    """Whether a field holds a name and nothing else: few words, not all of them clinical, or all of them known names."""
    row, words = tokens.row, tokens.words
    short = len(kept) <= LONGEST and not re.search(r"[#Vbp]", row[first:end])
    if short and not {row[place] for place in kept} <= set("kCfH"):
        return True
    if len(kept) <= 3 and all(_listed(tokens, place) for place in kept):
        return True
    if len(kept) > 1:
        return False
    word, alone = words[kept[0]], sum(words[place][0].isalnum() for place in range(first, end)) == 1
    initials = word.isupper() and len(word) <= 4 and end - first <= 2
    return initials or (alone and word.istitle() and plain(word) not in NOBODY)
