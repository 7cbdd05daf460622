"""Hospitals and places: by the word that their names end in, by what leads to them, and as addresses."""

from __future__ import annotations

import re
from collections.abc import Iterator

from leadapron.reports.identifiers.categories import Span
from leadapron.reports.identifiers.field_labels import labelled_values
from leadapron.reports.identifiers.lexicon import FUNCTION, lexicon, plain, words_of
from leadapron.reports.identifiers.tokens import Tokens

HEADS = words_of("rules.toml", "heads")
SURE = words_of("rules.toml", "sure")
GENERIC = words_of("rules.toml", "generic")
STREET = r"(?:street|st|avenue|ave|road|rd|drive|dr|lane|ln|boulevard|blvd|court|ct|place|pl|way|terrace|ter|circle|cir|highway|hwy|parkway|pkwy|square|sq|close|crescent|row|trail|trl|alley|loop|walk|gardens|quay|mews|path|pike|route|rte|hill|heights|plaza)"
ADDRESS = re.compile(
    rf"""(?x)(?<![\w/.-])\d{{1,5}}[A-Za-z]?(?:-\d+)?,?\s(?:[NSEW]\.?\s|(?i:north|south|east|west)\s)?(?:(?!(?i:mm|cm|year|day|view|week|hour|month|images?|of|x)\b)(?:[^\W\d_][\w.'’-]*|\d+(?:st|nd|rd|th))\s){{1,4}}(?i:{STREET})\b\.?
    (?:,?\s*(?i:apt|apartment|unit|suite|ste|flat|floor|fl|room|rm|\#)\.?\s?\#?[\w-]+)?(?:\s*[,\n]\s*(?:[A-Z][\w.'’-]+(?:\s[A-Z][\w.'’-]+){{0,3}}|[a-z][\w.'’-]+(?:\s[a-z][\w.'’-]+){{0,2}}(?=,\s[a-z]{{2}}\s\d)))?(?:,?\s+[A-Za-z]{{2}}(?=[,\s]+\d))?(?:,?\s+[\dOlS]{{5}}(?:[-\s]\d{{4}})?)?"""
)
ROUTE = re.compile(
    r"(?i)(?<![\w/.-])\d{1,5} (?:route|rte\.?|highway|hwy\.?|county road|state road|interstate) \d{1,3}[A-Z]?\b"
)
BOX = re.compile(
    r"(?i)\bp\.?\s?o\.?\s?box\s\d+|\b(?:apt|apartment|suite|flat)\.?\s#?\d+\w?\b|\brm\.?\s\d{3,4}\b|\broom\s\d{3,4}\b"
)
STATES = "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM|NY|NC|ND|OH|OK|OR|PA|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC|PR"
TOWN = re.compile(
    rf"(?:\d{{1,5}}[A-Z]? [A-Z]\w+(?: \w+)?,\s)?[A-Z][\w.'’-]+(?:\s[A-Z][\w.'’-]+){{0,2}},\s?(?:{STATES})\b(?:\s+\d{{5}}(?:-\d{{4}})?)?"
)
ZIP = re.compile(
    rf"(?<=\b)(?:(?<=zip )|(?<=zip: )|(?<=ZIP )|(?<=ZIP: )|(?<=zip code )|(?<=code ))\d{{5}}(?:-\d{{4}})?\b|\b(?:{STATES})\s+\d{{5}}(?:-\d{{4}})?\b|\b[A-Z]{{1,2}}\d[A-Z\d]?\s\d[A-Z]{{2}}\b|\b[A-Z]\d[A-Z]\s?\d[A-Z]\d\b"
)
POSTAL = re.compile(r"[A-Z]{2}\s+\d{5}|[A-Z]\d[A-Z\d]?\s?\d[A-Z]|[A-Z]\d\d?\s\d[A-Z]{2}")
"""A hint of one."""
LED_PLACE = re.compile(
    r"(?i)\b(?:lives? (?:in|at|on|near)|living (?:in|at)|resid(?:es|ing) (?:in|at)|resident of|born in|native of|travell?ed (?:to|from)|trip to|visit(?:ing|ed)?(?: family)?(?: from| in| to)?|mov(?:ed|ing) (?:from|to)|immigrated from|emigrated from|returned from|returning from|return from|works? (?:in|at|for)|worked (?:in|at|for)|farm (?:in|near|outside)|near|outside of|hometown|town of|city of|village of|county of|island of|province of|district of|raised in|grew up in|flew (?:in )?from|vacation in|stationed (?:in|at)|deployed to|exposure in|shelter in|county jail in|employed (?:at|by)|retired from|stay in|suburb of)\s+(?:the\s+)?$"
)
LED_HOSPITAL = re.compile(
    r"(?i)\b(?:transfer(?:red)? (?:from|to)|outside (?:study|studies|film|films|imaging|ct|exam|hospital|facility|records?)(?: \w+)? (?:from|at)|admitted (?:to|at)|seen (?:at|in)|performed at|obtained at|referred (?:from|by|to)|presented to|presenting to|discharged (?:from|to)|imaging (?:at|from)|done at|acquired at|followed (?:at|by)|treated (?:at|in)|evaluated at|taken at|surgery at|study from|studies from|images from|films from|report from|records from|available from|from|at|expected at|attended|scanned at|care (?:at|of)|archived at|clinic at|rehab at|hospitalized at|hospitalised at|operated (?:on )?at|implanted at|placed at|biopsied at)\s+(?:the\s+)?$"
)
STATE = re.compile(rf",\s?(?:{STATES})\b")
WARD = re.compile(r"\b(?:Ward|WARD|ward) (?:[0-9]{1,2}[A-Z]?|[A-Z]\d{0,2})\b(?: (?-i:[A-Z][a-z]+))?")
OWN_LINE = re.compile(r"(?:^|(?<=[|_]))(?=[WAUNC]{0,3}[WA])[WAUNC]{2,4}(?=[|_]|$)")
HEAD = re.compile("[Hh]")
BEHIND = re.compile("(?<=[fbVwk])[UNAWEXC]")
"""A capitalised word behind a small one."""
STREETS = words_of("rules.toml", "streets")
BOXES = frozenset({"box", "apt", "apartment", "suite", "flat", "rm", "room"})
LED = 40
"""Characters in which such a phrase stands."""
SAINT = re.compile(r"\b(?:St|Saint|Ste)\.? ([A-Z][a-z]+)(?:['’]s)?(?! Day)(?: [A-Z][a-z]+)?")
WING = re.compile(r"(?<![\w.])\d{1,2} ?(?:North|South|East|West)\b")
TWO_CAPITALS = re.compile(r"(?<=[fbwkV(])(?=[WAC]{0,3}[WA])[WAC]{2,4}(?=[fwkVb.,;)|]|$)")
LETTERHEAD = re.compile(r"(?im)^[ \t]*([^\W\d_][\w.'’&-]*(?:[ \t][\w.'’&-]+){0,5}),? +(?=dep(?:artmen)?t\.? of\b)")


def find_where(tokens: Tokens) -> Iterator[Span]:
    text, row = tokens.text, tokens.row
    if tokens.lowered & STREETS:
        yield from (
            Span(*found.span(), "place", "address") for found in tokens.begun(ADDRESS) if _is_street(found.group())
        )
        yield from (Span(*found.span(), "place", "address") for found in tokens.begun(ROUTE))
    if "#" in row:
        if tokens.lowered & BOXES:
            yield from (Span(*found.span(), "place", "box") for found in tokens.scan(BOX))
        if POSTAL.search(text) or tokens.lowered & {"zip", "code"}:
            yield from (Span(*found.span(), "place", "postal code") for found in tokens.scan(ZIP))
    if "ward" in tokens.lowered:
        yield from (Span(*found.span(), "hospital", "ward") for found in WARD.finditer(text))
    for found in SAINT.finditer(text) if tokens.lowered & {"st", "saint", "ste"} else ():
        if (at := tokens.place_of.get(found.start(1))) is not None and row[at] not in "Ee":
            yield Span(*found.span(), "hospital", "saint")
    if tokens.lowered & {"north", "south", "east", "west"}:
        yield from (Span(*found.span(), "hospital", "wing") for found in WING.finditer(text))
    for found in OWN_LINE.finditer(row):
        if not any(plain(tokens.words[at]) in lexicon().own for at in range(*found.span())):
            yield Span(tokens.starts[found.start()], tokens.end(found.end() - 1), "hospital", "a line of its own")
    for found in TWO_CAPITALS.finditer(row):
        if not any(plain(tokens.words[at]) in GENERIC | lexicon().own for at in range(*found.span())):
            yield Span(tokens.starts[found.start()], tokens.end(found.end() - 1), "hospital", "two capitals")
    for found in LETTERHEAD.finditer(text) if tokens.lowered & {"department", "dept"} else ():
        if not all(lexicon().is_clinical(plain(one)) for one in re.findall(r"\w+", found.group(1))):
            yield Span(*found.span(1), "hospital", "letterhead")
    for found in TOWN.finditer(text) if STATE.search(text) else ():
        if not re.search(r",\s?(?:MD|PA)$", found.group()) and not all(
            lexicon().is_clinical(plain(one)) for one in re.findall(r"\w+", found.group())[:-1]
        ):
            yield Span(*found.span(), "place", "town")
    for found in HEAD.finditer(row):
        if plain(tokens.words[found.start()]) in HEADS:
            yield from _institution(tokens, found.start())
    for category, first, end in labelled_values(tokens):
        if category in ("hospital", "place"):
            places = [
                at
                for at in range(first, end)
                if row[at] in "UNAWXEHunaI#" or (row[at] == "C" and plain(tokens.words[at]) in lexicon().names)
            ]
            if (
                places
                and any(row[at] in "UNAXunaW" for at in places)
                and not any(row[at] in "kVb" for at in range(first, end))
            ):
                yield Span(tokens.starts[places[0]], tokens.end(places[-1]), category, "label")
    for found in BEHIND.finditer(row):
        at = found.start()
        before = text[max(0, tokens.starts[at] - LED) : tokens.starts[at]]
        if LED_PLACE.search(before):
            yield from _led(tokens, at, "place")
        elif row[at] in "UNAW" and LED_HOSPITAL.search(before):
            yield from _led(tokens, at, "hospital")


def _is_street(said: str) -> bool:
    """Not a sentence that happens to have a number and "Dr" in it."""
    return not any(plain(one) in FUNCTION - {"the", "of"} for one in re.findall(r"[^\W\d_]{2,}", said))


def _led(tokens: Tokens, at: int, category: str) -> Iterator[Span]:
    """Capitalised words behind "lives in" or "transferred from"; a title there leads to a person instead."""
    row, first = tokens.row, at
    if row[at] in "EC" and row[at + 1 : at + 2] in "kw-":
        return
    if row[at] == "C" and _ordinary(tokens.words[at]):
        return
    if row[at] == "W" and (
        plain(tokens.words[at]) in GENERIC
        or row[at + 1 : at + 2] not in ("W", "A", "U", "N", "H", "'", "’", ".", ",", "C")
    ):
        return
    while at < len(row) and (
        row[at] in "UNAWECXH"
        or (row[at] in "-'’." and row[at + 1 : at + 2] in "UNAWEH" and row[at - 1] in "UNAWEHoI" and row[at] != ".")
    ):
        at += 1
    while at > first and row[at - 1] in "-'’.":
        at -= 1
    if at > first:
        yield Span(tokens.starts[first], tokens.end(at - 1), category, "led to")


def _institution(tokens: Tokens, head: int) -> Iterator[Span]:
    """A name that ends in such a word, and what follows it: Mercy General Hospital, University of Lund."""
    row, words = tokens.row, tokens.words
    quiet = row[head] == "h"
    first = head
    while first and head - first < 6:
        before, word = row[first - 1], plain(words[first - 1])
        if (
            before == "|" and row[first - 2 : first - 1] in ("U", "N", "A", "W") and head - first < 2
        ):  # broken over a line
            first -= 1
            continue
        joins = (
            before in "-'’&"
            or word in ("s", "of", "and", "the", "st", "saint", "mount", "santa", "san")
            or (before == "." and plain(words[first - 2]) == "st")
        )
        named = before in ("unahwkeI" if quiet else "UNAWECXHI") or (before in "TRM" and words[first - 1].istitle())
        if not (joins or named) or (
            quiet and before == "k" and word not in GENERIC and not _line_start(row, first - 1)
        ):
            break
        first -= 1
    while first < head and (
        row[first] in "-'’&.f|" or plain(words[first]) in ("s", "of", "and", "the", "at", "to", "from")
    ):
        first += 1
    last = head
    while last + 1 < len(row) and row[last + 1] in "Hh" and plain(words[last + 1]) in HEADS:
        last += 1
    if (
        plain(words[last]) in ("university", "hospital", "college", "institute", "memorial")
        and row[last + 1 : last + 2] == "f"
        and plain(words[last + 1]) == "of"
    ):
        after = last + 2
        while after < len(row) and row[after] in "UNAWEX":
            after += 1
        last = after - 1 if after > last + 2 else last
    likely = "UNAXEuna" if quiet else "UNAXEunWC"
    if quiet and _line_end(row, last):  # a line of its own in capitals: a letterhead
        begin = max(row.rfind("|", 0, head), row.rfind("_", 0, head), row.rfind(":", 0, head)) + 1
        if head - begin <= 5 and not re.search(r"[fVbp#.,]", row[begin + (plain(words[begin]) == "the") : head]):
            first, likely = begin, "UNAXEunaw"
    proper = [
        at
        for at in range(first, last + 1)
        if plain(words[at]) not in GENERIC | HEADS and row[at] in "UNAWEXunawCk" and not _ordinary(words[at])
    ]
    if not proper or (first == head == last):
        return
    if plain(words[last]) in SURE or any(row[at] in likely for at in proper) or (len(proper) > 1 and not quiet):
        yield Span(tokens.starts[first], tokens.end(last), "hospital", "institution")


def _line_end(row: str, at: int) -> bool:
    return at + 1 == len(row) or row[at + 1] in "|_"


def _line_start(row: str, at: int) -> bool:
    return at == 0 or row[at - 1] in "|_:"


def _ordinary(word: str) -> bool:
    """A clinical word says what a clinic is for, not which one it is."""
    bare = plain(word)
    return bare in lexicon().own and bare not in lexicon().names
