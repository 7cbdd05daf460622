"""The letter of a token: what a word is, wherever it stands, and where it is part of a clinical term."""

from __future__ import annotations

import re
from functools import lru_cache

from leadapron.reports.identifiers.lexicon import FUNCTION, lexicon, plain, words_of
from leadapron.reports.identifiers.memo import Memo

BESIDE = words_of("rules.toml", "beside")
PATIENT = words_of("rules.toml", "patient")
MONTHS = words_of("rules.toml", "months")
WEEKDAYS = words_of("rules.toml", "weekdays")
INSTITUTIONS = words_of("rules.toml", "institutions")
"""Words that names of institutions end in, or have before their end."""
ROMAN = re.compile(r"(?=[IVX]{2})X{0,2}(?:IX|IV|V?I{0,3})[a-c]?")
NOT_MISREAD = re.compile(
    r"(?i)(?:f[il]o|sp[o0]|sa[o0]|pa[o0]|fev|fvc|hba|mag|covid|quadr|ttf|nct|bnp|abc|pgy|kvp|mas|cd|il|tnf|hla|p[ao]co)\d{1,3}[a-z]?|[a-z]{3,}\d{2,}|[2-9]\d*[a-z]+|\d+(?:mm|cm|ml|mg|kg|fr|yo|yof|yom|yrs?|th|st|nd|rd|am|pm|hrs?|mins?|cc|mas|kvp?|hu|mgy|mcg|wks?|mos?|days?|years?)|t\d[a-z]*"
)
EPONYM, SURE_HEAD = 1, 2
ABBREVIATION = 4
"""Unknown words of so many capitals are taken for abbreviations, unless something says that they are a name."""


def code(word: str) -> str:
    """The letter of a token, wherever it stands."""
    first = word[0]
    if not first.isalnum():
        return _SIGNS.get(first, first)
    if word.isdigit():
        return "#"
    bare = word.replace("'", "").replace("’", "")
    if not bare.isalpha():
        return "U" if is_misread_name(bare) and bare[0].isupper() else "u" if is_misread_name(bare) else "Z"
    if len(bare) == 1:
        return "I" if bare.isupper() else "f" if bare == "a" else "i"
    if ROMAN.fullmatch(word):
        return "k"
    kind = kind_of(plain(word))
    if kind in "TPRVpbfoMD":
        return _marked(word, kind)
    if kind in "un" and word.isupper() and len(word) <= ABBREVIATION:
        return "X"
    if kind in "rcm":  # a rare word, two in one, a slip: with a capital more likely a name
        return "U" if first.isupper() else {"r": "a", "c": "w", "m": "k"}[kind]
    if not first.isupper():
        return kind
    return "C" if kind == "k" else kind.upper()


def is_misread_name(word: str) -> bool:
    """Letters with a digit that character recognition put there, and no word if that is undone."""
    letters = sum(one.isalpha() for one in word)
    if letters < 3 or letters < 0.7 * len(word) or NOT_MISREAD.fullmatch(word):
        return False
    words = lexicon()
    mended = [word.lower().translate(str.maketrans("0158", other)) for other in ("olsb", "oisb")]
    return not any(
        one in FUNCTION or words.is_clinical(one) or words.is_english(one) or one in words.alone for one in mended
    )


def _marked(word: str, kind: str) -> str:
    """Words with a role. A month that is a verb as well has it by its capital or not at all."""
    if kind == "M" and plain(word) in ("may", "mar", "march", "sun", "sat", "wed", "dec", "mon"):
        return "M" if word[0].isupper() else "f" if plain(word) == "may" else "w"
    if kind == "D" and not word[0].isupper() and len(word) <= 4:
        return "w"
    return kind


@lru_cache(maxsize=200_000)
def kind_of(word: str) -> str:
    words = lexicon()
    for kind, listed in _ROLES.items():
        if word in listed:
            return kind
    if word in words.alone:
        return "e"
    if word in words.own:
        return "k"
    named = word in words.names
    if words.is_clinical(word) and not (named and not words.is_english(word)):
        return "k"
    if words.is_english(word):
        return "a" if named else "w" if words.is_settled(word) else "r"
    if named:
        return "n"
    if words.looks_medical(word):
        return "k"
    if words.is_written(word):
        return "r"
    if words.may_be_medical(word):
        return "m"
    if words.is_misread(word):
        return "w"
    return "c" if len(word) > 7 and words.is_compound(word) else "u"


def with_terms(words: list[str], row: str) -> str:
    """The row with E where a name has its head behind it: Hampton hump, Bjork-Shiley valve, St. Jude valve."""
    listed, heads = lexicon().eponyms, lexicon().heads
    told = [(at, role) for at, role in enumerate(map(_TERM_ROLES.__getitem__, words)) if role]
    for at in [at for at, role in told if role & EPONYM]:
        if row[at] not in "Ee":
            then = at + 1
            while then < len(words) and (words[then] in "-'’s./" or plain(words[then]) in listed):
                then += 1
            joined = row[at + 1 : at + 2] == "-" and at + 2 < len(words) and plain(words[at + 2]) in listed
            if joined:
                row = f"{row[:at]}E-E{row[at + 3 :]}"
            elif then < len(words) and plain(words[then]) in heads and not row[at + 1 : then].count("."):
                row = row[:at] + "E" + row[at + 1 :]
    for head in [at for at, role in told if role & SURE_HEAD]:
        first = _first_of_term(words, row, head)
        row = row[:first] + "".join("E" if one in "UNAWC" else one for one in row[first:head]) + row[head:]
    return row


def _first_of_term(words: list[str], row: str, head: int) -> int:
    """Where a term begins that ends in a sure head: one capitalised name before it, or two that are joined; the head
    itself, if it has none or if what stands before tells of a person: Dr. Marsh valve, nurse Okafor."""
    first = head
    if head and row[head - 1] in "UNAWC" and words[head - 1].istitle():
        first = head - 1
        if row[first - 2 : first] in ("U-", "N-", "A-", "W-", "C-", "E-"):
            first -= 2
    before = row[:first].rstrip(".")
    return head if before and before[-1] in "TPRVpbIUNA'’" else first


def _term_role(word: str) -> int:
    """Whether a word may be the name in a term, or the head of one."""
    named = word[0].isalpha() and plain(word).removesuffix("'s") in lexicon().eponyms
    return EPONYM * named | SURE_HEAD * (word in lexicon().sure_heads)


_SIGNS = {"\n": "|", " ": "_", "\t": "_", "#": "=", "№": "=", "_": "-"}
_ROLES: dict[str, frozenset[str]] = {
    "M": MONTHS,
    "D": WEEKDAYS,
    "T": words_of("people.toml", "titles_staff") | words_of("people.toml", "titles_other"),
    "R": words_of("people.toml", "relatives"),
    "p": PATIENT,
    "b": BESIDE,
    "f": FUNCTION,
    "P": frozenset(one.lower().replace(".", "") for one in words_of("people.toml", "credentials").__iter__())
    - {"pa", "do"},
    "V": words_of("people.toml", "telling"),
    "h": INSTITUTIONS,
    "o": words_of("people.toml", "particles"),
}
LETTER_OF = Memo(code)
_TERM_ROLES = Memo(_term_role)
