"""Who is in the tail: the published test, and one that knows that a patient's records go together."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats

from leadapron.attacks.membership import tail as module
from leadapron.attacks.membership.tail import in_tail, tail_groups


@pytest.fixture(autouse=True)
def fewer_permutations(monkeypatch):
    monkeypatch.setattr(module, "PERMUTATIONS", 199)


def test_the_tail_is_the_top_hundredth_with_those_tied():
    risk = np.arange(1000.0)
    assert in_tail(risk).sum() == 10
    risk[985:] = 985.0
    assert in_tail(risk).sum() == 15


def test_residuals_and_chi_square_are_those_of_the_counts():
    rng = np.random.default_rng(0)
    patient = np.arange(4000)
    sex = rng.choice(["F", "M", None], 4000, p=[0.3, 0.6, 0.1])
    tail = np.zeros(4000, dtype=bool)
    tail[:60] = True
    found = tail_groups(pl.DataFrame({"sex": sex}), patient, tail, seed=0)
    known = np.array([kind is not None for kind in sex])
    observed = np.array([((sex == kind) & tail).sum() for kind in ("F", "M")])
    share = np.array([(sex == kind).sum() for kind in ("F", "M")]) / known.sum()
    expected = observed.sum() * share
    scipys = stats.chisquare(observed, expected)
    assert found.tests[0].statistic == pytest.approx(scipys.statistic)
    assert found.table["p_chi_square"][0] == pytest.approx(scipys.pvalue)
    np.testing.assert_allclose(found.table["residual"], (observed - expected) / np.sqrt(expected))
    adjusted = (observed - expected) / np.sqrt(expected * (1 - share))
    np.testing.assert_allclose(found.table["adjusted_residual"], adjusted)


def clustered(seed):
    """Ten records a patient, in the tail all together or not at all; groups have nothing to do with it."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(300), 10)
    tail = (rng.random(300) < 0.03)[patient]
    tail[0] = True
    return pl.DataFrame({"sex": np.where(rng.random(300) < 0.5, "F", "M")[patient]}), patient, tail


def test_patients_as_units_keep_the_level_where_records_as_units_do_not():
    found = [tail_groups(*clustered(seed), seed=seed) for seed in range(150)]
    permuted = np.array([one.tests[0].p for one in found])
    published = np.array([one.table["p_chi_square"][0] for one in found])
    assert (published < 0.05).mean() > 0.3
    assert (permuted < 0.05).mean() < 0.10
    assert 0.35 < permuted.mean() < 0.65


def test_a_group_that_is_exposed_is_found_and_findings_are_tested_one_by_one():
    rng = np.random.default_rng(3)
    patient = np.repeat(np.arange(1500), 2)
    rare = (rng.random(1500) < 0.1)[patient]
    risk = rng.normal(size=3000) + 1.5 * rare
    table = pl.DataFrame(
        {
            "race": np.where(rare, "rare", "common"),
            "label_edema": rng.integers(0, 2, 3000),
            "label_fracture": rng.integers(0, 2, 3000),
        }
    )
    found = tail_groups(table, patient, in_tail(risk), seed=0)
    tests = {test.attribute: test for test in found.tests}
    assert set(tests) == {"race", "label_edema", "label_fracture"}
    assert tests["race"].p == pytest.approx(1 / 200)
    assert tests["race"].p_adjusted == pytest.approx(3 / 200)
    exposed = found.table.filter((pl.col("attribute") == "race") & (pl.col("group") == "rare"))
    assert exposed["residual"][0] > 4
    assert exposed["p_chi_square_bonferroni"][0] == pytest.approx(min(1, 3 * exposed["p_chi_square"][0]))


def test_a_table_without_attributes_has_no_tests():
    found = tail_groups(pl.DataFrame({"patient_id": ["a", "b"]}), np.arange(2), np.array([True, False]), seed=0)
    assert found.tests == ()
    assert found.table.height == 0
