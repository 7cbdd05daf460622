"""The parts side by side: what a de-identifier may be tuned on, tested on, judged on, and twice judged on once more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from leadapron.phantoms.planted import (
    layouts_of_appeal,
    layouts_of_judge,
    layouts_of_test,
    layouts_of_tune,
    layouts_of_verdict,
    names_of_appeal,
    names_of_judge,
    names_of_test,
    names_of_tune,
    names_of_verdict,
    sentences_of_appeal,
    sentences_of_judge,
    sentences_of_test,
    sentences_of_tune,
    sentences_of_verdict,
    shapes_of_appeal,
    shapes_of_judge,
    shapes_of_test,
    shapes_of_tune,
    shapes_of_verdict,
)
from leadapron.phantoms.planted.cultures import Culture

PARTS = ("tune", "test", "judge", "verdict", "appeal")
PLACES = ("history", "comparison", "findings", "impression", "recommendation", "communication")


@dataclass(frozen=True)
class Vocabulary:
    """Everything that one part says. ``sentences`` and ``decoys`` are pairs of a place in the report and a template."""

    cultures: tuple[Culture, ...]
    nicknames: tuple[str, ...]
    shapes: Mapping[str, tuple[str, ...]]
    hospitals: tuple[str, ...]
    wards: tuple[str, ...]
    companies: tuple[str, ...]
    streets: tuple[str, ...]
    towns: tuple[tuple[str, str], ...]
    domains: tuple[str, ...]
    paths: tuple[str, ...]
    mailboxes: tuple[str, ...]
    headers: tuple[str, ...]
    footers: tuple[str, ...]
    sentences: tuple[tuple[str, str], ...]
    since: tuple[str, ...]
    decoys: tuple[tuple[str, str], ...]


def _lines(text: str) -> list[str]:
    """A template a line; ``¶`` is a line's end within one."""
    return [line.replace("¶", "\n") for line in text.strip().split("\n")]


def _vocabulary(names: ModuleType, shapes: ModuleType, sentences: ModuleType, layouts: ModuleType) -> Vocabulary:
    decoys = [line.split(": ", 1) for line in _lines(sentences.DECOYS)]
    return Vocabulary(
        names.CULTURES,
        names.NICKNAMES,
        shapes.SHAPES,
        shapes.HOSPITALS,
        shapes.WARDS,
        shapes.COMPANIES,
        shapes.STREETS,
        shapes.TOWNS,
        shapes.DOMAINS,
        shapes.PATHS,
        shapes.MAILBOXES,
        layouts.HEADERS,
        layouts.FOOTERS,
        tuple((place, line) for place in PLACES for line in _lines(getattr(sentences, place.upper()))),
        tuple(_lines(sentences.SINCE)),
        tuple((place, template) for place, template in decoys),
    )


VOCABULARIES = {
    "tune": _vocabulary(names_of_tune, shapes_of_tune, sentences_of_tune, layouts_of_tune),
    "test": _vocabulary(names_of_test, shapes_of_test, sentences_of_test, layouts_of_test),
    "judge": _vocabulary(names_of_judge, shapes_of_judge, sentences_of_judge, layouts_of_judge),
    "verdict": _vocabulary(names_of_verdict, shapes_of_verdict, sentences_of_verdict, layouts_of_verdict),
    "appeal": _vocabulary(names_of_appeal, shapes_of_appeal, sentences_of_appeal, layouts_of_appeal),
}
