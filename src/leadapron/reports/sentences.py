"""What was read on the films, sentence by sentence."""

from __future__ import annotations

import re

from leadapron.cohort.sections import split_sections, unheaded_reading

LONGEST = 200
"""Words: what goes on for longer without a full stop is no sentence, and is cut."""
_ABBREVIATION = re.compile(r"\b(Dr|Mrs?|Ms)\.|\b((?i:vs|approx|e\.g|i\.e|a\.m|p\.m|cf))\.(?=\s+[a-z0-9_])")
_LIST_ITEM = re.compile(r"(?:^|(?<=\s))(?:\(?\d{1,2}[.)]|[-*•])\s+(?=[A-Z])")
_END = re.compile(
    r"[.!;]+(?=\s|$)"  # not in 3.5 cm
    r"|\n[ \t]*\n"
    r"|\n(?=[ \t]*[A-Z][A-Za-z /,]{2,40}:)"
)
_ASKED = re.compile(r"(?<=\w)\?(?=\s|$)")
_SHORT_LINE = re.compile(r"(?m)^(.{1,50})\n(?=[ \t]*[A-Z])")


def what_was_read(text: str) -> str:
    """Findings, impression, and what stands above the first heading; not the history, nor what was recommended."""
    above, *sections = split_sections(text)
    read = [section.body for section in sections if section.kind in ("findings", "impression")]
    if sections and not "".join(read).strip():
        read = [unheaded_reading([above, *sections]) or ""]
    return "\n\n".join((above.body, *read))


def split_sentences(text: str) -> list[str]:
    """The sentences, in lower case. A line break ends one only after a short line, or before a list's next item."""
    text = _ABBREVIATION.sub(r"\1\2", text)
    text = _SHORT_LINE.sub(r"\1\n\n", text)
    text = _LIST_ITEM.sub("\n\n", text)
    text = _ASKED.sub(" queried.", text).replace("?", " query ")
    sentences = (part.lower().split() for part in _END.split(text))
    return [" ".join(words[at : at + LONGEST]) for words in sentences for at in range(0, len(words), LONGEST)]
