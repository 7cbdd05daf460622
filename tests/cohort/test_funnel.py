"""The funnel adds up, does not change, and prints as an aligned table."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.cohort import Funnel, Step


def test_a_step_counts_what_it_dropped_of_the_step_before():
    funnel = Funnel.start("rows", 100).then("frontal", 70, "lateral").then("readable", 69, "1 file is broken")
    assert funnel.steps == (
        Step("rows", 100, 0, ""),
        Step("frontal", 70, 30, "lateral"),
        Step("readable", 69, 1, "1 file is broken"),
    )


@settings(deadline=None)
@given(st.integers(0, 10**6), st.lists(st.floats(0, 1), max_size=6))
def test_kept_and_dropped_add_up_to_the_start(rows, shares):
    funnel = Funnel.start("rows", rows)
    for share in shares:
        funnel = funnel.then("step", int(funnel.steps[-1].kept * share))
    assert funnel.steps[-1].kept + sum(step.dropped for step in funnel.steps) == rows
    assert all(step.dropped >= 0 for step in funnel.steps)


def test_a_further_step_leaves_the_funnel_as_it_was():
    first = Funnel.start("rows", 10)
    first.then("kept", 4)
    assert first == Funnel((Step("rows", 10, 0),))
    with pytest.raises(FrozenInstanceError):
        first.steps = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        first.steps[0].kept = 11  # type: ignore[misc]


def test_the_table_says_what_was_kept_dropped_and_why():
    text = str(Funnel.start("rows of the table", 243_334).then("AP or PA", 218_139, "any other view"))
    assert text.splitlines() == [
        "step                    kept    dropped  why",
        "rows of the table    243,334          0",
        "AP or PA             218,139     25,195  any other view",
    ]


@pytest.mark.parametrize("funnel", [Funnel(), Funnel.start("a", 5), Funnel.start("a", 5).then("longer", 3, "x")])
def test_the_columns_stay_aligned_however_short_the_names(funnel):
    lines = str(funnel).splitlines()
    end_of_kept = lines[0].index("kept") + len("kept")
    for line, step in zip(lines[1:], funnel.steps, strict=True):
        assert line[:end_of_kept].endswith(f" {step.kept}")
        assert line[end_of_kept:].split()[0] == str(step.dropped)
