"""Identity's words for reports: its machinery compares vectors, which are here of reports and not of images."""

from __future__ import annotations

from dataclasses import replace

from leadapron.attacks.identity.identity_glossary import GLOSSARY as OF_IMAGES
from leadapron.attacks.identity.identity_measures import COORDINATES as PLACES
from leadapron.attacks.identity.identity_measures import MEASURES as MEASURES_OF_IMAGES
from leadapron.attacks.identity.identity_measures import PLAIN as ATTACKERS_OF_IMAGES
from leadapron.audits.measure import Coordinate, Measure
from leadapron.pages.numerals import NBSP

DIRECTION = "report-to-report"
INSTEAD = (
    ("image-to-image", DIRECTION),
    ("radiograph", "report"),
    ("X-ray", "report"),
    ("all images of the release", "all reports"),
    ("images", "reports"),
    ("image", "report"),
    ("one and the same picture", "in the very same words"),
    ("embeddings", "the words of two reports"),
    ("the release has", "the reports have"),
    ("in the release", "in the set"),
    ("of the release", "of the set"),
    ("the release", "the set"),
    ("taken apart", "written apart"),
    ("Taken apart", "Written apart"),
    ("age, sex, view, source, findings", "age, sex, source, findings"),
)


def in_reports(text: str) -> str:
    """A text of identity's, said of reports."""
    for one, other in INSTEAD:
        text = text.replace(one, other)
    return text


def _measure(measure: Measure) -> Measure:
    texts = {name: in_reports(getattr(measure, name)) for name in ("title", "event", "units", "counted", "for_board")}
    return replace(measure, **texts)  # type: ignore[arg-type]


def _coordinate(coordinate: Coordinate) -> Coordinate:
    assert not callable(coordinate.words)
    words = {
        value: {name: in_reports(str(text)) for name, text in own.items()} for value, own in coordinate.words.items()
    }
    return Coordinate(in_reports(coordinate.title), words)


MEASURES = tuple(_measure(measure) for measure in MEASURES_OF_IMAGES)
PLAIN = {name: in_reports(text) for name, text in ATTACKERS_OF_IMAGES.items()}
"""What each attacker does."""
COORDINATES = {
    "direction": Coordinate("Direction", {DIRECTION: {"direction_name": f"report{NBSP}→{NBSP}report"}}),
    "protocol": _coordinate(PLACES["protocol"]),
    "pool": Coordinate("Reports"),
}
GLOSSARY = {
    **{term: in_reports(text) for term, text in OF_IMAGES.items()},
    "Embedding": "",
    "Attackers": "Ways to score how alike two reports are.",
    "Words of a report": "Words, pairs of words and runs of four letters, rare ones counting more (TF-IDF), reduced to "
    "256 numbers by a decomposition into singular values.",
}
