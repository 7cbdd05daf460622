"""Which findings a sentence speaks of: by name, or by what it says of a part of the body."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from leadapron.reports.vocabulary import Entry, vocabulary

Status = Literal["positive", "uncertain", "negative"]

PROPERTY_AHEAD, PROPERTY_BEHIND = 3, 12
"""Words between a part of the body and what is said of it: "enlarged cardiac silhouette", "the heart … is enlarged"."""


class Phrase(NamedTuple):
    """Where a phrase stands among the words of its sentence, and what it can be."""

    start: int
    end: int
    entry: Entry


class Mention(NamedTuple):
    """Findings, the words that decide on them, and what these say if nothing denies or doubts them."""

    start: int
    end: int
    findings: tuple[str, ...]
    status: Status
    only_if_denied: bool = False
    """An abnormal bone need not be broken, but one without any abnormality is not."""


def find_phrases(words: list[str]) -> Iterator[Phrase]:
    """From left to right, the longest phrase that starts at a word which no phrase before has taken."""
    root, start = vocabulary().phrases, 0
    while start < len(words):
        node, at, found = root, start, None
        while at < len(words) and (after := node.after.get(words[at])):
            node, at = after, at + 1
            if node.entry:
                found = Phrase(start, at, node.entry)
        if found:
            yield found
        start = found.end if found else start + 1


def find_mentions(words: list[str], phrases: list[Phrase]) -> list[Mention]:
    """All that is spoken of, in the order of the words."""
    named = [Mention(start, end, entry.findings, "positive") for start, end, entry in phrases if entry.findings]
    return sorted((*named, *_stated(words, phrases)))


def _stated(words: list[str], phrases: list[Phrase]) -> Iterator[Mention]:
    """What is said of parts of the body: each has the property just ahead of it, or else the next one behind it."""
    known = vocabulary()
    for index, (start, end, entry) in enumerate(phrases):
        spoken = entry.part and (
            _property_ahead(words, phrases[:index], start) or _property_behind(phrases[index + 1 :], end)
        )
        if not spoken:
            continue
        for one in sorted(spoken.entry.properties):
            pair = (entry.part, one)
            if one == "normal" and entry.part in known.negative:
                yield Mention(spoken.start, spoken.end, known.negative[entry.part], "negative")
            elif one == "abnormal" and entry.part in known.negative:
                yield Mention(spoken.start, spoken.end, known.negative[entry.part], "positive", only_if_denied=True)
            elif pair in known.positive:
                yield Mention(spoken.start, spoken.end, known.positive[pair], "positive")
            elif pair in known.uncertain:
                yield Mention(spoken.start, spoken.end, known.uncertain[pair], "uncertain")


def _property_ahead(words: list[str], before: list[Phrase], start: int) -> Phrase | None:
    nearest = next((phrase for phrase in reversed(before) if phrase.entry.properties), None)
    if nearest is None or start - nearest.end > PROPERTY_AHEAD or {",", "and"} & set(words[nearest.end : start]):
        return None
    between = (phrase.entry for phrase in before if phrase.start >= nearest.end)
    return None if any(entry.part or entry.cues & {"verbs", "stops"} for entry in between) else nearest


def _property_behind(after: list[Phrase], end: int) -> Phrase | None:
    for phrase in after:
        if phrase.start - end > PROPERTY_BEHIND or "stops" in phrase.entry.cues:
            return None
        if phrase.entry.properties:
            return phrase
    return None
