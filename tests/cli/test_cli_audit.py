"""``leadapron audit linkage`` and what follows it, through the real command line."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from command_line import run
from leadapron.release import Release, write_release
from leadapron.results import read_results
from leadapron.results.selection import select
from linkage_data import planted


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit") / "release"
    labels = {"label_edema": np.tile([1, 0, 0], 150), "sex": np.repeat(["F", "M"], 225)}
    write_release(planted(0.3, patients=150, split=["test"] * 300 + ["train"] * 150, **labels), folder)
    return folder


def test_the_whole_way_to_the_verdict(release, tmp_path):
    out = tmp_path / "audit"
    done = run("audit", "linkage", release, "--out", out, "--pool", 100, "--attacker", "cosine", "--attacker", "csls")
    assert done.code == 0, done.err
    results = read_results(out)
    assert {row.attacker for row in results.estimates} == {"cosine", "csls"}
    assert {row.pool for row in results.estimates if row.protocol == "random"} == {100, 450}
    assert set(results.inputs.sha256) == {"image.npy", "text.npy", "records.parquet"}
    assert results.timings["ranking"] > 0
    assert "results.json" in done.out
    page = (out / "report.html").read_text()
    assert "p17" not in page  # no patient's id

    again = run("report", out, "--output", tmp_path / "again.html")
    assert again.code == 0
    assert (tmp_path / "again.html").read_text() == page

    policy = tmp_path / "policy.toml"
    policy.write_text(
        """format = 2
title = "mine"
[[require]]
id = "linkage"
attack = "linkage"
direction = "image-to-report"
protocol = "random"
pool = 100
metric = "recall@1"
at_most = 0.9
why = "a test"
source = "a test"
"""
    )
    assert run("gate", out, "--policy", policy).code == 0
    policy.write_text(policy.read_text().replace("0.9", "0.01"))
    assert run("gate", out, "--policy", policy).code == 1
    policy.write_text(policy.read_text().replace("pool = 100", "pool = 77"))
    assert run("gate", out, "--policy", policy).code == 3
    assert run("compare", out, out).code == 0


def test_a_split_may_be_audited_alone(release, tmp_path):
    assert (
        run("audit", "linkage", release, "--out", tmp_path / "a", "--split", "test", "--attacker", "cosine").code == 0
    )
    assert read_results(tmp_path / "a").counts["records"] == 300
    nobody = run("audit", "linkage", release, "--out", tmp_path / "b", "--split", "validate")
    assert nobody.code == 2
    assert "validate" in nobody.err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--pool", 451), "2 to 450"),
        (("--pool", 1), "2 to 450"),
        (("--hard-pool", 1000), "2 to 450"),
        (("--known-pairs", 0.9), "below 0.5"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_one_paragraph(release, tmp_path, options, said):
    done = run("audit", "linkage", release, "--out", tmp_path / "out", *options)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert not (tmp_path / "out").exists()
    assert not list(tmp_path.glob(".*"))


def broken(name, image, text, records):
    if name == "widths":
        text = text[:, :5].copy()
    elif name == "zero":
        image[3] = 0
    elif name == "nan":
        text[4, 1] = np.nan
    elif name == "one":
        image, text, records = image[:1], text[:1], records[:1]
    elif name == "rows":
        text = text[:-1]
    return image, text, records


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("widths", "dimensions"),
        ("zero", "row 3"),
        ("nan", "row 4"),
        ("one", "two records"),
        ("rows", "row counts differ"),
    ],
)
def test_a_broken_release_is_refused_in_one_paragraph(tmp_path, name, said):
    sound = planted(0, patients=20)
    image, text, records = broken(name, sound.image.copy(), sound.text.copy(), sound.records)
    ids = {column: records[column].to_numpy().astype(str) for column in records.columns}
    np.savez(tmp_path / "theirs.npz", image=image, text=text, **ids)
    done = run("audit", "linkage", tmp_path / "theirs.npz", "--out", tmp_path / "out")
    assert done.code == 2
    assert said in done.err
    assert not (tmp_path / "out").exists()


def test_labels_are_needed_for_a_matched_pool_that_is_asked_for(tmp_path):
    write_release(planted(0, patients=50), tmp_path / "release")
    done = run("audit", "linkage", tmp_path / "release", "--out", tmp_path / "out", "--hard-pool", 50)
    assert done.code == 2
    assert "needs labels" in done.err


def test_without_patients_the_report_says_so(tmp_path):
    sound = planted(0.2, patients=100)
    write_release(Release(sound.records.drop("patient_id"), sound.arrays), tmp_path / "release")
    assert run("audit", "linkage", tmp_path / "release", "--out", tmp_path / "out", "--attacker", "cosine").code == 0
    assert "names no patients" in (tmp_path / "out" / "report.html").read_text()


def test_the_results_hold_no_text_and_the_evidence_is_guarded(release, tmp_path):
    out = tmp_path / "audit"
    run("audit", "linkage", release, "--out", out, "--attacker", "cosine")
    assert json.loads((out / "results.json").read_text())["format"] == 2
    curve = out / "evidence" / "curve.parquet"
    pl.read_parquet(curve).with_columns(recall=pl.lit(0.0)).write_parquet(curve)
    done = run("report", out, "--output", tmp_path / "x.html")
    assert done.code == 2
    assert "evidence" in done.err


def test_the_attacker_may_know_the_pairs_of_another_split(release, tmp_path):
    out = tmp_path / "a"
    done = run("audit", "linkage", release, "--out", out, "--split", "test", "--known-split", "train")
    assert done.code == 0, done.err
    results = read_results(out)
    assert (results.config["split"], results.config["known_split"]) == ("test", "train")
    judged = {row.n for row in select(results, metric="recall@1")}
    assert judged == {300}  # nobody is held out
    for split in ((), ("--split", "train")):
        refused = run("audit", "linkage", release, "--out", tmp_path / "b", "--known-split", "train", *split)
        assert refused.code == 2
        assert "different splits" in refused.err


def test_an_interrupted_page_leaves_no_results_without_one(release, tmp_path, monkeypatch):
    def interrupted(_results, _folder):
        raise KeyboardInterrupt

    monkeypatch.setattr("leadapron.audits.presenting.write_page", interrupted)
    done = run("audit", "linkage", release, "--out", tmp_path / "audit", "--pool", 100, "--attacker", "cosine")
    assert done.code == 130
    assert not list(tmp_path.iterdir())
