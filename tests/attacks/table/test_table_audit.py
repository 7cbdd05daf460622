"""The table audit from end to end: counts, controls, pages, subjects of every kind, and bad input."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import leadapron as la
from command_line import refusal, run
from leadapron.attacks.table.table_controls import NULL, PLANTED
from leadapron.errors import ConfigError, DataError

PATIENTS = 60


def table(seed: int = 0, patients: int = PATIENTS) -> pl.DataFrame:
    """Two visits a patient, a day each that nobody shares, and a secret name for everybody."""
    rng = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "record_id": [f"r{number}" for number in range(2 * patients)],
            "patient_id": [f"secret-{number // 2}" for number in range(2 * patients)],
            "sex": np.repeat(rng.choice(["F", "M"], patients), 2),
            "age": np.repeat(rng.integers(30, 33, patients), 2),
            "date": pl.Series(rng.permutation(2 * patients) + 16000).cast(pl.Date),
            "label_edema": rng.integers(0, 2, 2 * patients),
        }
    )


def release_of(records: pl.DataFrame) -> la.Release:
    vectors = np.random.default_rng(1).normal(size=(len(records), 4))
    return la.Release.of(image=vectors, text=vectors, **records.to_dict(as_series=True))


@pytest.fixture(scope="module")
def risk():
    return la.audit(release_of(table()), "table")


def numbers(results: la.api.Results, attacker: str) -> dict[str, float]:
    return {row.metric: row.value for row in results.estimates if row.attacker == attacker and row.group is None}


def test_days_that_nobody_shares_single_out_everybody(risk):
    assert risk.headline.metric == "unique"
    assert risk.headline.attacker == "all-visits"
    assert (risk.headline.value, risk.headline.low, risk.headline.high) == (1.0, 1.0, 1.0)
    assert numbers(risk, "one-visit")["risk-max"] == numbers(risk, "all-visits")["risk-mean"] == 1.0
    assert risk.details["singles"][0] == {"column": "date", "alone": PATIENTS}
    assert "no other patient has the same sex, age and date in all visits" in repr(risk)


def test_numbers_are_those_of_a_count_by_hand():
    records = table().drop("date")
    found = numbers(la.audit(release_of(records), "table"), "all-visits")
    firsts = records.group_by("patient_id").agg(pl.first("sex"), pl.first("age"))
    sizes = np.array([firsts.filter(sex=sex, age=age).height for _, sex, age in firsts.iter_rows()])
    assert found["unique"] == (sizes == 1).mean()
    assert found["small-cells@k=5"] == (sizes < 5).mean()
    assert found["small-cells@k=11"] == (sizes < 11).mean()
    assert found["risk-max"] == 1 / sizes.min()
    assert found["risk-mean"] == pytest.approx((1 / sizes).mean())


def test_findings_are_counted_beside_and_columns_can_be_chosen():
    release = release_of(table())
    found = numbers(la.audit(release, "table", columns=("sex,age",)), "all-visits")
    assert found["unique-with-findings"] > found["unique"] == 0
    asked = la.audit(release, "table", columns=("sex", "label_edema"))
    assert asked.details["roles"]["known"] == ("sex", "label_edema")


def test_controls_hold_and_vouch(risk):
    outcomes = {row.check: row for row in risk.outcomes}
    assert outcomes[NULL].outcome == outcomes[PLANTED].outcome == "pass"
    assert set(outcomes[NULL].attackers) == set(outcomes[PLANTED].attackers) == {"all-visits", "one-visit"}
    assert outcomes["ids in the table"].outcome == "warn"


def test_an_audit_that_counts_wrongly_fails_its_controls(monkeypatch):
    from leadapron.tables.alike import Coded

    right = Coded.classes
    monkeypatch.setattr(Coded, "classes", lambda *given, **how: np.maximum(right(*given, **how), 2))
    found = la.audit(release_of(table()), "table")
    assert {row.check: row.outcome for row in found.outcomes}[PLANTED] == "error"


def test_advice_is_followed_by_the_defence_and_confirmed():
    release = release_of(table())
    advice = la.audit(release, "table", reach=5).details["advice"]
    after = la.defend(release, "table", k=5)
    assert advice["reached"]
    assert {step["column"] for step in advice["steps"]} == {*after.card["defence"]["facts"]["forms"]}
    found = numbers(la.audit(after, "table"), "all-visits")
    assert (found["unique"], found["small-cells@k=5"]) == (0, 0)


def test_before_and_after_are_compared_patient_by_patient(risk):
    after = la.audit(la.defend(release_of(table()), "table", k=5), "table")
    change = la.compare(risk, after)
    assert "The risk is lower" in repr(change)
    assert (change.paired[0].found.before, change.paired[0].found.after) == (1.0, 0.0)


def test_the_page_names_nobody(risk, tmp_path):
    risk.save(tmp_path / "audit")
    page = (tmp_path / "audit" / "report.html").read_text()
    assert "secret-" not in page
    assert "Quasi-identifier" in page
    assert "What one change alone would do" in page


def test_a_population_tells_who_stands_alone_in_town(tmp_path):
    records = table().drop("date")
    town = pl.concat([records] * 2).with_columns(patient_id=pl.int_range(4 * PATIENTS).cast(pl.String))
    town.write_csv(tmp_path / "town.csv")
    found = la.audit(release_of(records), "table", population=tmp_path / "town.csv")
    counted = numbers(found, "one-visit")
    assert counted["population-risk-max"] == pytest.approx(counted["risk-max"] / 4)
    assert {row.check: row.outcome for row in found.outcomes}["patients are in the population"] == "pass"
    assert found.config["population"] == "town.csv"
    town.filter(pl.col("sex") == "F").write_csv(tmp_path / "half.csv")
    half = la.audit(release_of(records), "table", population=tmp_path / "half.csv")
    assert {row.check: row.outcome for row in half.outcomes}["patients are in the population"] == "error"


def test_a_release_without_patients_is_counted_by_rows():
    found = la.audit(release_of(table().drop("patient_id")), "table")
    assert not found.patients_named
    assert found.headline.n == 2 * PATIENTS
    assert "Of 1,000 rows" in repr(found)


# The command line


def test_files_of_every_kind_give_the_same_numbers(tmp_path, small_clinic_folder):
    records = table()
    records.write_csv(tmp_path / "table.csv")
    records.rename({"patient_id": "mrn"}).write_parquet(tmp_path / "table.parquet")
    la.write_release(release_of(records), tmp_path / "release")
    given = {"table.csv": (), "table.parquet": ("--patient", "mrn"), "release": ()}
    for name, more in given.items():
        assert run("audit", "table", tmp_path / name, "--out", tmp_path / f"{name}-audit", *more).code == 0
    found = [la.read_results(tmp_path / f"{name}-audit") for name in given]
    assert len({str(numbers(one, "all-visits")) for one in found}) == 1
    assert [one.inputs.subject.kind for one in found] == ["table", "table", "release"]
    assert run("audit", "table", small_clinic_folder, "--out", tmp_path / "cohort-audit").code == 0
    cohort = la.read_results(tmp_path / "cohort-audit")
    assert cohort.inputs.subject.kind == "cohort"
    assert "report" in cohort.details["roles"]["apart"]


def test_the_gate_judges_it_with_other_audits_of_the_release(risk):
    assert {one.id: one.outcome for one in la.gate(risk).judgements}["patients-who-stand-alone"] == "fail"
    after = la.audit(la.defend(release_of(table()), "table", k=11), "table")
    judged = {one.id: one.outcome for one in la.gate(after).judgements}
    assert judged["patients-who-stand-alone"] == judged["patients-in-small-classes"] == "pass"


def test_bad_input_is_named(tmp_path):
    table().drop("patient_id").write_csv(tmp_path / "nobody.csv")
    said = refusal("audit", "table", tmp_path / "nobody.csv", "--out", tmp_path / "x")
    assert "no column says whose the rows are" in said
    assert "--patient COLUMN" in said
    table().write_csv(tmp_path / "table.csv")
    given = ("audit", "table", tmp_path / "table.csv", "--out", tmp_path / "x")
    assert "did you mean 'sex'?" in refusal(*given, "--columns", "sx")
    assert "no column says whose the rows are; got 'mrn'" in refusal(*given, "--patient", "mrn")
    table().drop("age").write_csv(tmp_path / "town.csv")
    assert "the population lacks a column; got 'age'" in refusal(*given, "--population", tmp_path / "town.csv")
    assert "there is no such table" in refusal(*given, "--population", tmp_path / "nowhere.csv")
    assert "no class is that small; got 1" in refusal(*given, "--k", 1)
    table().with_columns(patient_id=pl.lit(None, pl.String)).write_parquet(tmp_path / "gaps.parquet")
    assert "the column of patients is empty in row 0" in refusal(
        "audit", "table", tmp_path / "gaps.parquet", "--out", tmp_path / "x"
    )
    (tmp_path / "broken.parquet").write_text("no table")
    assert "cannot be read as parquet" in refusal(
        "audit", "table", tmp_path / "broken.parquet", "--out", tmp_path / "x"
    )
    assert not (tmp_path / "x").exists()


def test_columns_without_any_value_tell_nothing():
    records = table().select("patient_id", "sex").with_columns(ward=pl.lit(None, pl.String))
    found = la.audit(release_of(records), "table")
    assert found.details["roles"]["silent"] == ("ward",)
    with pytest.raises(DataError, match="the release holds no table"):
        la.audit(release_of(records.drop("sex")), "table")
    with pytest.raises(ConfigError, match="an id singles out everybody"):
        la.audit(release_of(records), "table", columns=("patient_id",))


@pytest.mark.parametrize("patients", [1, 2, 3])
def test_a_handful_of_patients_is_counted_and_not_told(patients):
    found = la.audit(release_of(table(patients=patients)), "table")
    assert found.headline.value == 1
    assert found.counts["patients"] is None
    assert "fewer than 10 patients" in repr(found)
