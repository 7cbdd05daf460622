"""The finder: what any recogniser finds, in whole words and within the report; lists that rule over all of them."""

from __future__ import annotations

import pytest

from leadapron.reports.identifiers import finder
from leadapron.reports.identifiers.categories import CATEGORIES, Span, merged
from leadapron.reports.identifiers.finder import Finder, find_identifiers
from leadapron.reports.identifiers.typos import one_edit_apart

TEXT = "Patient: Amara Okafor. Small effusion on 03/14/2019, seen by Dr. Lindqvist. Kerley B lines."


def said(text, spans):
    return {(text[one.start : one.end], one.category) for one in spans}


def test_rules_find_people_and_dates_and_leave_the_medicine():
    found = said(TEXT, find_identifiers(TEXT))
    assert found == {("Amara Okafor", "name"), ("03/14/2019", "date"), ("Lindqvist", "staff")}
    assert {category for _, category in found} <= set(CATEGORIES)


def other(*spans):
    def find(texts):
        return [[Span(*span, "id", "other") for span in spans] for _ in texts]

    return find


@pytest.mark.parametrize(
    ("span", "whole"),
    [
        ((0, 5), "Lungs"),
        ((1, 3), "Lungs"),
        ((3, 8), "Lungs are"),
        ((5, 6), None),
        ((-4, 2), "Lungs"),
        ((10, 99), "clear"),
        ((4, 4), None),
        ((50, 60), None),
    ],
)
def test_what_others_find_is_taken_in_whole_words_within_the_report(span, whole):
    text = "Lungs are clear."
    found = Finder(recognisers=(other(span),)).find([text])[0]
    assert said(text, found) == ({(whole, "id")} if whole else set())


def test_terms_that_stay_are_cut_out_of_what_goes():
    searching = Finder(keep=("okafor", "LINDQVIST", "  "))
    assert said(TEXT, searching.find([TEXT])[0]) == {("Amara", "name"), ("03/14/2019", "date")}


def test_terms_that_go_are_whole_words_in_any_case():
    searching = Finder(remove=("small", "B", "line"))
    assert {("Small", "id"), ("B", "id")} <= said(TEXT, searching.find([TEXT])[0])
    assert ("line", "id") not in said(TEXT, searching.find([TEXT])[0])


def test_what_stays_rules_over_what_goes():
    assert Finder(remove=("lungs",), keep=("lungs",)).find(["Lungs clear."]) == [[]]


def test_demographics_are_found_on_request():
    text = "58-year-old white male, 3 days later."
    assert find_identifiers(text) == []
    assert said(text, Finder(demographics=True).find([text])[0]) == {
        ("58-year-old", "demographic"),
        ("white", "demographic"),
        ("male", "demographic"),
    }


def test_spans_are_in_order_and_apart():
    spans = [Span(5, 9, "name", "a"), Span(0, 6, "date", "b"), Span(9, 12, "id", "c"), Span(1, 2, "time", "d")]
    assert merged(spans) == [Span(0, 9, "date", "b"), Span(9, 12, "id", "c")]
    assert merged([]) == []


def test_an_empty_report_has_no_identifiers():
    assert Finder().find(["", "\n"]) == [[], []]


@pytest.mark.parametrize("slip", ["okfor", "okaafor", "okofor", "okafro", "kafor", "okafo", "okafora"])
def test_one_slip_of_the_finger(slip):
    assert one_edit_apart("okafor", slip)
    assert one_edit_apart(slip, "okafor")


@pytest.mark.parametrize("other_word", ["okafor", "okf", "oakfro", "adams", "okaforab", ""])
def test_more_or_less_than_one_slip(other_word):
    assert not one_edit_apart("okafor", other_word)


def test_context_adds_to_what_rules_find_and_rules_name_it(monkeypatch):
    text = "Seen by Rose Okafor 3/4/2019 at Lakeview."
    by_context = [Span(8, 28, "hospital", "context"), Span(32, 40, "place", "context")]
    monkeypatch.setattr(finder, "find_in_context", lambda reports: [by_context for _ in reports])
    monkeypatch.setattr(finder, "find_people", lambda _: [Span(13, 19, "staff", "rule")])
    monkeypatch.setattr(finder, "find_where", lambda _: [])
    assert said(text, find_identifiers(text)) == {
        ("Rose", "hospital"),
        ("Okafor", "staff"),
        ("3/4/2019", "date"),
        ("Lakeview", "place"),
    }
    by_context[0] = Span(8, 19, "hospital", "context")
    assert ("Rose Okafor", "staff") in said(text, find_identifiers(text))
