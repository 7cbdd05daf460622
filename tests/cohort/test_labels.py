"""Label policies against a slow oracle that goes cell by cell, and labels that are none."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.cohort import FINDINGS, LABEL_COLUMNS, POLICIES
from leadapron.cohort.labels import apply_policy, check_labels, find_policy, label_column
from leadapron.errors import ConfigError, DataError

ROWS = st.lists(
    st.tuples(
        st.booleans() | st.none(),
        st.lists(st.sampled_from([1, 0, -1, None]), min_size=len(FINDINGS), max_size=len(FINDINGS)),
    ),
    min_size=1,
    max_size=12,
)


def table_of(rows, dtype: type[pl.DataType] = pl.Int64) -> pl.DataFrame:
    """Record ids r0, r1 …, the 14 labels and whether a labeller has seen the record."""
    labels = {column: pl.Series([row[1][i] for row in rows], dtype=dtype) for i, column in enumerate(LABEL_COLUMNS)}
    ids = [f"r{number}" for number in range(len(rows))]
    return pl.DataFrame({"record_id": ids, "seen": pl.Series([row[0] for row in rows], dtype=pl.Boolean), **labels})


def one_row(**labels) -> pl.DataFrame:
    return table_of([(True, [0] * len(FINDINGS))]).with_columns(**{name: pl.Series([v]) for name, v in labels.items()})


def slow_policy(policy: str, value: int | None, seen: bool | None) -> int | None:
    if value == 1 or value == 0:
        return value
    if value == -1:
        return {"positive-only": 0, "uncertain-positive": 1, "uncertain-masked": None, "mentioned-only": None}[policy]
    return 0 if seen and policy != "mentioned-only" else None


@pytest.mark.parametrize("policy", POLICIES)
@settings(max_examples=40, deadline=None)
@given(rows=ROWS, dtype=st.sampled_from([pl.Int64, pl.Float64]))
def test_each_policy_agrees_with_the_oracle_cell_by_cell(policy, rows, dtype):
    result = apply_policy(table_of(rows, dtype), policy, labelled=pl.col("seen"), where="here")
    expected = [tuple(slow_policy(policy, value, seen) for value in values) for seen, values in rows]
    assert result.select(LABEL_COLUMNS).rows() == expected
    assert set(result.select(LABEL_COLUMNS).dtypes) == {pl.Int8}
    assert result["record_id"].to_list() == [f"r{number}" for number in range(len(rows))]
    check_labels(result, where="here")  # what a policy gives, a cohort takes


def test_the_studys_policy_takes_only_positive_for_positive_and_masks_what_nobody_labelled():
    rows = [(True, [1, 0, -1, None] + [None] * 10), (False, [None] * 14)]
    result = apply_policy(table_of(rows), "positive-only", labelled=pl.col("seen"), where="here")
    assert result.select(LABEL_COLUMNS).rows() == [(1,) + (0,) * 13, (None,) * 14]


def test_an_unknown_policy_is_answered_with_the_nearest():
    with pytest.raises(ConfigError) as caught:
        find_policy("positve-only")
    assert str(caught.value) == (
        "unknown label policy; got 'positve-only'; allowed: mentioned-only, positive-only, uncertain-masked, "
        "uncertain-positive (did you mean 'positive-only'?)."
    )
    with pytest.raises(ConfigError, match=r"unknown label policy; got 'zzz'; allowed: [^(]*$"):
        apply_policy(one_row(), "zzz", labelled=pl.lit(value=True), where="here")


@pytest.mark.parametrize(("value", "got"), [(2, "2"), (-2, "-2"), (0.5, "0.5"), (float("nan"), "nan")])
def test_a_value_that_is_no_label_is_named_with_its_column(value, got):
    table = pl.concat(
        [one_row(), one_row(label_edema=value).with_columns(record_id=pl.lit("bad"))], how="vertical_relaxed"
    )
    with pytest.raises(DataError) as caught:
        apply_policy(table, "positive-only", labelled=pl.lit(value=True), where="labels.csv")
    assert str(caught.value) == (
        f"labels.csv: column 'label_edema' holds an unknown label in row 1 (1 rows do); got {got}; "
        "allowed: 1, 0, -1 or null."
    )


def test_uncertain_is_allowed_before_a_policy_and_not_after():
    uncertain = one_row(label_fracture=-1)
    check_labels(uncertain, where="here", allowed=(1, 0, -1))
    with pytest.raises(DataError, match=r"column 'label_fracture' .*; got -1; allowed: 1, 0 or null\.$"):
        check_labels(uncertain, where="here")


@pytest.mark.parametrize(("value", "dtype"), [("1", "String"), (True, "Boolean")])
def test_a_label_column_that_is_not_numeric_is_named(value, dtype):
    with pytest.raises(DataError) as caught:
        check_labels(one_row(label_edema=value), where="here")
    assert str(caught.value) == f"here: column 'label_edema' is not numeric; got '{dtype}'; allowed: 1, 0 or null."


def test_the_columns_are_those_of_the_14_findings():
    assert len(set(LABEL_COLUMNS)) == len(FINDINGS) == 14
    assert list(FINDINGS) == sorted(FINDINGS)
    assert label_column("Enlarged Cardiomediastinum") == LABEL_COLUMNS[4] == "label_enlarged_cardiomediastinum"
