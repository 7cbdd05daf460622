"""The study on two small phantom clinics: a kill costs one step, and its numbers are those of the audits themselves."""

from __future__ import annotations

import re

import polars as pl
import pytest

import study_runs
from command_line import run
from leadapron.cohort import split_by_patient
from leadapron.errors import ConfigError
from leadapron.reproductions import Places, prepare
from leadapron.reproductions.linkage_study import run_steps
from leadapron.reproductions.study_config import AWAY, HOME, TEST, TRAIN, UNDEFENDED
from leadapron.results import read_results
from leadapron.results.selection import only
from study_runs import found

pytestmark = pytest.mark.study

OUTPUT = {"tables.csv", "study.json", "report.html", "report.md", ".leadapron"}


class Killed(BaseException):
    """Not an error that anything would catch."""


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A run that was killed in the middle and went on: its study, table, output, and what stood when it was killed."""
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as patch:
        study_runs.fewer_arms(patch)
        places = Places(folder / "work", patients=study_runs.PATIENTS)
        _, plan = prepare(places, study_runs.SHORT)

        def kill(stage, _done, _total):
            if stage.startswith(f"{AWAY}: link, phantom-biovil"):
                raise Killed

        with pytest.raises(Killed):
            run_steps(plan.steps, kill)
        finished = {step.place: made(step.place) for step in plan.steps if step.done}
        waiting = [step.place for step in plan.steps if not step.done]
        study, rows = study_runs.run_study(places, folder / "out", study_runs.SHORT)
    return study, rows, folder, finished, waiting


def made(place):
    return {path: path.stat().st_mtime_ns for path in place.rglob("*")}


def test_a_killed_study_goes_on_where_it_was(whole):
    _, _, _, finished, waiting = whole
    assert len(finished) == 7
    assert waiting
    assert all(made(place) == before for place, before in finished.items())
    assert all(place.exists() for place in waiting)


def test_the_output_is_four_files(whole):
    _, _, folder, _, _ = whole
    assert {path.name for path in (folder / "out").iterdir()} == OUTPUT


def test_what_was_done_is_not_done_again_and_gives_the_same_table(whole, monkeypatch):
    study, rows, _, _, _ = whole
    study_runs.fewer_arms(monkeypatch)
    again, plan = prepare(Places(study.work, patients=study_runs.PATIENTS), study_runs.SHORT)
    assert all(step.done for step in plan.steps)
    assert plan.seconds == [0.0] * len(plan.steps)
    assert "done" in str(plan)
    assert study_runs.study_tables(again).equals(rows)


def test_a_work_folder_of_other_options_is_refused(whole):
    study, *_ = whole
    other = study_runs.SHORT.model_copy(update={"seed": 1})
    with pytest.raises(ConfigError, match=r"other options.*got 'seed 1'; allowed: seed 0\..*--work"):
        prepare(Places(study.work, patients=study_runs.PATIENTS), other)
    with pytest.raises(ConfigError, match=r"got 'of phantoms of 120 patients'"):
        prepare(Places(study.work, patients=120), study_runs.SHORT)


def test_the_split_is_the_studys_own_and_no_patient_is_on_two_sides(whole):
    """Four fifths and one fifth, a tenth of the training patients held back: the official split plays no part."""
    study, *_ = whole
    for site in (HOME, AWAY):
        records = study.cohorts[site].records
        sides = records.group_by("patient_id").agg(pl.col("split").n_unique())["split"]
        assert (sides == 1).all()
        assert records["split"].equals(split_by_patient(records["patient_id"], study.config.seed))
        assert 0.1 < records.filter(split=TEST)["patient_id"].n_unique() / len(sides) < 0.32
    lines = (study.work / "phantom-mimic-cxr" / "mimic-cxr-2.0.0-split.csv").read_text().splitlines()[1:]
    official = {line.split(",")[0]: line.rsplit(",", 1)[1] for line in lines}
    own = dict(study.cohorts[HOME].records.select("record_id", "split").iter_rows())
    assert own.keys() == official.keys()
    assert own != official


def test_heads_are_trained_at_home_alone(whole):
    study, *_ = whole
    for site, splits in ((HOME, {TRAIN, "validate", TEST}), (AWAY, {TEST})):
        records = pl.read_parquet(study.place(site, study.lineup.heads, "release") / "records.parquet")
        assert set(records["split"]) == splits
        others = pl.read_parquet(study.place(site, "phantom-reports", "release") / "records.parquet")
        assert set(others["split"]) == {TEST}


def test_numbers_are_those_of_the_audits_run_by_hand(whole, tmp_path):
    study, rows, *_ = whole
    arm = study.place(HOME, "replication", "release")
    everybody = found(rows, "3", HOME, "replication")["candidates"]
    options = ("--split", "test", "--known-split", "train", "--headline-pool", everybody)
    assert run("audit", "linkage", arm, *options, "--out", tmp_path / "linkage").code == 0
    by_hand = read_results(tmp_path / "linkage")
    for metric in ("recall@1", "mrr"):
        at = {"metric": metric, "attacker": "cosine", "protocol": "random", "pool": everybody}
        one, row = (
            only(by_hand, direction="image-to-report", **at),
            found(rows, "3", HOME, "replication", metric=metric),
        )
        assert [row["found"], row["found_low"], row["found_high"], row["chance"]] == pytest.approx(
            [100 * number for number in (one.value, one.low, one.high, one.chance)]
        )
    strongest = found(rows, "strongest", HOME, "replication", setting="vectors", pool=str(everybody))
    assert strongest["found"] == pytest.approx(100 * by_hand.headline.value)
    assert run("utility", arm, "--out", tmp_path / "use").code == 0
    use = found(rows, "4", HOME, "replication", setting="macro average", pool="", metric="auroc")
    assert use["found"] == pytest.approx(100 * read_results(tmp_path / "use").headline.value)


def test_changes_are_between_the_rows_that_are_shown(whole):
    _, rows, *_ = whole
    for site in (HOME, AWAY):
        row, old = (found(rows, "3", site, what) for what in ("replication", UNDEFENDED))
        assert row["change"] == pytest.approx(row["found"] - old["found"])
        assert row["change_low"] <= row["change"] <= row["change_high"]
        assert 0 < row["p"] <= 1


def test_every_number_stands_beside_the_printed_one(whole):
    _, rows, *_ = whole
    row = found(rows, "1", HOME, "biovil-t")
    assert (row["published"], row["published_low"], row["published_high"]) == (0.15, 0.117, 0.19)
    assert row["found_low"] <= row["found"] <= row["found_high"]
    assert found(rows, "3", HOME, UNDEFENDED)["found"] == row["found"]
    away = found(rows, "1", AWAY, "biovil-t")
    assert (away["published_candidates"], row["published_candidates"]) == (29_296, 43_793)
    assert away["candidates"] < 500
    assert not set(rows["what"]) & {"clip", "pubmedclip"}
    unmeasured = found(rows, "1", HOME, "biovil-t", pool="10000")
    assert (unmeasured["published"], unmeasured["found"]) == (0.496, None)


def test_the_page_tells_numbers_and_concludes_only_what_they_carry(whole):
    _, rows, folder, *_ = whole
    page = (folder / "out" / "report.md").read_text()
    row = found(rows, "3", HOME, "replication")
    clear = not row["change_low"] <= 0 <= row["change_high"]
    headline = re.search(r"\*\*Among \d+ reports of a phantom clinic.*\*\*", page).group()
    assert f"{row['found']:.3g}" in headline
    assert ("no clear change" in headline) != clear
    assert "phantom-biovil for biovil-t" in page
    assert "197,504 parameters" in page
    assert "\n:\n" not in page
    for number in ("15.440", "43,793", "79.63", "62,094"):
        assert number in page


def test_the_recipe_taken_apart_is_drawn(whole):
    _, _, folder, *_ = whole
    page = (folder / "out" / "report.html").read_text()
    assert '<h3 id="chain">' in page
    assert page.count("<svg") == 1  # no pool that the study had, too, can be filled


def test_the_whole_study_runs_from_the_command_line_and_special_encoders_link_more(tmp_path):
    """The planted order: random weights, words of labels, whole reports."""
    asked = ("--phantom", "--patients", 200, "--entropy-epochs", 20, "--out", tmp_path / "out")
    planned = run("reproduce", "linkage", *asked, "--dry-run")
    assert planned.code == 0
    assert "In all" in planned.out
    assert not (tmp_path / "out").exists()
    outcome = run("reproduce", "linkage", *asked)
    assert outcome.code == 0, outcome.err
    rows = pl.read_csv(tmp_path / "out" / "tables.csv", infer_schema_length=None, schema_overrides={"pool": pl.String})
    rows = rows.with_columns(pl.col("pool", "metric", "setting").fill_null(""))
    assert (tmp_path / "out" / "report.html").read_text().count("<svg") == 2
    linked = [found(rows, "1", HOME, model, pool="100")["found"] for model in ("clip", "pubmedclip", "biomedclip")]
    assert linked == sorted(linked)
    assert linked[-1] > 5 * linked[0]
    everyone = rows.filter(table="taken apart", site=HOME, metric="recall@1", pool="100")["what"].n_unique()
    assert everyone == 6
    again = run("reproduce", "linkage", *asked)
    assert again.code == 2
    assert "the output exists already" in again.err


def test_reports_of_other_patients_are_linked_by_chance(tmp_path, monkeypatch):
    """The null: every study has the report of another patient, and its labels say nothing of its words."""
    data = study_runs.phantoms(tmp_path, 250)[HOME]
    study_runs.shuffle_reports(data)
    _, rows = study_runs.on_data_sets(monkeypatch, Places(tmp_path / "work", data), tmp_path / "out", ("biomedclip",))
    row = found(rows, "1", HOME, "biomedclip", pool="100")
    assert row["found_low"] <= row["chance"] == 1.0 <= row["found_high"]
    assert row["found"] < 3
