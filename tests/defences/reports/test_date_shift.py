"""Dates keep their distance and their form, and none keeps its year, month or weekday."""

from __future__ import annotations

from contextlib import suppress
from datetime import date, datetime, timedelta

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leadapron.defences.reports.date_parts import mended
from leadapron.defences.reports.date_shift import shift_date, whole_date
from leadapron.defences.reports.key_file import SHIFTS

FORMATS = (
    "%m/%d/%Y", "%m-%d-%Y", "%Y-%m-%d", "%Y/%m/%d", "%Y%m%d", "%d.%m.%Y", "%B %d, %Y", "%d %B %Y", "%b %d, %Y",
    "%d-%b-%Y", "%d %b %Y", "%A, %B %d, %Y", "%a %m/%d/%Y", "%B %d %Y", "%Y %B %d", "%m/%d/%y", "%b. %d, %Y",
)  # fmt: skip
DAYS = st.dates(date(1950, 1, 1), date(2035, 12, 31))


def read_as(text, form):
    """By Python's own reader. What was "May" is followed by a whole name, since it was one, perhaps."""
    for one in (form, form.replace("%b", "%B")):
        with suppress(ValueError):
            return datetime.strptime(text, one).date()
    raise AssertionError(f"{text!r} is not written as {form!r}")


@given(DAYS, DAYS, st.sampled_from(FORMATS), st.sampled_from(FORMATS), st.sampled_from(SHIFTS))
@settings(max_examples=300, deadline=None)
def test_intervals_are_kept_whatever_the_form(one, other, how, how_other, shift):
    days = []
    for day, form in ((one, how), (other, how_other)):
        if "%y" in form:
            assume(day.year >= 1975 and (day - timedelta(shift)).year >= 1970)  # two digits tell no century
        moved = shift_date(day.strftime(form), -shift)
        assert moved is not None
        days.append(read_as(moved, form))
    assert days[0] - days[1] == one - other
    assert one - days[0] == timedelta(shift)


@given(DAYS, st.sampled_from(SHIFTS))
@settings(max_examples=300, deadline=None)
def test_every_shift_changes_year_month_and_weekday(day, shift):
    moved = day - timedelta(shift)
    assert moved.year != day.year
    assert moved.month != day.month
    assert moved.weekday() != day.weekday()


@pytest.mark.parametrize(
    ("written", "moved"),  # by 500 days back
    [
        ("the third of March two thousand nineteen", "the nineteenth of October two thousand seventeen"),
        ("March twenty-third, twenty nineteen", "November eighth, twenty seventeen"),
        ("nineteen ninety-nine", "nineteen ninety-eight"),
        ("June two thousand", "February nineteen ninety-nine"),
        ("14th of July 2018", "1st of March 2017"),
        ("MARCH 3RD, 2020", "OCTOBER 20TH, 2018"),
        ("Tues, Mar. 3, 2020", "Sat, Oct. 20, 2018"),
        ("5/2019", "12/2017"),
        ("2019-03", "2017-10"),
        ("2019", "2018"),
        ("'19", "'18"),
        ("2018-2019", "2017-2018"),
        ("2018-19", "2017-18"),
        ("12/25", "08/13"),
        ("25/12", "13/08"),
        ("February 29", "October 17"),
        ("the 3rd", "the 19th"),
        ("Friday", "Tuesday"),
        ("Q3 2019", "Q2 2018"),
        ("fall of 2019", "summer of 2018"),
        ("Christmas 2019", "August 12, 2018"),
        ("4th of July", "February 20"),
        ("l2/O3/2O19", "07/21/2018"),
        ("1 2/03/2019", "07/21/2018"),
    ],
)
def test_a_date_is_written_as_it_was(written, moved):
    assert shift_date(written, -500) == moved


@given(DAYS, st.integers(-150, 150), st.sampled_from(("%m/%d", "%B %d", "%d %b")), st.sampled_from(SHIFTS))
@settings(max_examples=200, deadline=None)
def test_dates_without_a_year_keep_their_distance_to_one_with_a_year(day, apart, form, shift):
    other = day + timedelta(apart)
    moved = shift_date(other.strftime(form), -shift, day)
    after = other - timedelta(shift)
    assert moved is not None
    assert read_as(f"{moved} {after.year}", f"{form} %Y") == after


@pytest.mark.parametrize(
    ("written", "moved"),  # by 500 days back, in a report of 5 March 2019
    [
        ("the 3rd", "the 19th"),
        ("29 Feb", "17 Oct"),
        ("Christmas", "August 12"),
        ("2/2/2016", "9/20/2014"),
    ],
)
def test_a_report_tells_which_year_is_meant(written, moved):
    assert shift_date(written, -500, date(2019, 3, 5)) == moved


@pytest.mark.parametrize(
    ("written", "day"),
    [("3 March 2019", date(2019, 3, 3)), ("20190303", date(2019, 3, 3)), ("3/3", None), ("Mar 2019", None),
     ("2/30/2019", None), ("Friday", None), ("no date", None)],
)  # fmt: skip
def test_a_whole_date_tells_day_month_and_year(written, day):
    assert whole_date(written) == day


@pytest.mark.parametrize("holiday", ["Diwali", "Diwali 2019", "Ash Wednesday", "bank holiday Monday", "Founders' Day"])
def test_of_a_holiday_that_is_not_known_no_word_is_left(holiday):
    moved = shift_date(holiday, -500)
    assert moved is not None
    assert not set(holiday.lower().split()) & set(moved.lower().split())


@pytest.mark.parametrize("nonsense", ["13/45/2019", "99", "1/2/3/4"])
def test_what_is_no_day_is_not_read_as_one(nonsense):
    assert shift_date(nonsense, -500) is None


def test_only_numbers_are_mended():
    assert mended("O3/l4/2O19") == "03/14/2019"
    assert mended("July 4, 2019") == "July 4, 2019"
