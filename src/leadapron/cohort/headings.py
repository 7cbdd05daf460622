"""What the heading of a report opens.

The rules are those that MIMIC-CXR's own section parser follows, in words of ours: a heading is written in capitals and
ends in a colon; one that names the films ("CHEST, TWO VIEWS:") opens the findings; a misspelt one counts. Where that
parser cuts a report at anything in capitals, a part of the body ("LUNGS:") stays in the section that it stands in.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import lru_cache
from typing import Literal

Kind = Literal["findings", "impression", "part", "before", "after"]
"""``part``: of the body or of the study. ``before``: why and how the films were made. ``after``: what follows them."""

KNOWN: dict[str, Kind] = {
    **dict.fromkeys(
        (
            "findings",
            "finding",
            "findings and impression",
            "findings/impression",
            "findings / impression",
            "findings & impression",
            "description",
            "observations",
        ),
        "findings",
    ),
    **dict.fromkeys(
        (
            "impression",
            "impressions",
            "impression and recommendation",
            "impression and recommendations",
            "conclusion",
            "conclusions",
            "interpretation",
            "opinion",
            "summary",
        ),
        "impression",
    ),
    **dict.fromkeys(
        (
            "clinical history",
            "clinical indication",
            "clinical information",
            "comparison",
            "comparisons",
            "exam",
            "examination",
            "final report",
            "history",
            "indication",
            "indications",
            "procedure",
            "procedure comments",
            "reason for exam",
            "reason for examination",
            "reason for this examination",
            "study",
            "technique",
        ),
        "before",
    ),
    **dict.fromkeys(
        (
            "addendum",
            "comment",
            "comments",
            "end of impression",
            "final addendum",
            "note",
            "notification",
            "notifications",
            "preliminary report",
            "provisional findings impression (pfi)",
            "recommendation",
            "recommendation(s)",
            "recommendations",
            "wet read",
            "wetread",
        ),
        "after",
    ),
}

# Headings in capitals that hold one of these words; the first line that fits decides.
_WORDS: tuple[tuple[str, Kind], ...] = (
    (r"history|indication|comparison|technique|reason for|clinical|exam(ination)?s?$|^exam(ination)?\b", "before"),
    (r"addendum|dictat|transcri|\bdlp\b|ctdi|\bdose|notif|recommend|comment|^date\b|sign(ed|ature)|\bpfi\b", "after"),
    (r"attending|radiologist|resident|read by|electronic|reviewed|discuss|follow.?up|fluoro", "after"),
    (r"impression|conclusion", "impression"),
    (r"findings", "part"),
    # the films
    (r"chest|portable|\bribs?\b|bone windows?|decubitus|radiograph|\bfilms?\b|upright", "part"),
    (r"\b(pa|ap|lat|lateral|frontal|one|two|three|single|oblique|\d)\b.*\b(views?|pa|ap|lat|lateral)\b", "part"),
    # the body, and what is in it
    (
        r"\blungs?\b|pulmon|airways?|trachea|bronch|pleura|heart|cardi|mediastin|\bhil(a|um|ar)\b|vascul|vessels?",
        "part",
    ),
    (
        r"aorta|diaphragm|bon(e|es|y)\b|osseous|skelet|musculo|spine|sternum|shoulder|soft tissue|abdom|neck|breast",
        "part",
    ),
    (r"lines?\b|tubes?\b|catheter|device|support|hardware|other|miscellaneous", "part"),
)
_PATTERNS = tuple((re.compile(words), kind) for words, kind in _WORDS)

SHORTEST_MISSPELT = 7
"""Letters: a shorter heading is too like other words to be guessed at."""
LIKENESS = 0.87
"""Of a misspelt heading to the one that is meant: one letter wrong, missing, doubled or swapped in eight."""
_GUESSABLE = [name for name in KNOWN if len(name) >= SHORTEST_MISSPELT]


@lru_cache(maxsize=4096)
def kind_of(heading: str) -> Kind | None:
    """What the heading opens, or None if it is not understood.

    A known heading counts in any spelling that starts with a capital ("… with the following\\nfindings: …" is a
    sentence); what is merely like a heading must be in capitals throughout.
    """
    name = " ".join(heading.lower().split())
    if name in KNOWN and heading[0].isupper():
        return KNOWN[name]
    if heading != heading.upper():
        return None
    if meant := get_close_matches(name, _GUESSABLE, n=1, cutoff=LIKENESS):
        return KNOWN[meant[0]]
    return next((kind for pattern, kind in _PATTERNS if pattern.search(name)), None)
