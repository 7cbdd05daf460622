"""What one sentence says of each finding: there, not there, perhaps."""

from __future__ import annotations

from functools import lru_cache

from leadapron.reports.mentions import Mention, Status, find_mentions, find_phrases
from leadapron.reports.scopes import cues_ahead, cues_behind
from leadapron.reports.vocabulary import mend, split_words

ALTERNATIVES = 7
"""Words between two findings of which one "or" the other is meant."""


@lru_cache(maxsize=1 << 16)
def read_sentence(sentence: str) -> tuple[tuple[str, Status], ...]:
    """The findings that a sentence speaks of, each with what it says of it. Kept: radiologists repeat themselves."""
    words = [mend(word) for word in split_words(sentence)]
    phrases = list(find_phrases(words))
    mentions = find_mentions(words, phrases)
    if not mentions:
        return ()
    ahead, behind = cues_ahead(words, phrases), cues_behind(words, phrases, mentions)
    said = [_status(mention, ahead[mention.start], behind[mention.end - 1]) for mention in mentions]
    for at in range(len(said) - 1):
        if "negative" not in said[at : at + 2] and _are_alternatives(words, *mentions[at : at + 2]):
            said[at : at + 2] = [status and "uncertain" for status in said[at : at + 2]]
    return tuple(
        (finding, status)
        for mention, status in zip(mentions, said, strict=True)
        if status
        for finding in mention.findings
    )


def _status(mention: Mention, ahead: str, behind: str) -> Status | None:
    """What is said in the end, or None if nothing of this film."""
    denied = ahead.startswith("denied") or behind == "denied_behind"
    if ahead == "set_aside_ahead" or (mention.status == "negative" and denied):
        return None
    if denied:
        return "negative"
    if mention.only_if_denied:
        return None
    return "uncertain" if mention.status == "positive" and (ahead or behind) else mention.status


def _are_alternatives(words: list[str], one: Mention, other: Mention) -> bool:
    """Of "atelectasis or pneumonia" neither is certain."""
    between = words[one.end : other.start]
    near = len(between) <= ALTERNATIVES and one.findings != other.findings
    return near and not {"or", "versus", "vs"}.isdisjoint(between)
