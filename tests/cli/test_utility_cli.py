"""``leadapron utility`` through the real command line, what it writes, and what it does not show."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from command_line import everything_in, refusal, run
from leadapron.errors import DataError
from leadapron.release import write_release
from leadapron.utility import as_table, compare_utility, measure_utility, read_utility, withheld_labels
from utility_releases import made, with_labels


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("utility") / "release"
    write_release(made(1.5), folder)
    return folder


def test_the_whole_way(release, tmp_path):
    out = tmp_path / "out"
    done = run("utility", release, "--out", out)
    assert done.code == 0, done.err
    assert "mean auroc" in done.out
    assert "label retrieval" in done.out
    assert "This rests on 96 records of 48 patients (split test)." in done.out
    assert str(out / "utility.json") in done.out
    content = json.loads((out / "utility.json").read_text())
    assert content["format"] == 1
    assert content["seed"] == 0
    assert content["config"]["resample"] == "patient"
    assert set(content["inputs"]["sha256"]) >= {"image.npy", "text.npy", "prompts.text.npy", "records.parquet"}
    assert {"numpy", "scipy", "numba", "polars", "python"} <= set(content["versions"])
    assert everything_in(out) == {
        ".leadapron", "utility.json", "evidence", "evidence/records.parquet", "evidence/strengths.parquet"
    }  # fmt: skip
    assert "p00" not in (out / "utility.json").read_text()  # no patient's id outside of the evidence


def test_what_is_read_is_what_was_measured(release, tmp_path):
    run("utility", release, "--out", tmp_path / "out")
    saved = read_utility(tmp_path / "out")
    measured = measure_utility(made(1.5))
    assert saved.estimates == measured.estimates
    assert saved.outcomes == measured.outcomes
    assert saved.config == measured.config
    assert saved.facts == measured.facts
    assert all(saved.evidence[name].equals(table) for name, table in measured.evidence.items())
    assert saved.card["inputs"]["release"] == "release"
    assert as_table(saved) == as_table(measured)
    assert all(change.p == 1 for change in compare_utility(measured, read_utility(tmp_path / "out" / "utility.json")))


def test_nothing_is_written_unless_asked(release, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("utility", release).code == 0
    assert list(tmp_path.iterdir()) == []


def test_options_reach_the_measurement(release, tmp_path):
    out = tmp_path / "out"
    assert run("utility", release, "--out", out, "--resample", "record", "--seed", 7, "--strength", 0.25).code == 0
    saved = read_utility(out)
    assert (saved.config.resample, saved.config.seed, saved.config.strengths) == ("record", 7, (0.25,))
    assert saved.facts["strength"] == 0.25
    assert "exists already" in refusal("utility", release, "--out", out)
    assert run("utility", release, "--out", out, "--overwrite").code == 0
    assert read_utility(out).config.seed == 0


def test_bad_input_is_one_paragraph(release, tmp_path):
    assert "above 0" in refusal("utility", release, "--strength", -1)
    assert "there is no release here" in refusal("utility", tmp_path)
    one_class = with_labels(made(), lambda _, column: np.zeros_like(column))
    write_release(one_class, tmp_path / "one-class")
    assert "both classes" in refusal("utility", tmp_path / "one-class", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert "remove the input" in refusal("utility", release, "--out", release, "--overwrite")


def written(release, tmp_path):
    run("utility", release, "--out", tmp_path / "out")
    return tmp_path / "out"


def test_evidence_that_was_changed_is_refused(release, tmp_path):
    out = written(release, tmp_path)
    table = out / "evidence" / "strengths.parquet"
    pl.read_parquet(table).with_columns(strength=pl.lit(0.0)).write_parquet(table)
    with pytest.raises(DataError, match="not the one"):
        read_utility(out)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: content | {"format": 2}, "unknown format"),
        (lambda content: {name: value for name, value in content.items() if name != "estimates"}, "'estimates'"),
        (lambda content: content | {"estimates": [{"metric": "auroc"}]}, "an entry"),
        (lambda content: content | {"outcomes": [{"check": "a", "outcome": "good", "reason": ""}]}, "unknown outcome"),
        (lambda content: content | {"config": {"seed": 0}}, "an entry"),
        (lambda _: [1], "unknown format"),
    ],
)
def test_a_file_that_is_not_a_utility_is_refused(release, tmp_path, change, said):
    file = written(release, tmp_path) / "utility.json"
    file.write_text(json.dumps(change(json.loads(file.read_text()))))
    with pytest.raises(DataError, match=said):
        read_utility(file)


def test_a_file_that_is_not_json_is_refused(tmp_path):
    (tmp_path / "utility.json").write_text('{"format": NaN}')
    with pytest.raises(DataError, match="NaN"):
        read_utility(tmp_path)
    with pytest.raises(DataError, match="cannot be read"):
        read_utility(tmp_path / "nowhere.json")


def sized(utility, sizes):
    """The same figures, with classes of these sizes."""
    rows = [replace(row, smallest_class=sizes.get(row.label, 40)) if row.label else row for row in utility.estimates]
    return replace(utility, estimates=tuple(rows))


def line_of(table, label):
    return next(line for line in table.splitlines() if line.startswith(label))


def test_small_cells_are_withheld_and_so_is_what_would_give_one_away():
    utility = measure_utility(made(1.5))
    assert withheld_labels(sized(utility, {}).estimates) == set()
    assert withheld_labels(sized(utility, {"edema": 10}).estimates) == set()
    two = sized(utility, {"edema": 9, "fracture": 0})
    assert withheld_labels(two.estimates) == {"edema", "fracture"}
    # one alone is the mean over all labels less the others
    one = sized(utility, {"edema": 3, "pneumonia": 12})
    assert withheld_labels(one.estimates) == {"edema", "pneumonia"}
    table = as_table(one)
    assert line_of(table, "edema").split() == ["edema", "withheld"]
    assert line_of(table, "pneumonia").split() == ["pneumonia", "withheld"]
    assert "withheld" not in line_of(table, "fracture")
    assert "Withheld: fewer than 10 patients" in table
    assert "ithheld" not in as_table(sized(utility, {}))
    assert withheld_labels(compare_utility(utility, utility)) == withheld_labels(utility.estimates)
