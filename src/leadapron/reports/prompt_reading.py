"""What a report, or a prompt made of one, says of an image: findings, where and how large, devices, the projection.

Rules, and no record. What is not said stays unknown: the generator draws it, so that it tells nothing of a patient.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType

from leadapron.reports.assertions import read_sentence
from leadapron.reports.labeller import label_report
from leadapron.reports.mentions import find_mentions, find_phrases
from leadapron.reports.sentences import split_sentences, what_was_read
from leadapron.reports.vocabulary import mend, split_words

SIDES = {"right": "right", "left": "left", "r": "right", "l": "left", "bilateral": "both", "bilat": "both",
         "biapical": "both", "bibasilar": "both", "both": "both"}  # fmt: skip
ZONES = {"upper": "upper", "apex": "upper", "apical": "upper", "biapical": "upper", "uz": "upper", "mid": "mid",
         "middle": "mid", "perihilar": "mid", "mz": "mid", "lower": "lower", "base": "lower", "basal": "lower",
         "basilar": "lower", "bibasilar": "lower", "lz": "lower", "retrocardiac": "lower"}  # fmt: skip
GRADES = {"trace": 1, "tiny": 1, "minimal": 1, "slight": 1, "small": 1, "mild": 1, "subtle": 1, "minor": 1,
          "moderate": 2, "mod": 2, "large": 3, "severe": 3, "marked": 3, "extensive": 3, "gross": 3,
          "massive": 3}  # fmt: skip
DEVICES = {
    "endotracheal": r"endotracheal|\bett\b|\bet tube|intubat",
    "nasogastric": r"nasogastric|orogastric|enteric|\bng\b|\bngt\b|\bogt\b|dobbhoff|feeding tube",
    "jugular": r"jugular|\bij\b|\bcvc\b|central (venous )?(line|catheter)|subclavian",
    "arm": r"\bpicc\b",
    "chest": r"chest tube|pleural drain|pigtail|thoracostomy|\b[rl] icd\b",
    "pacemaker": r"pacemaker|\bpacing\b|\bpacer\b|\bppm\b|defibrillator|\baicd\b|(?<![rl] )\bicd\b",
}
TIPS = (r"upper (svc|superior)", r"mid (svc|superior)", r"cavoatrial|ra junction", r"right atrium|tip ra\b|to ra\b")
"""How far down a line reaches, from 0 to 1 in equal steps."""
LONGEST_REACH = 9
"""Words between a finding and what is said of it."""
NEW_THOUGHT = 4
"""So many words farther away is what stands behind an "and", a "with" or a comma."""
_DENIED = re.compile(r"\b(no|not|without|removed|removal|absent)\b")
_VIEWS = {"AP": re.compile(r"\bap\b|\bportable\b|\bbedside\b"), "PA": re.compile(r"\bpa\b")}
_MM = re.compile(r"(\d+(?:\.\d+)?)\s*(mm|cm)\b")
_RATIO = re.compile(r"(?:ratio|ctr)(?: of)? (0?\.\d+)")
_RIB = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th) rib")
_CARINA = re.compile(r"(\d+(?:\.\d+)?) cm above (?:the )?carina")


@dataclass(frozen=True)
class Said:
    """What is said of one finding or device; None is unsaid."""

    side: str | None = None
    zone: str | None = None
    grade: int | None = None
    measure: float | None = None
    """Of a lesion in mm, of a heart as the cardiothoracic ratio, of a fracture the rib, of a device how far down its
    tip lies, from 0 to 1."""

    def joined(self, other: Said) -> Said:
        """What this one says, and where it is silent the other one."""
        return Said(
            self.side or other.side,
            self.zone or other.zone,
            self.grade or other.grade,
            other.measure if self.measure is None else self.measure,
        )


@dataclass(frozen=True)
class Reading:
    """All that a prompt says. Findings in neither of the two are not spoken of."""

    present: Mapping[str, Said] = field(default_factory=lambda: MappingProxyType({}))
    absent: frozenset[str] = frozenset()
    devices: Mapping[str, Said] = field(default_factory=lambda: MappingProxyType({}))
    view: str | None = None


@lru_cache(maxsize=1 << 16)
def read_prompt(text: str) -> Reading:
    """A doubtful finding counts as present: something was seen that gave rise to the doubt."""
    labels = label_report(text)
    present = {name: Said() for name, label in labels.items() if label in ("positive", "uncertain")}
    present.pop("No Finding", None)
    devices: dict[str, Said] = {}
    for sentence in split_sentences(what_was_read(text)):
        for finding, said in _details(sentence).items():
            if finding in present:
                present[finding] = present[finding].joined(said)
        for device, said in _devices(sentence).items():
            devices[device] = devices.get(device, Said()).joined(said)
    return Reading(
        MappingProxyType(present),
        frozenset(name for name, label in labels.items() if label == "negative" and name != "No Finding"),
        MappingProxyType(devices),
        _view(text.lower()),
    )


def unread(text: str) -> str:
    """The sentences of which no rule reads anything: what else a radiologist found worth saying."""
    sentences = split_sentences(what_was_read(text))
    return " ".join(one for one in sentences if not (read_sentence(one) or _devices(one) or _view(one)))


@lru_cache(maxsize=1 << 16)
def _details(sentence: str) -> Mapping[str, Said]:
    """Side, zone, grade and measure of each finding that a sentence affirms or doubts."""
    said_of = {finding for finding, status in read_sentence(sentence) if status != "negative"}
    if not said_of:
        return MappingProxyType({})
    words = [mend(word) for word in split_words(sentence)]
    spoken = [
        (mention.start, mention.end, finding)
        for mention in find_mentions(words, list(find_phrases(words)))
        for finding in mention.findings
        if finding in said_of and finding != "Support Devices"
    ]
    found: dict[str, Said] = {finding: Said() for _, _, finding in spoken}
    for place, word in enumerate(words):
        if word not in SIDES and word not in ZONES and word not in GRADES:
            continue
        for finding in _nearest(words, place, spoken):
            said = Said(SIDES.get(word), ZONES.get(word), GRADES.get(word))
            found[finding] = found[finding].joined(said)
    return MappingProxyType({finding: said.joined(_measured(finding, sentence)) for finding, said in found.items()})


def _nearest(words: list[str], place: int, spoken: list[tuple[int, int, str]]) -> list[str]:
    """The findings that a word at a place belongs to: those of the mention nearest to it."""

    def far(start: int, end: int) -> int:
        between = words[end:place] if place >= end else words[place:start]
        return len(between) + NEW_THOUGHT * len({",", "and", "with"} & set(between))

    reach = [far(start, end) for start, end, _ in spoken]
    nearest = min(reach, default=LONGEST_REACH + 1)
    if nearest > LONGEST_REACH:
        return []
    return [finding for (_, _, finding), distance in zip(spoken, reach, strict=True) if distance == nearest]


def _measured(finding: str, sentence: str) -> Said:
    pattern = {"Lung Lesion": _MM, "Cardiomegaly": _RATIO, "Fracture": _RIB}.get(finding)
    found = pattern.search(sentence) if pattern else None
    if not found:
        return Said()
    unit = 10.0 if found.lastindex == 2 and found[2] == "cm" else 1.0
    return Said(measure=unit * float(found[1]))


@lru_cache(maxsize=1 << 16)
def _devices(sentence: str) -> Mapping[str, Said]:
    """The kinds of devices that a sentence speaks of, with their side and how far down the tip lies."""
    if _DENIED.search(sentence):
        return MappingProxyType({})
    side = next((SIDES[word] for word in re.findall(r"[a-z]+", sentence) if word in SIDES), None)
    height, tip = _CARINA.search(sentence), None
    if height:  # 1 to 7 cm is what is usual
        tip = min(1.0, max(0.0, (float(height[1]) - 1.0) / 6.0))
    else:
        places = [step for step, pattern in enumerate(TIPS) if re.search(pattern, sentence)]
        tip = (places[0] + 0.5) / len(TIPS) if places else None
    kinds = [kind for kind, pattern in DEVICES.items() if re.search(pattern, sentence)]
    sided = side if side != "both" else None
    return MappingProxyType(
        {
            kind: Said(
                side=sided if kind in ("jugular", "arm", "chest") else None,
                measure=tip if kind in ("endotracheal", "jugular", "arm") else None,
            )
            for kind in kinds
        }
    )


def _view(text: str) -> str | None:
    found = [view for view, pattern in _VIEWS.items() if pattern.search(text)]
    return found[0] if len(found) == 1 else None
