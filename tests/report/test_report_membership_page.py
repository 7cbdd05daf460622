"""The page of a membership audit: its order and tables, three kinds of risk apart; escaped, and without a patient."""

from __future__ import annotations

import re

import pytest

from leadapron.attacks.membership import Declared
from leadapron.attacks.membership.declared import risk_apart
from leadapron.audits.render import render
from page_outline import EVIL, Outline
from sample_membership import write_little, write_membership


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_membership(tmp_path_factory.mktemp("page") / "audit")


@pytest.fixture(scope="module")
def page(results):
    return render(results, ".html")


def test_the_verdict_comes_first_and_everything_else_is_there_in_order(page):
    order = [
        "was a patient among those that a model was trained on?", "Measured Verdict", "Of 1,000 patients, 4 (3 to 5)",
        "One patient in a hundred", "On average", "one false alarm in 1,000", "The published score", "Groups are not",
        "Training promised", "pass planted patients", "What was measured", "patients with several records", "Promised",
        "Measured", "found by attacking these models", "Declared", "said by the person who signs", "Combined",
        "calculated from both", "1. Patients above", "2. Attacks on average", "3. Members recognised", "4. Groups",
        "5. What was promised", "Attacks on models: AUC", "AUC that 1", "Groups among the most exposed",
        "Promised and measured", "Beyond what was promised", "Tests of groups", "All estimates", "Controls and checks",
        "Limits", "Glossary", "Measured, declared, combined", "leadapron audit membership", "Sign-off",
    ]  # fmt: skip
    words, place = " ".join(Outline(page).words.split()), 0
    for phrase in order:
        place = words.find(phrase, place)
        assert place >= 0, phrase
    assert words.count("How to read:") == 5
    assert "Everything in this report is measured" not in words
    assert "Encoder" not in words


def test_tables_hold_bounds_and_residuals(page):
    rows = [re.sub("<[^>]+>", "|", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    assert any("|Race|" in row and "Asian" in row and "+13.0" in row and "2.3×" in row for row in rows)
    assert any("Recognised at 0.1" in row and "0.27" in row for row in rows)
    assert any("by the bound for one record" in row and "320" in row and "64" in row for row in rows)


def test_the_page_asks_for_nothing_and_holds_no_patient(results, page):
    assert not re.search(r"https?:|url\(|@import|<link|<img|\bsrc=|\bon\w+=", page)
    assert len(page.encode()) < 1_000_000
    for suffix in (".html", ".md", ".xml", ".json"):
        assert not re.search("RECORD-4711|PATIENT-0815", render(results, suffix))


def test_the_model_card_keeps_the_three_kinds_apart(tmp_path):
    card = render(write_membership(tmp_path / "audit", Declared(access=0.1, prior=0.02)), ".md")
    assert "- Measured (found by attacking these models): 37 (29 to 46) of 10,000 patients have an AUC above" in card
    assert "- Declared (said by the person who signs, and not tested): 10" in card
    assert "- Combined (calculated from both): 4 (3 to 5) of 10,000 patients are exposed" in card
    assert "| patient (joint) | 200 | AUC | 0.512 |" in card
    assert "Measured on signals, attacker joint. Patients by all of their records, and records one by" in card


def test_everything_that_comes_from_the_results_is_escaped(results):
    rows = tuple(
        row.model_copy(
            update={
                "attacker": EVIL if row.attacker == "lira" else row.attacker,
                "group": row.group and f"{EVIL}{row.group}",
            }
        )
        for row in results.estimates
    )
    risk = risk_apart(rows, Declared()).model_dump(mode="json")
    evil = results.updated(
        title=EVIL,
        command=EVIL,
        estimates=rows,
        counts={EVIL: 1200, **results.counts},
        details={**results.details, "trusted": EVIL, "risk": risk},
    )
    outline = Outline(render(evil, ".html"))
    assert len(outline.named("script")) == 1
    assert not outline.named("img")
    assert all(not name.startswith("on") for _, attributes in outline.elements for name in attributes)
    assert EVIL in outline.words


def test_without_evidence_the_page_says_what_is_not_available(tmp_path):
    page = render(write_membership(tmp_path / "audit", evidence={}, outcomes=[], limits=[]), ".html")
    Outline(page)
    assert page.count("Not available.") == 2  # patients above an AUC, false alarms
    assert "not every check was run" in page


def test_a_small_audit_has_a_page(tmp_path):
    page = render(write_little(tmp_path / "audit"), ".html")
    Outline(page)
    assert page.count("Not available.") == 2  # groups, promise
    assert "No promise of differential privacy was given" in page
    assert "<dd>&lt; 10</dd>" in page


def test_results_of_attacks_on_models_alone_have_a_page(results):
    rows = tuple(row for row in results.estimates if row.protocol == "aggregate")
    spot = {**results.spot.keys, "attacker": "lira", "protocol": "aggregate", "metric": "auc"}
    details = {name: part for name, part in results.details.items() if name != "promise"}
    page = render(results.updated(estimates=rows, group_tests=(), spot=spot, details=details), ".html")
    Outline(page)
    assert "Of 1,000 records of members, membership is recognised at 0.1\N{NO-BREAK SPACE}% false alarms for 2" in page
