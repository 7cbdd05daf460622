"""The defence of a table: what it promises is counted again, and everything else stays as it was."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import leadapron as la
from command_line import refusal, run
from leadapron.cohort import read_cohort
from leadapron.defences.table.blanking import left_empty, too_rare
from leadapron.errors import ConfigError
from leadapron.tables.alike import Coded, coded


def clinic(seed: int = 0, patients: int = 90) -> la.Release:
    """Two visits each, days that nobody shares, and a ward that one patient has alone."""
    rng = np.random.default_rng(seed)
    rows = 2 * patients
    ward = rng.choice(["a", "b"], rows).tolist()
    ward[0] = "the only one"
    return la.Release.of(
        image=rng.normal(size=(rows, 4)),
        text=rng.normal(size=(rows, 4)),
        patient=np.arange(rows) // 2,
        split=np.repeat(["train", "validate", "test"], rows // 3),
        sex=np.repeat(rng.choice(["F", "M"], patients), 2),
        age=np.repeat(rng.integers(20, 99, patients), 2),
        ward=ward,
        date=pl.Series(rng.permutation(rows) + 16000).cast(pl.Date),
        label_edema=rng.integers(0, 2, rows),
    )


def smallest(release: la.Release, columns: list[str], *, linked: bool = True) -> int:
    return int(Coded.of(release.records, columns, "patient_id").classes(linked=linked).min())


@pytest.mark.parametrize("one_visit", [False, True])
@pytest.mark.parametrize("k", [3, 8])
def test_every_patient_looks_like_k_as_the_card_promises(k, one_visit):
    before = clinic()
    after = la.defend(before, "table", k=k, one_visit=one_visit)
    card = after.card["defence"]
    assert card["guarantee"]["kind"] == "k-anonymity"
    assert card["strength"] == k
    columns = card["guarantee"]["details"]["columns"]
    assert set(columns) == set(after.records.columns) & {"sex", "age", "ward", "date"}
    assert smallest(after, columns, linked=not one_visit) >= k
    for name in ("record_id", "patient_id", "split", "label_edema"):
        assert after.records[name].equals(before.records[name])
    assert all((after.arrays[name] == before.arrays[name]).all() for name in before.arrays)


def test_strength_costs_columns():
    kept = [len(la.defend(clinic(), "table", k=k).card["defence"]["guarantee"]["details"]["columns"]) for k in (2, 40)]
    assert kept[0] > kept[1]


def test_forms_are_at_least_as_coarse_as_asked_and_columns_can_be_held():
    after = la.defend(clinic(), "table", k=2, dates="drop", age_band=20, drop=("ward",), keep=("sex",), blank=0.5)
    assert set(after.records.columns) & {"ward", "date"} == set()
    assert set(after.records["age"].drop_nulls()) <= {0, 20, 40, 60, 80, 90}
    assert set(after.records["sex"].drop_nulls()) == {"F", "M"}
    with pytest.raises(ConfigError, match="no such band"):
        la.defend(clinic(), "table", age_band=7)


def test_what_cannot_be_reached_is_not_promised():
    after = la.defend(clinic(), "table", k=5, keep=("date",), blank=0.0)
    guarantee = after.card["defence"]["guarantee"]
    assert guarantee["kind"] == "none"
    assert "100.0% of the patients still look like fewer than 5" in guarantee["statement"]
    assert after.records["date"].equals(clinic().records["date"])


def test_those_who_are_left_empty_are_as_many_as_a_class():
    records = pl.DataFrame({"patient_id": [str(n) for n in range(21)], "sex": ["F"] * 10 + ["M"] * 9 + ["X", "Y"]})
    chosen = too_rare(records, ["sex"], np.arange(21), 5, linked=True)
    assert chosen[-2:].all()
    assert chosen.sum() == 5  # two would be known as the two that were left empty: three of the largest class join
    after = left_empty(records, ["sex"], chosen)
    assert after["sex"].value_counts().sort("count")["count"].to_list() == [5, 7, 9]


def test_leaving_a_patient_out_may_make_another_class_too_small():
    """One visit each of six patients is a class of six, until one of them is left out for another visit."""
    rows = [(str(n), "a") for n in range(6)] + [("5", "rare")] + [(str(n), "b") for n in range(6, 12)]
    records = pl.DataFrame(rows, schema=["patient_id", "ward"], orient="row")
    whose = coded(records["patient_id"])
    chosen = too_rare(records, ["ward"], whose, 6, linked=False)
    assert chosen[:6].all()
    after = left_empty(records, ["ward"], chosen[whose])
    assert Coded.of(after, ["ward"], "patient_id").classes(linked=False).min() >= 6


def test_dates_move_by_a_secret_and_keep_their_distances(tmp_path):
    assert run("key", "new", tmp_path / "key").code == 0
    before = clinic()
    after = la.defend(before, "table", k=3, dates="shift", key=tmp_path / "key")
    assert "date" not in after.card["defence"]["guarantee"]["details"]["columns"]
    assert "how far apart they lie is as it was" in after.card["defence"]["guarantee"]["statement"]
    assert str(tmp_path) not in str(after.card)
    moved = (after.records["date"] - before.records["date"]).dt.total_days()
    by_patient = pl.DataFrame({"patient": before.records["patient_id"], "days": moved}).group_by("patient").n_unique()
    assert set(by_patient["days"]) == {1}
    assert moved.n_unique() > 50
    assert (moved.abs() > 390).all()
    again = la.defend(before, "table", k=3, dates="shift", key=tmp_path / "key")
    assert again.records.equals(after.records)
    audited = la.audit(after, "table")
    one = {row.metric: row.value for row in audited.estimates if row.attacker == "one-visit" and row.group is None}
    assert one["unique"] == 0  # the day is nothing that others know
    assert audited.headline.value > 0.5  # the days between two visits are
    with pytest.raises(ConfigError, match="dates are moved by a secret"):
        la.defend(before, "table", dates="shift")


def test_a_cohort_keeps_the_columns_that_it_must_have(tmp_path, small_clinic_folder):
    done = run("defend", "table", small_clinic_folder, "--k", 5, "--out", tmp_path / "coarse")
    assert done.code == 0
    before, after = read_cohort(small_clinic_folder), read_cohort(tmp_path / "coarse")
    assert after.records["report"].equals(before.records["report"])
    assert after.card["defence"]["method"] == "table"
    assert after.records["record_id"].equals(before.records["record_id"])
    assert run("audit", "table", tmp_path / "coarse", "--out", tmp_path / "audit").code == 0
    found = la.read_results(tmp_path / "audit")
    assert found.inputs.defence["method"] == "table"
    assert next(row.value for row in found.estimates if row.metric == "small-cells@k=5") == 0


def test_bad_input_is_named(tmp_path):
    la.write_release(clinic(), tmp_path / "release")
    given = ("defend", "table", tmp_path / "release", "--out", tmp_path / "x")
    assert "did you mean 'ward'?" in refusal(*given, "--drop", "wart")
    assert "not a column to coarsen" in refusal(*given, "--keep", "label_edema")
    assert "no such column" in refusal(*given, "--columns", "mrn")
    with pytest.raises(ConfigError, match="is a defence of a table; got 'str'; allowed: Release or Cohort"):
        la.defend("release", "table")
    assert not (tmp_path / "x").exists()


def test_nothing_but_moved_dates_is_still_counted(tmp_path):
    assert run("key", "new", tmp_path / "key").code == 0
    release = clinic()
    dates = la.defend(
        la.Release.of(image=release.image, **release.records.select("patient_id", "date").to_dict()),
        "table",
        dates="shift",
        key=tmp_path / "key",
    )
    assert "No column is left in the table that others may know" in dates.card["defence"]["guarantee"]["statement"]
    found = la.audit(dates, "table")
    assert {row.outcome for row in found.outcomes if row.check.startswith("null")} == {"pass"}
    assert {row.attacker: row.value for row in found.estimates if row.metric == "unique"}["one-visit"] == 0


def test_more_than_there_are_cannot_look_alike():
    with pytest.raises(ConfigError, match="fewer patients than a group must hold"):
        la.defend(clinic(patients=9), "table", k=11)
