"""Who looks alike, against a slow count by dictionaries."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import polars as pl
import pytest

from leadapron.errors import ConfigError, DataError
from leadapron.tables import alike
from leadapron.tables.alike import Coded, classes_in, coded
from leadapron.tables.column_roles import roles_of


def some_table(seed: int, rows: int = 300) -> pl.DataFrame:
    """A few values a column, gaps among them, and patients with one row or several."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "patient_id": [f"p{number}" for number in rng.integers(0, rows // 2, rows)],
            "sex": rng.choice(["F", "M", None], rows).tolist(),
            "age": rng.integers(60, 66, rows),
            "site": rng.choice([0.5, float("nan"), None], rows).tolist(),
            "date": pl.Series(rng.integers(0, 3, rows)).cast(pl.Date),
        }
    )


def slow_classes(table: pl.DataFrame, columns: list[str], *, linked: bool) -> dict[str, int]:
    """By dictionaries: what each patient's rows say, as text."""
    said = defaultdict(set)
    for row in table.iter_rows(named=True):
        said[row["patient_id"]].add(str([row[name] for name in columns]))
    if linked:
        return {one: sum(other == own for other in said.values()) for one, own in said.items()}
    return {one: min(sum(row in other for other in said.values()) for row in own) for one, own in said.items()}


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("columns", [["sex"], ["sex", "age"], ["sex", "age", "site", "date"]])
def test_classes_are_those_of_a_slow_count(columns, linked):
    for seed in range(3):
        table = some_table(seed)
        found = Coded.of(table, columns, "patient_id")
        sizes = dict(zip(found.patients, found.classes(linked=linked).tolist(), strict=True))
        assert sizes == slow_classes(table, columns, linked=linked)


def test_so_many_values_that_their_product_overflows_are_numbered_anew(monkeypatch):
    table = some_table(4)
    columns = ["sex", "age", "site", "date"]
    whole = Coded.of(table, columns, "patient_id").classes(linked=False)
    monkeypatch.setattr(alike, "LARGEST", 10)
    assert Coded.of(table, columns, "patient_id").classes(linked=False).tolist() == whole.tolist()


def test_who_shares_all_visits_shares_each_of_them():
    found = Coded.of(some_table(5), ["sex", "age"], "patient_id")
    assert (found.classes(linked=True) <= found.classes(linked=False)).all()


def test_without_patients_every_row_is_one():
    table = pl.DataFrame({"sex": ["F", "F", "M"]})
    assert Coded.of(table, ["sex"], None).classes(linked=False).tolist() == [2, 2, 1]


def test_a_missing_value_is_a_value_and_so_is_no_number():
    assert coded(pl.Series([None, 1.0, None, float("nan"), float("nan")])).tolist() == [0, 1, 0, 2, 2]


def test_a_population_is_counted_by_people_whatever_the_columns_were_read_as():
    table = pl.DataFrame({"patient_id": ["a", "a", "b"], "age": [60, 61, 70], "sex": ["F", "F", "M"]})
    people = pl.DataFrame(
        {"patient_id": ["x", "x", "y", "z"], "age": ["60", "60", "61", "60"], "sex": ["F", "F", "F", "F"]}
    )
    assert classes_in(people, table, ["age", "sex"], ("patient_id", "patient_id")).tolist() == [1, 0]
    assert classes_in(people, table, ["age", "sex"], (None, "patient_id")).tolist() == [1, 0]
    assert classes_in(people, table, ["sex"], ("patient_id", "patient_id")).tolist() == [3, 0]


# Which columns are counted


def records(**more: object) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "record_id": ["1", "2"],
            "patient_id": ["a", "b"],
            "split": ["train", "test"],
            "sex": ["F", "M"],
            "label_edema": [0, 1],
            "report": ["x", "y"],
            "empty": pl.Series([None, None], dtype=pl.String),
            "vector": [[0.1], [0.2]],
            **more,
        }
    )


def test_columns_find_their_roles():
    found = roles_of(records(ward=["w", "w"]))
    assert (found.known, found.findings, found.direct) == (("sex",), ("label_edema",), ("record_id", "patient_id"))
    assert (set(found.silent), set(found.apart)) == ({"empty", "ward"}, {"report", "vector"})


def test_columns_that_are_asked_for_are_the_ones():
    found = roles_of(records(), ["sex", "label_edema"])
    assert (found.known, found.findings) == (("sex", "label_edema"), ())


def test_what_cannot_be_counted_is_refused():
    with pytest.raises(ConfigError, match="did you mean 'sex'"):
        roles_of(records(), ["sexx"])
    with pytest.raises(ConfigError, match="an id singles out everybody"):
        roles_of(records(), ["patient_id"])
    with pytest.raises(DataError, match="no column tells patients apart"):
        roles_of(records().drop("sex"))
    with pytest.raises(DataError, match="no column tells patients apart"):
        roles_of(records(), ["empty"])
