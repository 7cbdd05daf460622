"""Splits by patient: where somebody falls depends on the id and the seed, and on nothing else."""

from __future__ import annotations

from math import sqrt

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.cohort import SPLITS, split_by_patient
from leadapron.cohort.split import check_split
from leadapron.errors import DataError

IDS = st.lists(st.text(alphabet="pq01é ", min_size=1, max_size=4), min_size=1, max_size=30)


def split(patients, seed=0) -> list[str]:
    return split_by_patient(pl.Series(patients), seed).to_list()


@pytest.mark.parametrize(
    ("seed", "sides"),
    [
        (0, ".........TTvT........v...T...."),
        (1, ".TTT.....v.v.T.....TT...TT.T.."),
        (2026, "v.....TvT.....TTv....vv......T"),
    ],
)
def test_known_patients_stay_where_they_have_always_been(seed, sides):
    """A change of the hash would move patients of cohorts that are in use from test to training."""
    names = {".": "train", "v": "validate", "T": "test"}
    patients = [*(str(number) for number in range(28)), "10000032", "é"]
    assert split(patients, seed) == [names[side] for side in sides]


@settings(deadline=None)
@given(IDS, st.integers(-5, 5))
def test_a_patient_is_never_on_two_sides(patients, seed):
    sides = split(patients, seed)
    assert len(sides) == len(patients)
    assert len(set(zip(patients, sides, strict=True))) == len(set(patients))
    assert set(sides) <= set(SPLITS)


@settings(deadline=None)
@given(IDS, IDS, st.randoms(use_true_random=False))
def test_neither_others_nor_the_order_of_rows_move_anybody(patients, others, random):
    alone = dict(zip(patients, split(patients), strict=True))
    everybody = [*patients, *others]
    random.shuffle(everybody)
    together = dict(zip(everybody, split(everybody), strict=True))
    assert {patient: together[patient] for patient in patients} == alone


def test_the_shares_are_met_within_binomial_error():
    count = 20_000
    sides = split([f"patient {number}" for number in range(count)])
    for side, share in {"test": 0.20, "validate": 0.08, "train": 0.72}.items():
        assert abs(sides.count(side) - count * share) < 4 * sqrt(count * share * (1 - share)), side


def test_another_seed_gives_an_independent_split():
    count = 5_000
    patients = [str(number) for number in range(count)]
    first, second = split(patients, 1), split(patients, 2)
    both = sum(one == two == "test" for one, two in zip(first, second, strict=True))
    assert abs(both - count * 0.04) < 4 * sqrt(count * 0.04 * 0.96)


def test_ids_that_are_numbers_fall_where_their_text_falls():
    numbers = list(range(200))
    assert split(numbers) == split([str(number) for number in numbers])


def test_the_column_is_text_and_bears_its_name():
    column = split_by_patient(pl.Series("patient_id", ["a", "b"]))
    assert (column.name, column.dtype) == ("split", pl.String)
    assert split_by_patient(pl.Series([], dtype=pl.String)).to_list() == []


def table(*rows: tuple[str, str, str | None]) -> pl.DataFrame:
    return pl.DataFrame(
        rows, schema={"record_id": pl.String, "patient_id": pl.String, "split": pl.String}, orient="row"
    )


def test_sound_splits_pass():
    check_split(table(("a", "p", "train"), ("b", "p", "train"), ("c", "q", "validate"), ("d", "r", "test")), "here")


def test_a_patient_in_two_splits_is_named():
    torn = table(("a", "q", "test"), ("b", "p", "train"), ("c", "p", "test"), ("d", "q", "train"), ("e", "r", "test"))
    with pytest.raises(DataError) as caught:
        check_split(torn, "here")
    assert str(caught.value) == (
        "here: column 'split': the patient of row 1 stands in more than one split (2 patients do); got 'test, train'; "
        "allowed: one split a patient."
    )


@pytest.mark.parametrize(("value", "got"), [("valid", "valid"), ("Train", "Train"), ("", ""), (None, "null")])
def test_an_unknown_split_is_named_with_its_row(value, got):
    with pytest.raises(DataError) as caught:
        check_split(table(("a", "p", "train"), ("b", "q", value)), "here")
    assert str(caught.value) == (
        f"here: column 'split' holds an unknown split in row 2 (1 rows do); got {got!r}; "
        "allowed: train, validate, test."
    )
