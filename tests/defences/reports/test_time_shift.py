"""Clock times move on their own clock."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.defences.reports.stand_ins import MINUTES
from leadapron.defences.reports.time_shift import shift_time


@pytest.mark.parametrize(
    ("written", "later"),  # by 97 minutes
    [
        ("14:30", "16:07"),
        ("23:30", "01:07"),
        ("2:15 pm", "3:52 pm"),
        ("11:15 AM", "12:52 PM"),
        ("11:30 p.m.", "01:07 a.m."),
        ("2:15p", "3:52p"),
        ("7 am", "8:37 am"),
        ("2350 hrs", "0127 hrs"),
        ("7h30", "9h07"),
        ("14 30", "16 07"),
        ("14.30 Uhr", "16.07 Uhr"),
        ("12:30:45", "14:07:45"),
        ("O9:15", "10:52"),
        ("half past ten", "12:07"),
        ("quarter to five", "6:22"),
        ("five past six in the evening", "19:42"),
        ("one in the morning", "2:37"),
        ("oh eight hundred hours", "9:37"),
        ("noon", "13:37"),
        ("midnight", "1:37"),
    ],
)
def test_a_time_is_written_as_it_was(written, later):
    assert shift_time(written, 97) == later


@given(st.integers(0, 1439), st.integers(0, 1439), st.sampled_from(MINUTES))
@settings(max_examples=100, deadline=None)
def test_intervals_are_kept_on_the_clock(one, other, minutes):
    moved = [shift_time(f"{at // 60:02d}:{at % 60:02d}", minutes) for at in (one, other)]
    first, second = (int(text[:2]) * 60 + int(text[3:]) for text in moved)
    assert (first - second - one + other) % 1440 == 0
    assert first != one
