"""A release of images alone is attacked, defended and attacked again; its page says nothing of reports."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest

from command_line import refusal, run
from leadapron.cohort import LABEL_COLUMNS
from leadapron.trials import probed_models
from page_outline import Outline, plain

IMAGES = 2


def images_of(patients, folder):
    """Images alone, in which findings and the patient are plain, and a defended copy."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(patients), IMAGES)
    findings = (rng.random((patients, 2)) < 0.5)[patient]
    shared = np.hstack([findings, rng.normal(size=(patients, 4))[patient]]) @ rng.normal(size=(6, 8))
    np.save(folder / "image.npy", shared + 0.3 * rng.normal(size=shared.shape))
    labels = {name: findings[:, at].astype(int) for at, name in enumerate(LABEL_COLUMNS[:2])}
    pl.DataFrame({"patient_id": patient, **labels}).write_csv(folder / "records.csv")
    assert run("defend", "quantise", folder, "--out", folder.with_name("rounded")).code == 0
    return folder


@pytest.fixture(scope="module")
def images(tmp_path_factory):
    """Of too few patients to train models on."""
    return images_of(100, tmp_path_factory.mktemp("few") / "images")


@pytest.fixture(scope="module")
def trial(tmp_path_factory):
    """Of enough patients, with fewer models than usual."""
    place = tmp_path_factory.mktemp("many")
    images = images_of(150, place / "images")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(probed_models, "MODELS", 16)
        done = run("trial", images, images.with_name("rounded"), "--out", place / "out")
    assert done.code == 0, done
    return place / "out", done.out


def words_of(file):
    return plain(Outline(file.read_text()).words)


def test_every_audit_that_images_allow_is_run(trial):
    out, _ = trial
    for name in ("images", "rounded"):
        assert {path.name for path in (out / name).iterdir() if path.is_dir()} == {"identity", "membership", "utility"}


def test_recognition_is_the_risk_of_the_frontier(trial):
    out, said = trial
    content = json.loads((out / "frontier.json").read_text())
    assert (content["risk"], content["use"]) == ("identity", "utility")
    before, after = content["points"]
    assert before["gap"] is None
    assert before["answers"]["identity"]["headline"]["value"] > 0.9
    assert after["answers"]["identity"]["cut"] is not None
    assert set(before["answers"]) == set(after["answers"]) == {"identity", "utility", "membership"}
    assert plain(said).startswith("Undefended: of 100 radiographs whose patient has another one in the release, an att")


def test_the_page_tells_no_falsehood_about_reports(trial):
    out, said = trial
    for words in (words_of(out / "report.html"), plain(said.partition(str(out))[0])):
        assert re.findall(r"\w*report\w*|\blink\w*|\bpairs known\b|\bwords\b", words, flags=re.IGNORECASE) == []


def test_the_page_says_how_the_patients_came_to_their_sides(trial):
    out, said = trial
    sentence = "The release names no split of its own: its patients were dealt to train, validate and test"
    assert sentence in words_of(out / "report.html")
    assert sentence in plain(said)


def test_the_gallery_may_be_chosen(images, tmp_path):
    done = run("trial", images, images.with_name("rounded"), "--pool", 20, "--out", tmp_path / "out")
    assert done.code == 0, done
    for point in json.loads((tmp_path / "out" / "frontier.json").read_text())["points"]:
        assert point["answers"]["identity"]["headline"]["pool"] == 20
    few = "Does a model that learns from it give away its patients? Not measured: It takes labels and 100 training"
    assert few in plain(done.out)


def test_what_images_do_not_allow_is_refused(images, tmp_path):
    rounded, out = images.with_name("rounded"), tmp_path / "out"
    linking = refusal("trial", images, rounded, "--attacker", "cosine", "--out", out)
    assert "these attackers pair images with reports, and there are none" in linking
    for name in ("once", "again"):
        (tmp_path / name).mkdir()
        np.save(tmp_path / name / "image.npy", np.load(images / "image.npy"))
        table = pl.read_csv(images / "records.csv").drop("patient_id")
        table.write_csv(tmp_path / name / "records.csv")
    assert "a trial needs patients" in refusal("trial", tmp_path / "once", tmp_path / "again", "--out", out)
    assert not out.exists()


def test_a_defence_that_gives_no_reports_is_judged_by_its_images(images, tmp_path):
    before = tmp_path / "before"
    before.mkdir()
    for name in ("image.npy", "records.csv"):
        (before / name).write_bytes((images / name).read_bytes())
    np.save(before / "text.npy", np.load(images / "image.npy"))
    done = run("trial", before, images.with_name("rounded"), "--out", tmp_path / "out", "--probe-strength", 0.1)
    assert done.code == 0, done
    left_out = "Not measured of rounded: It takes image and text, and the release holds no text."
    assert left_out in plain(done.out)
    content = json.loads((tmp_path / "out" / "frontier.json").read_text())
    assert content["risk"] == "linkage-by-words"  # who has the words does not need the vectors of the reports
    assert not (tmp_path / "out" / "rounded" / "linkage").exists()
    assert (tmp_path / "out" / "before" / "linkage").exists()
