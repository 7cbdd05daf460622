"""The tagger: the same numbers as a slow network, whatever stands beside a report, and what it is there for."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

from leadapron.reports.identifiers import tagger as module
from leadapron.reports.identifiers.categories import CATEGORIES
from leadapron.reports.identifiers.finder import Finder
from leadapron.reports.identifiers.tagger import CLASSES, Tagger, tagger
from leadapron.reports.identifiers.tokens import tokenise

STRANGE = Path(__file__).with_name("strange_reports.txt")
TEXTS = ["Discussed with Long at half past six.", "Lungs are clear.", "", "Seen at Northgate, 7 West. Kerley B lines."]


def slow_chances(net: Tagger, text: str) -> list[list[float]]:
    """Token by token, neighbour by neighbour."""
    tokens = tokenise(text)
    edge = len(net.second) // 2
    around = range(-edge, len(tokens.words) + edge)
    vectors = {at: net.embedded(tokens.words[at], tokens.row[at]) for at in range(len(tokens.words))}
    first = {at: np.maximum(0, net.first_bias + _convolved(vectors, at, net.first)) for at in around}
    found = []
    for at in range(len(tokens.words)):
        second = np.maximum(0, net.second_bias + _convolved(first, at, net.second))
        scores = np.exp(second @ net.last + net.last_bias)
        found.append((scores / scores.sum()).tolist())
    return found


def _convolved(vectors, at, weights):
    reach = len(weights) // 2
    return sum(
        (vectors[at + step] @ weights[step + reach] for step in range(-reach, reach + 1) if at + step in vectors),
        np.zeros(weights.shape[2], dtype=np.float32),
    )


@pytest.mark.parametrize("text", TEXTS)
def test_the_quick_sums_are_those_of_the_network(text):
    quick = tagger().chances([tokenise(text)])[0]
    assert quick.shape == (len(tokenise(text).words), len(CLASSES))
    np.testing.assert_allclose(quick, np.array(slow_chances(tagger(), text)).reshape(quick.shape), atol=1e-4)


def test_a_report_is_read_alike_alone_and_among_others():
    together = tagger().chances([tokenise(text) for text in TEXTS])
    for text, found in zip(TEXTS, together, strict=True):
        np.testing.assert_allclose(found, tagger().chances([tokenise(text)])[0], atol=1e-5)


def test_words_are_forgotten_when_there_are_too_many(monkeypatch):
    net = Tagger(
        {
            name: getattr(tagger(), name)
            for name in ("table", "first", "first_bias", "second", "second_bias", "last", "last_bias")
        },
        [],
    )
    before = net.chances([tokenise(TEXTS[0])])[0]
    monkeypatch.setattr(module, "KEPT", 3)
    net.chances([tokenise(TEXTS[3])])
    np.testing.assert_array_equal(net.chances([tokenise(TEXTS[0])])[0], before)


def test_the_weights_are_small_and_of_known_classes():
    file = resources.files("leadapron.reports").joinpath("words", module.WEIGHTS)
    assert len(file.read_bytes()) < 1_000_000
    assert set(CLASSES[1:]) <= set(CATEGORIES)


def strange_reports() -> tuple[list[str], list[list[tuple[int, int]]], list[list[tuple[int, int]]]]:
    lines = (line for line in STRANGE.read_text("utf-8").splitlines() if not line.startswith("#"))
    texts, identifiers, terms = [], [], []
    for marked in "\n".join(lines).split("\n%\n"):
        text, spans = "", {"{": [], "[": []}
        for part in re.finditer(r"\{\w+:([^}]*)\}|\[([^\]]*)\]|[^{\[]+", marked):
            said = part[1] or part[2] or part[0]
            if part[0][0] in spans:
                spans[part[0][0]].append((len(text), len(text) + len(said)))
            text += said
        texts.append(text)
        identifiers.append(spans["{"])
        terms.append(spans["["])
    return texts, identifiers, terms


def share_touched(found, spans) -> float:
    touched = [
        any(one.start < end and start < one.end for one in of_report)
        for of_report, listed in zip(found, spans, strict=True)
        for start, end in listed
    ]
    return sum(touched) / len(touched)


def test_the_tagger_finds_much_that_no_rule_knows_and_leaves_most_terms():
    texts, identifiers, terms = strange_reports()
    assert len(texts) >= 120
    by_rules, by_both = Finder(context=False).find(texts), Finder().find(texts)
    assert share_touched(by_rules, identifiers) < 0.85
    assert share_touched(by_both, identifiers) > 0.93
    assert share_touched(by_both, terms) < 0.15


def test_without_context_rules_alone_search():
    text = "Discussed with Long at half past six."
    assert all(one.recogniser != "context" for one in Finder(context=False).find([text])[0])
    assert any(one.recogniser == "context" for one in Finder().find(["d/w long 1920, seen at lakeview"])[0])


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("The mass lies at 3 o'clock, 4 cm from the nipple.", "3 o'clock"),
        ("Degenerative change at T12-L1 and L4/5.", "T12-L1"),
        ("A 12 mm nodule, image 14 of series 3.", "14"),
        ("CPT 71260 was billed.", "71260"),
        ("No Hampton hump. Swan-Ganz catheter in place.", "Swan-Ganz"),
    ],
)
def test_measurements_levels_and_eponyms_stay(text, part):
    at = text.index(part)
    assert not any(one.start < at + len(part) and at < one.end for one in Finder().find([text])[0])
