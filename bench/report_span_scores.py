"""How much of the identifiers in reports a tool found, and what it took besides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

Span = tuple[int, int]
LETTERS = re.compile(r"[^\W\d_]{3,}")
LETTERS_OR_DIGITS = re.compile(r"[^\W_]{3,}")
BLANK = re.compile(r"[Xx]+")  # stands where a public data set took words out: nobody's loss


@dataclass(frozen=True)
class Report:
    record: str
    patient: str
    text: str
    identifiers: tuple[tuple[str, int, int], ...]  # category, start, end
    terms: tuple[Span, ...]  # clinical words that must stay


@dataclass(frozen=True)
class Score:
    """Every share is between 0 and 1; an identifier is found if any character of it is."""

    found: float
    covered: float
    words_gone: float
    leaky_patients: float
    precision: float
    terms_kept: float
    other_words_lost: float
    by_category: dict[str, tuple[int, int]]  # found, of


def score(reports: Sequence[Report], found: Sequence[Sequence[Span]]) -> Score:
    """``found`` holds the spans of a tool, report by report."""
    there: Counter[str] = Counter()
    touched: Counter[str] = Counter()
    covered, words, terms, others, finds = ([] for _ in range(5))  # a truth value for each
    patients: dict[str, bool] = {}  # True once one of their identifiers was missed
    for report, spans in zip(reports, found, strict=True):
        text = report.text
        hidden = _mask(text, spans)
        private = _mask(text, [(start, end) for _, start, end in report.identifiers])
        for category, start, end in report.identifiers:
            there[category] += 1
            touched[category] += any(hidden[start:end])
            patients[report.patient] = patients.get(report.patient, False) or not any(hidden[start:end])
            # A dash or a dot that is left says nothing.
            covered.append(all(hidden[at] for at in range(start, end) if text[at].isalnum()))
            words += [all(hidden[slice(*word.span())]) for word in LETTERS_OR_DIGITS.finditer(text, start, end)]
        terms += [not any(hidden[start:end]) for start, end in report.terms]
        for word in LETTERS.finditer(text):
            if not any(private[slice(*word.span())]) and not BLANK.fullmatch(word[0]):
                others.append(any(hidden[slice(*word.span())]))
        finds += [any(private[start:end]) for start, end in _merged(spans) if _says_something(text[start:end])]
    return Score(
        found=touched.total() / max(1, there.total()),
        covered=_share(covered),
        words_gone=_share(words),
        leaky_patients=_share(list(patients.values())),
        precision=_share(finds),
        terms_kept=_share(terms),
        other_words_lost=_share(others),
        by_category={category: (touched[category], there[category]) for category in sorted(there)},
    )


def _mask(text: str, spans: Sequence[Span]) -> bytearray:
    """A 1 for every character inside a span."""
    mask = bytearray(len(text))
    for start, end in spans:
        mask[start:end] = b"\1" * len(mask[start:end])
    return mask


def _merged(spans: Sequence[Span]) -> list[Span]:
    """Spans that overlap are one find: saying a thing twice does not make it truer."""
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _says_something(text: str) -> bool:
    words = "".join(filter(str.isalnum, text))
    return bool(words) and not BLANK.fullmatch(words)


def _share(truths: list[bool]) -> float:
    return sum(truths) / max(1, len(truths))
