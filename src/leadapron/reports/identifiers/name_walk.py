"""How far a name reaches: from its first word on, and back from what stands behind it."""

from __future__ import annotations

from leadapron.reports.identifiers.lexicon import plain, words_of
from leadapron.reports.identifiers.tokens import Tokens

CAPITALS = "UNAWCEX"
ANY = "UNAWCEXHuna"
"""What may be a name behind a title: any capitalised word, and small ones that are no plain word."""
LONGEST = 5
"""Words of one name."""
BETWEEN = "-'’"
NEVER = words_of("people.toml", "never")


def name_from(tokens: Tokens, at: int, first: str) -> range:
    """The tokens of the name that begins at a place, if one does; ``first`` are the letters of its first word."""
    row, words = tokens.row, tokens.words
    begin, end, count = at, at, 0
    while at < len(row) and count < LONGEST:
        letter, rest = row[at], _rest(tokens, begin)
        if letter == "I" or (letter == "i" and row[at + 1 : at + 2] == "."):
            end, at = at + 1, at + 1
            if row[at : at + 1] == ".":
                at += 1
        elif (
            count and letter in "CWX" and (row[at + 1 : at + 2] == ":" or words[at].isupper() != words[begin].isupper())
        ):
            break  # the next label, or a word of the sentence
        elif letter in (first if count == 0 else rest) and plain(words[at]) not in NEVER:
            count, end, at = count + 1, at + 1, at + 1
        elif letter == "o" and row[at + 1 : at + 2] and row[at + 1] in first + "-o":
            at += 1
        else:
            break
        at = _past_joint(tokens, at, first + rest, one_word=count == 1 and row[begin] in "UNAun")
        if row[at : at + 1] in ("'", "’") and words[at + 1 : at + 2] in (["s"], ["S"]):
            break
    return range(begin, end)


def name_before(tokens: Tokens, at: int) -> range:
    """The name that stands before a credential: Amara Okafor, MD."""
    row = tokens.row
    end = at
    while end and row[end - 1] in ",._ ":
        end -= 1
    begin = end
    while begin and end - begin < 2 * LONGEST and row[begin - 1] in "UNAWCEXIuno.-'’":
        if row[begin - 1] == "." and row[begin - 2 : begin - 1] != "I":
            break
        begin -= 1
    while begin < end and row[begin] in ".-'’o":
        begin += 1
    return range(begin, end)


def _rest(tokens: Tokens, begin: int) -> str:
    """What further words of a name are, by how its first one is written."""
    if tokens.row[begin] in CAPITALS + "I":
        return CAPITALS
    return "unaUN" if tokens.words[begin].isupper() else "unUN"


def _past_joint(tokens: Tokens, at: int, words: str, *, one_word: bool) -> int:
    """Behind a hyphen, an apostrophe, the comma of "Okafor, Amara" or a line's end, if the name goes on there."""
    row = tokens.row
    sign, after = row[at : at + 1], row[at + 1 : at + 2]
    if not sign or not after:
        return at
    if sign == "o" and after in BETWEEN:
        return at + 2
    possessive = sign in "'’" and tokens.words[at + 1].lower() == "s"
    joined = sign in BETWEEN and after in words + "o" and not possessive
    return at + 1 if joined or (sign == "," and one_word and after in "UNI") or (sign == "|" and after in "UN") else at
