"""All identifiers in a report: every recogniser looks, and what any of them finds is an identifier."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from leadapron.reports.identifiers.categories import Span, merged
from leadapron.reports.identifiers.context_finds import find_in_context
from leadapron.reports.identifiers.date_rules import find_when
from leadapron.reports.identifiers.known_terms import find_spoken_numbers, find_terms
from leadapron.reports.identifiers.name_rules import find_people
from leadapron.reports.identifiers.number_rules import find_numbers
from leadapron.reports.identifiers.patient_facts import Facts
from leadapron.reports.identifiers.place_rules import find_where
from leadapron.reports.identifiers.tokens import Tokens, tokenise

Recogniser = Callable[[Sequence[str]], list[list[Span]]]
"""From reports to what was found in each: a model, or patterns of somebody else's."""

NAMED = frozenset({"name", "staff", "hospital", "place"})
DEMOGRAPHIC = re.compile(
    r"(?i)\b(?:\d{1,3}|[a-z]+(?:ty|teen)(?:-[a-z]+)?)[- ]?(?:years?|yrs?|y/?o|yo|months?|weeks?|days?)(?:[- ]?old)?\b(?! ago| later| prior| earlier)"
    r"|\b(?:male|female|man|woman|boy|girl|gentleman|lady|caucasian|african[- ]american|asian|hispanic|latin[oax]|black|white)(?= (?:male|female|man|woman|patient|boy|girl|gentleman|lady)\b)"
    r"|\b(?:male|female|man|woman|boy|girl|gentleman|lady|caucasian|african[- ]american|hispanic|latin[oax])\b"
)
"""The demographic terms that UPDP blacklists: age, sex and race."""


@dataclass(frozen=True)
class Finder:
    """What is searched for beside the rules: context, models, terms that must go, terms that must stay."""

    recognisers: tuple[Recogniser, ...] = ()
    demographics: bool = False
    remove: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    context: bool = True

    @cached_property
    def _removed(self) -> re.Pattern[str] | None:
        return _any_of(self.remove)

    @cached_property
    def _kept(self) -> re.Pattern[str] | None:
        return _any_of(self.keep)

    def find(self, texts: Sequence[str], facts: Facts | None = None) -> list[list[Span]]:
        """The identifiers of each report; ``facts`` is what is known of the patient whose reports they are."""
        read = [tokenise(text) for text in texts]
        found = [self._by_rules(tokens, facts) for tokens in read]
        if self.context:
            for tokens, spans, more in zip(read, found, find_in_context(read), strict=True):
                spans += _beside(tokens.text, merged(spans), _without_terms(tokens, more))
        for recogniser in self.recognisers:
            for text, spans, more in zip(texts, found, recogniser(texts), strict=True):
                spans += [span for one in more if (span := _whole_words(text, one)) is not None]
        return [self._without_kept(text, merged(spans)) for text, spans in zip(texts, found, strict=True)]

    def _by_rules(self, tokens: Tokens, facts: Facts | None) -> list[Span]:
        text = tokens.text
        spans = [*find_when(tokens), *find_numbers(tokens)]
        spans += _without_terms(tokens, [*find_where(tokens), *find_people(tokens)])
        if facts is not None:
            spans += facts.find(tokens)
        if self.demographics:
            spans += [Span(*found.span(), "demographic", "demographic") for found in DEMOGRAPHIC.finditer(text)]
        if self._removed is not None:
            spans += [Span(*found.span(), "id", "blacklist") for found in self._removed.finditer(text)]
        return spans

    def _without_kept(self, text: str, spans: list[Span]) -> list[Span]:
        """A term that must stay stays, whatever it lies in; what is left of the span around it goes."""
        if self._kept is None:
            return spans
        kept = [found.span() for found in self._kept.finditer(text)]
        parts = [part for span in spans for part in _outside(span, kept)]
        return [trimmed for part in parts if (trimmed := _trimmed(text, part)) is not None]


def find_identifiers(text: str, facts: Facts | None = None) -> list[Span]:
    """The identifiers in one report, by rules.

    >>> text = "Dr. Swan placed a Swan-Ganz catheter on 3/4/2019."
    >>> [(text[span.start : span.end], span.category) for span in find_identifiers(text)]
    [('Swan', 'staff'), ('3/4/2019', 'date')]
    """
    return Finder().find([text], facts)[0]


def _without_terms(tokens: Tokens, spans: Sequence[Span]) -> list[Span]:
    """Without the clinical terms in them; numbers in words are no part of names."""
    if not spans:
        return []
    kept, numbers = list(find_terms(tokens)), list(find_spoken_numbers(tokens))
    if not kept and not numbers:
        return list(spans)
    parts = (part for span in spans for part in _outside(span, kept + numbers * (span.category in NAMED)))
    return [trimmed for part in parts if (trimmed := _trimmed(tokens.text, part)) is not None]


def _beside(text: str, spans: Sequence[Span], more: Sequence[Span]) -> Iterator[Span]:
    """What context adds to rules: more of one find, which rules name, or what lies between several."""
    for one in more:
        met = [span for span in spans if span.start < one.end and one.start < span.end]
        if len(met) == 1:
            yield one._replace(category=met[0].category)
        else:
            parts = _outside(one, [(span.start, span.end) for span in met])
            yield from (trimmed for part in parts if (trimmed := _trimmed(text, part)) is not None)


def _outside(span: Span, kept: Iterable[tuple[int, int]]) -> list[Span]:
    parts = [span]
    for start, end in kept:
        parts = [
            one._replace(start=left, end=right)
            for one in parts
            for left, right in ((one.start, min(one.end, start)), (max(one.start, end), one.end))
            if left < right
        ]
    return sorted(set(parts))


def _whole_words(text: str, span: Span) -> Span | None:
    """What a recogniser of somebody else's found, within the report, and no part of a word left over at its ends."""
    span = span._replace(start=max(0, span.start), end=min(len(text), span.end))
    trimmed = _trimmed(text, span)
    if trimmed is None:
        return None
    start, end = trimmed.start, trimmed.end
    while start and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isalnum():
        end += 1
    return trimmed._replace(start=start, end=end)


def _trimmed(text: str, span: Span) -> Span | None:
    """Without signs and spaces at the ends; None if nothing else is there."""
    inside = [at for at in range(span.start, span.end) if text[at].isalnum()]
    return span._replace(start=inside[0], end=inside[-1] + 1) if inside else None


def _any_of(terms: Sequence[str]) -> re.Pattern[str] | None:
    listed = sorted({term.strip() for term in terms if term.strip()}, key=len, reverse=True)
    return re.compile(rf"(?i)(?<!\w)(?:{'|'.join(map(re.escape, listed))})(?!\w)") if listed else None
