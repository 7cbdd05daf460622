"""What the tagger sees of a word: which one it is, if it is a common one; its kind, its shape, its ends."""

from __future__ import annotations

from zlib import crc32

from leadapron.reports.identifiers.lexicon import lexicon, plain

LETTERS = "TPRVpbfoUuNnAaWwCkEeHhMDIiX#Z|_.,:;-/()'\"&=*+?@^%"
"""Of the row; all other signs are one kind."""
SHAPES, SIZES, NUMBERS, FLAGS, ENDINGS, BEGINNINGS = 6, 6, 14, 8, 512, 128
_SHAPE_AT = len(LETTERS) + 1
_SIZE_AT = _SHAPE_AT + SHAPES
_NUMBER_AT = _SIZE_AT + SIZES
_FLAG_AT = _NUMBER_AT + NUMBERS
_ENDING_AT = _FLAG_AT + FLAGS
_BEGINNING_AT = _ENDING_AT + ENDINGS
KINDS = _BEGINNING_AT + BEGINNINGS
"""So many features that are not words; the common words follow."""
NO_WORD = -1


def kinds_of(word: str, letter: str) -> tuple[list[int], list[int]]:
    """The features of a token, without and with those of its spelling."""
    found = [LETTERS.find(letter) if letter in LETTERS else len(LETTERS)]
    if not word[0].isalnum():
        return found, []
    found += [_SHAPE_AT + _shape(word), _SIZE_AT + min(len(word), 11) // 2]
    if any(map(str.isdigit, word)):
        return [*found, _NUMBER_AT + _number(word)], []
    bare, words = plain(word), lexicon()
    flags = (
        bare in words.names,
        words.is_english(bare),
        words.is_settled(bare),
        words.is_clinical(bare),
        bare in words.own,
        bare in words.eponyms,
        bare in words.alone,
        bare in words.heads,
    )
    found += [_FLAG_AT + at for at, flag in enumerate(flags) if flag]
    return found, [
        _ENDING_AT + crc32(bare[-3:].encode()) % ENDINGS,
        _BEGINNING_AT + crc32(bare[:2].encode()) % BEGINNINGS,
    ]


def _shape(word: str) -> int:
    if word.isdigit():
        return 0
    if word.islower():
        return 1
    if word.isupper():
        return 2 if len(word) == 1 else 3
    return 4 if word.istitle() else 5


def _number(word: str) -> int:
    """Whether digits can be an hour, a minute, a day, a clock time or a year."""
    if not word.isdecimal():
        return 0
    value = int(word[:9])
    if len(word) <= 2:
        return 1 + sum(value > most for most in (0, 9, 12, 24, 31, 59, 89))
    if len(word) == 3:
        return 9
    if len(word) == 4:
        if value // 100 in (19, 20):
            return 10
        return 11 if value < 2400 and value % 100 < 60 else 12
    return 13
