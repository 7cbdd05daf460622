"""What was computed of an array is computed once, as long as its numbers stay the same."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.engine import remembered as memory
from leadapron.engine.remembered import content, forget, remembered


@pytest.fixture(autouse=True)
def _nothing_known():
    forget()
    yield
    forget()


def test_the_same_question_about_the_same_numbers_is_answered_once():
    asked = []
    array = np.arange(6).reshape(2, 3)
    for one in (array, array.copy(), np.asfortranarray(array)):
        assert remembered(one, "sum", lambda one=one: asked.append(1) or one.sum()) == 15
    assert len(asked) == 1


def test_another_question_other_numbers_and_another_shape_are_computed():
    array = np.arange(6)
    assert remembered(array, ("power", 1), lambda: "one") == "one"
    assert remembered(array, ("power", 2), lambda: "two") == "two"
    assert remembered(array.reshape(2, 3), ("power", 1), lambda: "three") == "three"
    assert remembered(array.astype(np.int32), ("power", 1), lambda: "four") == "four"
    array[0] = 7  # changed in place
    assert remembered(array, ("power", 1), lambda: "five") == "five"


def test_what_nobody_asks_about_is_forgotten_first(monkeypatch):
    monkeypatch.setattr(memory, "MOST", 2)
    for number in (0, 1, 0, 2):
        remembered(np.array([number]), "name", lambda number=number: number)
    assert remembered(np.array([0]), "name", lambda: "anew") == 0
    assert remembered(np.array([1]), "name", lambda: "anew") == "anew"


def test_a_hash_is_of_all_arrays_and_their_order():
    one, two = np.arange(3), np.arange(2)
    assert content(one, two) != content(two, one) != content(np.concatenate([one, two]))
