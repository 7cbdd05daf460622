"""The page of an identity audit: its own question, order and tables; escaped, and without a small cell or a patient."""

from __future__ import annotations

import re

import pytest

from leadapron.audits.render import render
from page_outline import EVIL, Outline
from sample_identity import write_identity, write_small


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_identity(tmp_path_factory.mktemp("page") / "audit")


@pytest.fixture(scope="module")
def page(results):
    return render(results, ".html")


def test_title_and_question_come_from_the_kind(page):
    assert "– identity audit</title>" in page
    assert "Privacy audit of a release · are two of its radiographs recognised as one patient&#39;s?" in page
    assert "linkage" not in page


def test_the_verdict_comes_first_and_everything_else_is_there_in_order(page):
    order = [
        "Measured", "Of 1,000 radiographs whose patient has another one in the release", "The strongest of 4 attackers",
        "Of 1,000 patients with two", "Given a pair", "Against strangers of the same", "Without repeats",
        "one and the same picture", "Left out", "pass planted copies", "What was measured", "patients with two or more",
        "Strangers alike in", "1. Right patient first", "2. Right patient among", "3. Recognised pairs",
        "4. Attackers", "5. Recognised by what changed", "6. Several known", "7. Risk over patients", "8. Subgroups",
        "One patient or two (verification)", "on as many pairs of either kind: learned, threshold set on validation",
        "The right patient in a list (retrieval)", "Pairs of one patient by what changed",
        "Subgroups at the headline", "All estimates", "Controls and checks", "Limits", "Glossary", "Equal error rate",
        "leadapron audit identity", "Sign-off",
    ]  # fmt: skip
    words, place = " ".join(Outline(page).words.split()), 0
    for phrase in order:
        place = words.find(phrase, place)
        assert place >= 0, phrase
    assert words.count("How to read:") == 8


def test_every_estimate_of_everybody_is_in_a_table(page):
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    for metric in ("auc", "eer", "tpr@fpr=0.0001", "specificity", "f1", "precision@1", "map@r", "r-precision"):
        assert any(f">{metric}</th>" in row for row in rows), metric
    assert any("4,209, taken apart" in row for row in rows)


def test_the_page_asks_for_nothing_and_holds_no_patient(results, page):
    assert not re.search(r"https?:|url\(|@import|<link|<img|\bsrc=|\bon\w+=", page)
    assert len(page.encode()) < 1_000_000
    for suffix in (".html", ".md", ".xml", ".json"):
        assert not re.search("RECORD-4711|PATIENT-0815", render(results, suffix))


def test_small_cells_are_in_no_table(page, tmp_path):
    for row in re.findall(r"<tr>(.*?)</tr>", page):
        if ">Fracture<" in row or (">Years between<" in row and ">11<" in row):
            assert "permutation" in row
    small = render(write_small(tmp_path / "audit"), ".html")
    Outline(small)
    assert not re.search(r"<td[^>]*>(4|6|7)</td>", small)
    assert small.count("<dd>&lt; 10</dd>") == 2


def test_everything_that_comes_from_the_results_is_escaped(results):
    def with_evil(row):
        names = {"attacker": EVIL if row.attacker == "learned" else row.attacker}
        told = row.group is not None and row.protocol != "fused"
        return row.model_copy(update=names | ({"group": f"{EVIL}{row.group}"} if told else {}))

    evil = results.updated(
        **dict.fromkeys(("title", "command"), EVIL),
        details={"threshold": EVIL, "matched_on": [EVIL, EVIL]},
        counts={EVIL: 1200, **results.counts},
        spot=results.spot.model_copy(update={"attacker": EVIL}),
        estimates=tuple(map(with_evil, results.estimates)),
    )
    page = render(evil, ".html")
    outline = Outline(page)
    assert len(outline.named("script")) == 1
    assert not outline.named("img")
    assert all(not name.startswith("on") for _, attributes in outline.elements for name in attributes)
    assert EVIL in outline.words


def test_without_evidence_the_page_says_what_is_not_available(tmp_path):
    results = write_identity(tmp_path / "audit", evidence={}, outcomes=[], limits=[], group_tests=[])
    page = render(results, ".html")
    Outline(page)
    assert page.count("Not available.") == 4  # galleries, first images, false alarms, survival
    assert "not every check was run" in page


def test_estimates_of_everybody_alone_are_enough_for_a_page(results):
    rows = tuple(row for row in results.estimates if row.protocol == "random" and row.group is None)
    page = render(results.updated(estimates=rows, details={}).with_evidence({}), ".html")
    Outline(page)
    assert page.count("Not available.") == 8
    assert "No pairs were told apart." in page
    assert "Without other patients to set a threshold on" in page
