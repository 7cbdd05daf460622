"""Which words of an identifier are left: the rule by which a leak is counted.

Of an identifier all runs of letters or digits that no found span covers are taken. It leaks if one of them has three
characters or more and still stands in the released report. An identifier without any run of three ("J. K.", "4/5/21")
leaks if no letter or digit of it is covered and all of it still stands there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from leadapron.attacks.reports.report_cases import Case
from leadapron.attacks.reports.true_spans import Span

RUN = re.compile(r"[^\W_]+")
LEAST = 3
"""Letters or digits of a word that counts."""


def covered_by(spans: Iterable[Span], length: int) -> bytearray:
    """Of every character whether a span covers it."""
    mask = bytearray(length)
    for start, end, _ in spans:
        mask[start:end] = b"\x01" * (end - start)
    return mask


def letters_of(span: Span, text: str) -> list[int]:
    """The places of its letters and digits; of one without any, all of its places."""
    found = [at for at in range(span.start, span.end) if text[at].isalnum()]
    return found or list(range(span.start, span.end))


def open_parts(span: Span, text: str, covered: bytearray) -> list[Span]:
    """What of an identifier is not covered and long enough to tell something, as characters of the source."""
    words = [Span(span.start + run.start(), span.start + run.end(), span.category) for run in _runs(span, text)]
    if all(word.end - word.start < LEAST for word in words):
        return [] if any(covered[at] for at in letters_of(span, text)) else [span]
    return [part for word in words for part in _uncovered(word, covered) if part.end - part.start >= LEAST]


def leaks_of(case: Case, covered: bytearray) -> list[bool]:
    """Of every identifier of the truth whether it leaks."""
    return [
        any(case.source[part.start : part.end] in case.released for part in open_parts(span, case.source, covered))
        for span in case.truth
    ]


def _runs(span: Span, text: str) -> Iterable[re.Match[str]]:
    return RUN.finditer(text[span.start : span.end])


def _uncovered(word: Span, covered: bytearray) -> list[Span]:
    found: list[Span] = []
    for at in range(word.start, word.end):
        if covered[at]:
            continue
        if found and found[-1].end == at:
            found[-1] = found[-1]._replace(end=at + 1)
        else:
            found.append(Span(at, at + 1, word.category))
    return found
