"""The small readings that several sources share."""

from __future__ import annotations

import polars as pl
import pytest

from leadapron.cohort.sources.tables import find_file, mentions, sex, years


def value(expression, text):
    return pl.select(expression(pl.lit(text, dtype=pl.String))).item()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("61", 61.0),
        ("61.0", 61.0),
        ("061Y", 61.0),
        ("018M", 1.5),
        ("0", 0.0),
        ("old", None),
        ("-3", None),
        ("6 1", None),
        ("", None),
        (None, None),
    ],
)
def test_years(text, expected):
    assert value(years, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Female", "F"), ("male", "M"), (" M", "M"), ("Unknown", None), ("O", None), ("", None), (None, None)],
)
def test_sex(text, expected):
    assert value(sex, text) == expected


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("Mass", 1),
        ("Edema|mass", 1),
        ("Mass/lung/left|Edema", 1),
        ("Nodule |Edema", 1),
        ("Submass", 0),
        ("Massive", 0),
        ("Edema/Mass", 0),
        ("", 0),
        (None, None),
    ],
)
def test_mentions_counts_whole_terms_only(listed, expected):
    assert value(lambda items: mentions(items, ("Mass", "Nodule")), listed) == expected


def test_the_newest_version_of_a_file_is_found(tmp_path):
    for name in ("t-2.0.0.csv", "t-2.1.0.csv", "t-2.2.0.txt"):
        (tmp_path / name).touch()
    assert find_file(tmp_path, ("t-*.csv.gz", "t-*.csv"), layout="") == tmp_path / "t-2.1.0.csv"
