"""Runs of words that one patient alone has: against looking at every pair of reports."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.attacks.recital.owned_runs import Owned, owned_runs, owned_texts, runs_of_words
from leadapron.attacks.recital.planted_numbers import HEADER, plant_numbers
from leadapron.attacks.recital.recited_shares import Sought, Written, recited_any, recited_own
from leadapron.writing.scores import report_words

WORDS = ["small", "left", "effusion", "lungs", "clear", "."]


def invented(count: int, seed: int) -> tuple[list[str], list[int]]:
    rng = np.random.default_rng(seed)
    return [" ".join(rng.choice(WORDS, rng.integers(1, 9))) for _ in range(count)], (np.arange(count) // 2).tolist()


@pytest.mark.parametrize("length", [2, 3, 5])
def test_owned_runs_are_those_of_one_patient_alone(length):
    reports, patients = invented(40, length)
    slow = {}
    for report, patient in zip(reports, patients, strict=True):
        words = report_words(report)
        for at in range(len(words) - length + 1):
            run = tuple(words[at : at + length])
            text = " ".join(run)
            others = [
                f" {' '.join(report_words(one))} "
                for one, other in zip(reports, patients, strict=True)
                if other != patient
            ]
            if not any(f" {text} " in one for one in others):
                slow[run] = patient
    assert owned_runs(reports, patients, length).owner == slow
    assert slow


def test_given_texts_are_owned_unless_another_patient_has_them_anywhere():
    texts = [("Ada Novak", 0), ("Ada", 0), ("Ida Novak", 1), ("12/05", 0), ("12/05", 1), ("", 1)]
    reports = ["seen: ADA NOVAK.", "Ida Novak asks for Ada"]
    assert owned_texts(texts, reports, [0, 1]).owner == {("ada", "novak"): 0, ("ida", "novak"): 1}


def test_a_text_recites_those_whose_run_stands_in_it_word_for_word():
    owned = Owned({("a", "b"): 0, ("c",): 1, ("b", "x"): 2})
    assert owned.recited("A B c") == {0, 1}
    assert owned.recited("a, b") == frozenset()
    assert owned.holders == {0, 1, 2}
    assert list(runs_of_words(["a", "b", "c"], 2)) == [("a", "b"), ("b", "c")]


def test_own_words_are_told_from_others():
    owned = Owned({("a",): 0, ("b",): 1, ("c",): 2, ("d",): 9})
    texts = ["a b", "x", "a", "b", "a b c"]
    written = Written(np.arange(10, 15), np.array([0, 1, 2, 5, 2]), texts)
    found = recited_own(written, Sought(owned, frozenset({10, 11, 12, 14})), frozenset({0, 1, 2}))
    assert found.rows.tolist() == [10, 11, 12, 14]
    assert found.own.tolist() == [1, 0, 0, 1]
    assert found.others == pytest.approx((1 / 2 + 0 + 1 / 2 + 1) / 4)
    assert found.looked == 8
    assert found.seldom == 1 / 9
    assert recited_any(written, owned).tolist() == [1, 0, 1, 1, 1]
    assert recited_own(written, Sought(owned, frozenset()), frozenset({0})) is None


def test_only_reports_with_words_of_their_own_can_be_recited():
    owned = Owned({("a",): 0, ("b",): 1})
    sought = Sought.in_reports(owned, np.array([3, 4, 5]), np.array([0, 0, 1]), ["x a", "x", "a"])
    assert sought.rows == {3}


def test_planted_numbers_are_of_chosen_patients_and_stand_in_no_report():
    patients = np.repeat(np.arange(50), 2)
    reports = [f"report {number:06d}" for number in range(100)]
    planted = plant_numbers(patients, 0.3, reports, seed=1)
    assert len(planted.number) == 15
    assert len(set(planted.number.values())) == 15
    assert not any(number in " ".join(reports) for number in planted.number.values())
    headed = planted.headed(reports, patients.tolist())
    for report, patient, told in zip(reports, patients.tolist(), headed, strict=True):
        expected = f"{HEADER} {planted.number[patient]}. {report}" if patient in planted.number else report
        assert told == expected
    assert plant_numbers(patients, 0.3, reports, seed=1) == planted != plant_numbers(patients, 0.3, reports, seed=2)
    assert plant_numbers(patients, 0, reports, seed=1).number == {}
