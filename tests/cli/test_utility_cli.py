"""``leadapron utility`` through the real command line, and what it writes."""

from __future__ import annotations

import numpy as np
import pytest

from command_line import everything_in, refusal, run
from leadapron.release import write_release
from leadapron.results import read_results
from leadapron.uses import measure_utility
from utility_releases import made, with_labels


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("utility") / "release"
    write_release(made(1.5), folder)
    return folder


def test_the_whole_way(release, tmp_path):
    out = tmp_path / "out"
    done = run("utility", "release", release, "--out", out)
    assert done.code == 0, done.err
    assert "AUROC, mean over findings" in done.out
    assert "(jaccard@10)" in done.out
    assert "This rests on 96 radiographs of 48 patients (split test)." in done.out
    assert str(out / "results.json") in done.out
    saved, measured = read_results(out), measure_utility(made(1.5))
    assert saved.estimates == measured.estimates
    assert saved.outcomes == measured.outcomes
    assert saved.seed == 0
    assert saved.config["resample"] == "patient"
    assert set(saved.inputs.sha256) >= {"image.npy", "text.npy", "prompts.text.npy", "records.parquet"}
    assert {"numpy", "scipy", "numba", "polars", "python"} <= set(saved.versions)
    assert everything_in(out) == {
        ".leadapron", "results.json", "report.html", "evidence", "evidence/records.parquet",
        "evidence/strengths.parquet",
    }  # fmt: skip


def test_the_old_form_runs_and_names_the_new_one(release, tmp_path):
    done = run("utility", release, "--strength", 0.25, "--out", tmp_path / "out")
    assert done.code == 0, done.err
    assert "is now called `utility release RELEASE`" in done.err


def test_options_reach_the_measurement(release, tmp_path):
    out = tmp_path / "out"
    asked = ("--resample", "record", "--seed", 7, "--strength", 0.25)
    assert run("utility", "release", release, "--out", out, *asked).code == 0
    saved = read_results(out)
    assert (saved.config["resample"], saved.config["seed"], saved.config["strengths"]) == ("record", 7, [0.25])
    assert saved.details["strength"] == 0.25
    assert "exists already" in refusal("utility", "release", release, "--out", out)
    assert run("utility", "release", release, "--out", out, "--overwrite").code == 0
    assert read_results(out).config["seed"] == 0


def test_bad_input_is_one_paragraph(release, tmp_path):
    below = run("utility", "release", release, "--out", tmp_path / "out", "--strength", -1)
    assert (below.code, "-1.0 is not in the range x>0" in below.err) == (2, True)
    assert "there is no release here" in refusal("utility", "release", tmp_path, "--out", tmp_path / "out")
    one_class = with_labels(made(), lambda _, column: np.zeros_like(column))
    write_release(one_class, tmp_path / "one-class")
    assert "both classes" in refusal("utility", "release", tmp_path / "one-class", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert "remove the input" in refusal("utility", "release", release, "--out", release, "--overwrite")
