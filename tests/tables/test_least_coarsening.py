"""Coarser forms of columns, and the least of them that reaches a goal, against trying everything."""

from __future__ import annotations

import itertools
from datetime import date

import numpy as np
import polars as pl
import pytest

from leadapron.tables import least_coarsening
from leadapron.tables.alike import Coded, coded
from leadapron.tables.ladders import ladder_of
from leadapron.tables.least_coarsening import Coarsening, _bits


def clinic(seed: int = 0, patients: int = 80) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    rows = 2 * patients
    return pl.DataFrame(
        {
            "patient_id": [f"p{number // 2}" for number in range(rows)],
            "sex": np.repeat(rng.choice(["F", "M"], patients), 2),
            "age": np.repeat(rng.integers(20, 99, patients), 2),
            "ward": rng.choice(["a", "b", "c", "rare"], rows, p=[0.5, 0.3, 0.19, 0.01]),
            "date": pl.Series(rng.integers(15000, 17000, rows)).cast(pl.Date),
        }
    )


def forms(column: pl.Series, k: int = 3) -> dict[str, list[object]]:
    patient = pl.Series(range(len(column)))
    return {rung.name: rung.of(column).to_list() for rung in ladder_of(column, patient, k)}


def test_dates_become_months_years_and_nothing():
    found = forms(pl.Series("date", [date(2012, 2, 4), date(2014, 6, 3), None]))
    assert found["to the year"] == [date(2012, 1, 1), date(2014, 1, 1), None]
    assert found["left out"] == [None, None, None]
    text = forms(pl.Series("day", ["2012-02-04", "2014-06-03"]))
    assert text["to the month"] == ["2012-02-01", "2014-06-01"]


def test_ages_become_bands_and_the_oldest_are_one():
    found = forms(pl.Series("age", [64, 69, 90, 97, None], dtype=pl.Int16))
    assert found["in bands of 10 years, 90 and above together"] == [60, 60, 90, 90, None]


def test_rare_values_are_merged_and_numbers_cut_into_bands():
    ward = pl.Series("ward", ["a"] * 4 + ["b", "c", None])
    assert forms(ward)["with values of fewer than 3 patients merged"] == ["a"] * 4 + ["other", "other", None]
    dose = pl.Series("dose", [float(number) for number in range(40)] + [None])
    quarters = forms(dose)["in quarters"]
    assert quarters[-1] is None
    assert sorted(set(quarters[:-1])) == [0.0, 9.0, 19.0, 29.0]  # each the lower end of its band
    assert all(low <= value for low, value in zip(quarters[:-1], dose[:-1], strict=True))


def test_a_form_that_changes_nothing_is_none():
    assert list(forms(pl.Series("sex", ["F", "M"] * 3))) == ["as it is", "left out"]


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("left", [0.0, 0.1])
def test_the_cheapest_plan_is_that_of_trying_everything(linked, left):
    table = clinic()
    columns = ["sex", "age", "ward", "date"]
    found = Coarsening(table, columns, "patient_id", 5, linked=linked)
    plan = found.least(left)
    assert plan.exact
    assert plan.small <= left

    def cost_and_small(rungs: dict[str, int]) -> tuple[float, float]:
        made = table.with_columns(**{name: found.ladders[name][rung].of(table[name]) for name, rung in rungs.items()})
        sizes = Coded.of(made, columns, "patient_id").classes(linked=linked)
        lost = sum(1 - _bits(coded(made[name])) / _bits(coded(table[name])) for name in columns)
        return lost, float((sizes < 5).mean())

    every = [
        cost_and_small(dict(zip(columns, one, strict=True)))
        for one in itertools.product(*(range(len(found.ladders[name])) for name in columns))
    ]
    assert cost_and_small(dict(plan.rungs))[0] == pytest.approx(min(lost for lost, small in every if small <= left))


def test_of_a_large_table_no_step_can_be_spared(monkeypatch):
    monkeypatch.setattr(least_coarsening, "AFFORDABLE", 0)
    found = Coarsening(clinic(1), ["sex", "age", "ward", "date"], "patient_id", 5, linked=True)
    plan = found.least(0.05)
    assert not plan.exact
    assert plan.small <= 0.05
    for name, rung in plan.rungs.items():
        if rung:
            assert (found.classes({**plan.rungs, name: rung - 1}) < 5).mean() > 0.05


def test_forms_may_be_bounded_on_both_sides():
    found = Coarsening(clinic(2), ["sex", "age", "date"], "patient_id", 5, linked=True)
    plan = found.least(0.0, {"date": 2}, {"age": 1})
    assert plan.rungs["date"] >= 2
    assert plan.rungs["age"] <= 1
    assert plan.small > 0  # the goal is not reached, and that is told


def test_steps_end_where_the_plan_does():
    plan = Coarsening(clinic(3), ["sex", "age", "ward", "date"], "patient_id", 5, linked=False).least(0.05)
    assert plan.steps[-1].small == plan.small
    assert len(plan.steps) == sum(rung > 0 for rung in plan.rungs.values())
