"""How far a word reaches that denies or doubts a finding.

A cue ahead of a finding holds until a word starts a new thought, or a comma or an "and" does; a doubt also ends at any
other comma that is not part of a list with "or". A cue behind a finding reaches back to the verb before it, and over a
comma only in a list.
"""

from __future__ import annotations

from leadapron.reports.mentions import Mention, Phrase
from leadapron.reports.vocabulary import vocabulary

NEXT_WORDS = 3
"""How far "not" reaches."""
AHEAD = ("denied_ahead", "denied_next", "doubted_ahead", "set_aside_ahead")
BEHIND = ("denied_behind", "doubted_behind")


def cues_ahead(words: list[str], phrases: list[Phrase]) -> list[str]:
    """For each word the cue ahead of it that still holds there, or nothing."""
    at = {phrase.start: phrase for phrase in phrases}
    held, since, verb = "", 0, False
    cues = []
    for place in range(len(words)):
        phrase = at.get(place)
        found = _cues(phrase, words)
        if "stops" in found or (held and _ends(held, words, place, after_verb=verb, reach=place - since)):
            held = ""
        verb = verb or "verbs" in found
        cue = next((cue for cue in AHEAD if cue in found), "")
        if phrase and cue and not (held == "denied_ahead" and cue == "doubted_ahead" and _is_in_a_list(phrase, words)):
            held, since, verb = cue, phrase.end, False
        cues.append(held)
    return cues


def cues_behind(words: list[str], phrases: list[Phrase], mentions: list[Mention]) -> list[str]:
    """For each word the cue behind it that reaches back to it, or nothing."""
    ends = {phrase.end - 1: phrase for phrase in phrases}
    nouns = {mention.end - 1 for mention in mentions} | {place for place, phrase in ends.items() if phrase.entry.part}
    held, start, listed, reached = "", len(words), False, False
    cues = [""] * len(words)
    for place in range(len(words) - 1, -1, -1):
        phrase, word = ends.get(place), words[place]
        found = _cues(phrase, words)
        cue = next((cue for cue in BEHIND if cue in found), "")
        if phrase and cue:
            held, start, listed, reached = cue, phrase.start, False, False
        # A verb ends it unless it is the cue's own ("effusions are small and unlikely"), with no noun in between.
        if found & {"stops", *AHEAD} or (reached and ("verbs" in found or (word == "," and not listed))):
            held = ""
        listed = listed or word in ("and", "or")
        if place < start:
            cues[place] = held
            reached = reached or place in nouns
    return cues


def _cues(phrase: Phrase | None, words: list[str]) -> frozenset[str]:
    """What may look ahead and behind ("likely", "resolved") looks behind where a thought ends, and else ahead."""
    cues = phrase.entry.cues if phrase else frozenset[str]()
    if phrase is None or len(cues) < 2:
        return cues
    ends = phrase.end == len(words) or words[phrase.end] in (",", "and", "or")
    return frozenset(cue for cue in cues if not cue.endswith("_ahead" if ends else "_behind"))


def _ends(held: str, words: list[str], place: int, *, after_verb: bool, reach: int) -> bool:
    """Whether a cue that holds ends at this word."""
    word = words[place]
    if held == "denied_next" and (reach >= NEXT_WORDS or word in (",", "and", "or")):
        return True
    if word not in (",", "and") or _goes_on_with_or(words, place):
        return False
    if held == "denied_ahead":
        return after_verb or (place + 1 < len(words) and words[place + 1] in vocabulary().openers)
    return word == ","


def _is_in_a_list(doubt: Phrase, words: list[str]) -> bool:
    """Whether a doubt is but a word in a list of what is denied: "no consolidation, possible mass or effusion"."""
    begins = words[doubt.start - 1] in (",", "and")
    return doubt.end - doubt.start == 1 and (not begins or _goes_on_with_or(words, doubt.start))


def _goes_on_with_or(words: list[str], place: int) -> bool:
    return "or" in words[place:] or "nor" in words[place:]
