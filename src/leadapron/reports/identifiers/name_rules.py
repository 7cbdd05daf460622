"""Names of people: by clues around them, and by being no word of this small world."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadapron.reports.identifiers.categories import Span
from leadapron.reports.identifiers.field_labels import labels, squeezed
from leadapron.reports.identifiers.lexicon import lexicon, plain, words_of
from leadapron.reports.identifiers.name_clues import CLUES
from leadapron.reports.identifiers.number_rules import UNIT
from leadapron.reports.identifiers.token_letters import kind_of
from leadapron.reports.identifiers.tokens import Tokens, sentence_start

Marks = dict[int, tuple[str, str]]
"""Category and clue of every token that is part of a name."""

NEIGHBOUR = re.compile(r"[WC](?=[UN][^-])|(?<=[UN])[WC]")
PAIR = re.compile(r"(?<![A-Za-z])[AUN][AUN](?![a-z]-)|A(?=,?I\.)|A(?=[UN])|(?<=[UN])A|(?<=I\.)A|(?<=[UN]-)A|A(?=-[UN])")
AMID = re.compile(r"(?<=[fwkVb,WCp(\"“+])[AW](?=[wkfVb,.'’)?|]|$)")
PERHAPS = re.compile("[UNAWCun]")
GAP = re.compile(r"(?:[-'’,|\"“.]|o|oo|\.-|o-|-o|\.\||o['’]|,\||-\||,?I\.?\|?|(?:I\.)+)?")
"""What may lie between two words of one name."""
SIGNED = re.compile(
    r"(?m)(?:^|(?<=[\s(]))([^\W\d_a-z]{2,4}|(?:[^\W\d_]\.){2,4})\s?[/:\\]\s?([a-z]{2,4}|[A-Z]{2,4})(?=\s\w$|\s{2,}|\s*(?:$|\d|[DT]:|[,;)]))"
)
TYPIST = re.compile(r"\d\w*\s?[;/|]\s?([a-z]{2,3}|[A-Z]{2,4}|[a-z] [a-z])\s*\Z")
"""Letters at the very end of a report, behind a date or a number."""
DOTS = re.compile(r"[Iif]\.[Iif]")
DOTTED = re.compile(r"(?<![\w.])(?:[^\W\d_]\u0307?\.){1,3}(?:[^\W\d_]\u0307?\.?|\s[A-Z]\.)(?!\w)")
AGENT = re.compile(r"(?i)\b(?:by|with|to|from|for|dr|signed|read)\W{1,3}$")
FILED = re.compile(r"[^\W\d_]+(?:_[^\W\d_]+)*_(?=[A-Za-z]{0,3}\d)")
HL7 = re.compile(r"(?<![\w^])[^\W\d_][^\W\d_'’ -]+(?:\^[^\W\d_][^\W\d_'’ .-]*)+")
NOT_INITIALS = words_of("rules.toml", "not_initials")
SIDES = frozenset({"AP", "PA", "CT", "MR", "IV", "RUL", "LUL", "RLL", "LLL", "RV", "RA"})


def find_people(tokens: Tokens) -> list[Span]:
    """Names, with the category by what led to them."""
    marks: Marks = {}
    for clue in CLUES:
        for places, category, name in clue(tokens):
            for at in places:
                marks.setdefault(at, (category, name))
    _unknown(tokens, marks)
    _beside(tokens, marks)
    _frayed(tokens, marks)
    return [*_joined(tokens, marks), *_written_forms(tokens)]


def _unknown(tokens: Tokens, marks: Marks) -> None:
    """Words that nothing but a name explains, and words that are a name elsewhere in this report."""
    row, words = tokens.row, tokens.words
    strong = {plain(words[at]) for at in marks if row[at] in "UNAWCX"}
    for said in PERHAPS.finditer(row):
        at, letter = said.start(), said.group()
        if at in marks:
            continue
        then, begins = row[at + 1 : at + 2], letter in "UAWC" and sentence_start(row, at)
        if letter == "U" and begins and then in "kwf" and kind_of(plain(words[at])) == "m":
            continue  # Redemonstration of the mass: a capital tells nothing at the beginning of a sentence
        if letter in "UNun":
            marks[at] = ("name", "unknown word" if letter in "Uu" else "name list")
        elif letter in "AWC" and plain(words[at]) in strong and (not begins or then in ("'", "’", "V")):
            marks[at] = ("name", "named elsewhere")


def _beside(tokens: Tokens, marks: Marks) -> None:
    """Capitalised words that are names by their neighbours, or by having a capital in the middle of a sentence."""
    row, words = tokens.row, tokens.words
    for found in NEIGHBOUR.finditer(row):
        at = found.start()
        if words[at].istitle() and not sentence_start(row, at) and plain(words[at]) not in lexicon().own:
            marks.setdefault(at, ("name", "beside a name"))
    for found in PAIR.finditer(row):
        for at in range(*found.span()):
            if row[at] == "A" and not (sentence_start(row, at) and row[at + 1 : at + 2] != "A" and _lone(row, at)):
                marks.setdefault(at, ("name", "beside a name"))
    for found in AMID.finditer(row):
        at = found.start()
        capital = row[at] == "A" or words[at].istitle()
        if capital and at not in marks and not sentence_start(row, at):
            marks[at] = ("name", "capital in a sentence")


def _frayed(tokens: Tokens, marks: Marks) -> None:
    """Single letters, fragments and particles at the edges of names: an initial, a stray space of a scanner, "de la"."""
    row = tokens.row
    for at in sorted(marks):
        for step, letters in ((1, "IX"), (-1, "IXo")):
            place = at + step
            while 0 <= place < len(row) and row[place] in letters and place not in marks:
                marks[place] = marks[at]
                place += step


def _lone(row: str, at: int) -> bool:
    """Nothing on either side speaks for a name."""
    return row[at + 1 : at + 2] not in "UNI" and row[at - 1 : at] not in ("U", "N", ".")


def _joined(tokens: Tokens, marks: Marks) -> Iterator[Span]:
    """Spans of neighbouring tokens of one name; only what may stand inside a name may lie between."""
    places = sorted(marks)
    at = 0
    while at < len(places):
        last = at
        while last + 1 < len(places) and _inside(tokens.row, places[last], places[last + 1]):
            last += 1
        category, clue = marks[places[at]]
        yield Span(tokens.starts[places[at]], tokens.end(places[last]), category, clue)
        at = last + 1


def _inside(row: str, left: int, right: int) -> bool:
    between = row[left + 1 : right]
    return GAP.fullmatch(between) is not None and (between != "." or row[left] == "I")


def _written_forms(tokens: Tokens) -> Iterator[Span]:
    """Names that are known by how they are written: J.K., JKL/mt, OKAFOR^AMARA, okafor_amara_4711."""
    text = tokens.text
    if DOTS.search(tokens.row):
        for found in DOTTED.finditer(text):
            if _are_initials(found.group(), text[max(0, found.start() - 9) : found.start()]):
                yield Span(found.start(), found.start() + len(found.group().rstrip(".")), "name", "initials")
    if "^" in text:
        for found in HL7.finditer(text):
            if not all(plain(one) in lexicon().own or len(one) < 3 for one in found.group().split("^")):
                yield Span(*found.span(), "name", "HL7")
    if "_" in text:
        yield from (Span(found.start(), found.end() - 1, "name", "file name") for found in FILED.finditer(text))
    if (last := TYPIST.search(text, max(0, len(text) - 24))) and not UNIT.match(last.group(1)):
        yield Span(*last.span(1), "staff", "initials")
    if "/" in text or ":" in text:
        for found in SIGNED.finditer(text):
            if squeezed(found.group(1)) not in labels() and found.group(1) not in SIDES:
                yield Span(found.start(1), found.end(2), "staff", "initials")


def _are_initials(said: str, before: str) -> bool:
    """Letters with dots that are no abbreviation, or that follow what only a person follows."""
    letters = re.sub(r"[\W\u0307]", "", said).lower()
    one_case = letters.isalpha() and (said.isupper() or said.islower())
    known = letters in lexicon().own or letters in NOT_INITIALS
    return one_case and (not known or AGENT.search(before) is not None)
