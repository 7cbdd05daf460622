"""What a word of a report is, for every score that counts words: stated once, so that scores can be compared.

The text is brought to lower case. A word is a longest run of letters, digits and underscores (of any script); every
other character that is no white space is a word of its own, so ``1.5`` is three words and ``well-inflated`` too.
Nothing is dropped and nothing is normalised.
"""

from __future__ import annotations

import re

WORD = re.compile(r"\w+|[^\w\s]")
STATED = "lower case, punctuation apart"
"""The rule in a few words, for a page."""


def report_words(text: str) -> list[str]:
    return WORD.findall(text.lower())
