"""How a clinic writes: its radiologists' words for what is seen, and the order in which they say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Choices = tuple[str, ...]


@dataclass(frozen=True)
class Voice:
    """A radiologist's habits: a leaning among synonyms, a taste for hedges, negatives, structure."""

    leaning: int
    hedges: float
    negatives: float
    numbered: bool
    template: str


@dataclass(frozen=True)
class Wording:
    """Every choice of words has one synonym or more; none may say more than is shown.

    - ``findings_heading``, ``impression_heading``, ``impression_first``: the two sections.
    - ``order``: what is spoken of when, in the section of the findings.
    - ``phrase``: the order of a finding's name and its details.
    - ``contradicted_by``: beside the finding itself, what makes a denial read wrong.
    """

    findings_heading: str
    impression_heading: str
    impression_first: bool
    order: Choices
    phrase: Choices

    nouns: Mapping[str, Choices]
    grades: tuple[Choices, Choices, Choices]
    sides: Mapping[str, Choices]
    zones: Mapping[str, Choices]
    measures: Mapping[str, Choices]
    changes: Mapping[str, Choices]
    frames: Choices
    hedges: Choices

    devices: Mapping[int, Choices]
    pacemaker: Choices
    some_device: Choices
    veins: Choices
    incidental: Mapping[str, Choices]

    negatives: Mapping[str, Choices]
    contradicted_by: Mapping[str, Choices]
    normal_impressions: Choices
    views: Mapping[str, Choices]
    voices: tuple[Voice, ...]

    @property
    def templates(self) -> Choices:
        """What a normal study gets from each radiologist, word for word."""
        return tuple(voice.template for voice in self.voices)
