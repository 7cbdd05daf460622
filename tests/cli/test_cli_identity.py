"""``leadapron audit identity`` and what follows it, through the real command line."""

from __future__ import annotations

import numpy as np
import pytest

from command_line import everything_in, refusal, run
from identity_data import drawn, release_of
from leadapron.release import Release, write_release
from leadapron.results import read_results


@pytest.fixture(scope="module")
def release(tmp_path_factory):
    image, who = drawn(120, 0.7)
    folder = tmp_path_factory.mktemp("identity") / "release"
    split = np.array(["train", "validate", "test"])[who % 3]
    write_release(release_of(image, who, split=split, sex=np.where(who % 2 == 0, "F", "M")), folder)
    return folder


@pytest.fixture(scope="module")
def audited(release, tmp_path_factory):
    out = tmp_path_factory.mktemp("audited") / "audit"
    done = run("audit", "identity", release, "--out", out, "--pool", 20, "--redraws", 200)
    assert done.code == 0, done.err
    return out, done.out


def test_other_patients_are_attacked_known_and_tuned_on(audited):
    out, said = audited
    results = read_results(out)
    config, rows = results.config, results.estimates
    assert (config["split"], config["known_split"], config["tune_split"]) == ("test", "train", "validate")
    assert {row.attacker for row in rows} == {"cosine", "euclidean", "whitened", "learned"}
    assert {row.pool for row in rows if row.protocol == "random"} == {20, results.counts["records"] - 1}
    metrics = {row.metric for row in rows}
    assert {"auc", "eer", "tpr@fpr=0.001", "precision@1", "r-precision", "map@r", "accuracy", "f1"} <= metrics
    assert "precision@1" in said
    assert str(out / "report.html") in said


def test_the_page_names_no_patient_and_is_made_again_without_a_rerun(audited, tmp_path):
    out, _ = audited
    page = (out / "report.html").read_text()
    assert "p17" not in page
    assert "r17" not in page
    assert run("report", out, "--output", tmp_path / "again.html").code == 0
    assert (tmp_path / "again.html").read_text() == page


def test_two_audits_are_compared_image_by_image(audited, release, tmp_path):
    out, _ = audited
    after = tmp_path / "after"
    assert run("audit", "identity", release, "--out", after, "--pool", 20, "--attacker", "cosine").code == 0
    done = run("compare", out, after, "--output", tmp_path / "change.html")
    assert done.code == 0, done.err
    assert "finds that patient first" in " ".join(done.out.split())
    assert "Paired difference 0 percentage points" in done.out


def test_the_whole_release_can_be_attacked(release, tmp_path):
    out = tmp_path / "all"
    done = run("audit", "identity", release, "--out", out, "--split", "all", "--attacker", "cosine", "--redraws", 200)
    assert done.code == 0, done.err
    assert read_results(out).config["split"] is None


def test_bad_input_is_refused_and_leaves_nothing_behind(release, tmp_path):
    out = tmp_path / "out"
    single = release_of(np.eye(4), [0, 1, 2, 3])
    write_release(single, tmp_path / "single")
    write_release(Release(single.records.drop("patient_id"), single.arrays), tmp_path / "nameless")
    before = everything_in(tmp_path)
    assert "no patient has two images" in refusal("audit", "identity", tmp_path / "single", "--out", out)
    assert "whose the images are" in refusal("audit", "identity", tmp_path / "nameless", "--out", out)
    assert "cannot be drawn" in refusal("audit", "identity", release, "--out", out, "--pool", 1)
    same = ("--split", "test", "--known-split", "test")
    assert "must be of different splits" in refusal("audit", "identity", release, "--out", out, *same)
    assert everything_in(tmp_path) == before
