"""``leadapron defend transfer``: trained heads at another clinic, where they learn and promise nothing."""

from __future__ import annotations

import numpy as np
import pytest

from command_line import everything_in, refusal, run
from leadapron.release import Release, read_folder, write_release
from tiny_heads import tiny_release


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A clinic with its defended release, and another clinic of the same encoder."""
    place = tmp_path_factory.mktemp("transfer")
    write_release(tiny_release(patients=80), place / "home")
    write_release(tiny_release(patients=50, seed=4, prefix="q"), place / "away")
    quick = ("--sigma", 2.0, "--batch", 9, "--epochs", 2, "--no-controls")
    said = run("defend", "private", place / "home", *quick, "--out", place / "fitted")
    assert said.code == 0, said.err
    return place


def test_the_other_release_goes_through_the_heads_as_they_are(folders, tmp_path):
    out = tmp_path / "out"
    said = run("defend", "transfer", folders / "away", "--fitted-on", folders / "fitted", "--out", out)
    assert said.code == 0, said.err
    away, fitted, found = (read_folder(path, verify=True) for path in (folders / "away", folders / "fitted", out))
    assert found.records.equals(away.records)
    assert set(found.arrays) == {"image", "text"}
    for side in ("image", "text"):
        np.testing.assert_allclose(found.arrays[side], fitted.heads[side](away.arrays[f"{side}_features"]), atol=1e-6)
    np.testing.assert_array_equal(found.arrays["text"][0], found.arrays["text"][1])  # the same report, the same bits
    assert (out / "heads.safetensors").read_bytes() == (folders / "fitted" / "heads.safetensors").read_bytes()
    assert found.prompts["text"].shape == away.prompts["text"].shape


def test_the_guarantee_says_for_whom_it_holds(folders, tmp_path):
    said = run("defend", "transfer", folders / "away", "--fitted-on", folders / "fitted", "--out", tmp_path / "out")
    words = " ".join(said.out.split())
    assert "To the patients of this one nothing is promised" in words
    assert "in another release" in words
    before = read_folder(folders / "fitted").card["defence"]
    after = read_folder(tmp_path / "out").card["defence"]
    assert before["guarantee"]["kind"] == "differential privacy"
    promised = after["guarantee"]
    assert (promised["kind"], promised["unit"], promised["epsilon"]) == ("none", None, None)
    assert before["guarantee"]["statement"] in promised["statement"]
    assert promised["details"]["of_the_heads"] == before["guarantee"]
    brought = read_folder(tmp_path / "out").fitted
    assert [(one.part, one.on, one.splits) for one in brought] == [("defence", "another release", ())]
    at_home = tmp_path / "home"
    assert run("defend", "transfer", folders / "home", "--fitted-on", folders / "fitted", "--out", at_home).code == 0
    assert [one.splits for one in read_folder(at_home).fitted] == [("train",)]  # the same patients, met again
    assert (after["method"], after["facts"]["trained"]) == (before["method"], before["facts"]["trained"])


@pytest.mark.parametrize(
    "option",
    [
        ("--bank", "BANK"),
        ("--epsilon", 1),
        ("--epochs", 5),
        ("--clip", 1.5),
        ("--seed", 0),
        ("--start", "linear"),
        ("--bank-has-other-ids",),
        ("--no-controls",),
    ],
)
def test_options_of_training_are_refused(folders, tmp_path, option):
    option = [folders / "home" if word == "BANK" else word for word in option]
    said = run(
        "defend", "transfer", folders / "away", "--fitted-on", folders / "fitted", *option, "--out", tmp_path / "out"
    )
    assert said.code == 2
    assert "No such option" in said.err
    assert option[0] in said.err
    assert everything_in(tmp_path) == set()


def test_what_has_no_trained_heads_is_refused(folders, tmp_path):
    release = tiny_release(patients=80)
    write_release(Release(release.records, dict(release.arrays)), tmp_path / "bare")
    made = everything_in(tmp_path)
    for fitted, has in ((tmp_path / "bare", "no heads, not defended"), (folders / "home", "heads, not defended")):
        words = refusal("defend", "transfer", folders / "away", "--fitted-on", fitted, "--out", tmp_path / "out")
        assert has in words
        assert str(fitted) in words
    assert everything_in(tmp_path) == made


def test_a_release_that_does_not_fit_is_refused(folders, tmp_path):
    write_release(tiny_release(seed=3, widths={"image": 24, "text": 21}), tmp_path / "wide")
    command = ("--fitted-on", folders / "fitted", "--out", tmp_path / "out")
    words = refusal("defend", "transfer", tmp_path / "wide", *command)
    assert "text_features" in words
    assert "got '21 features'; allowed: 20" in words
    assert "--with-features" in refusal("defend", "transfer", folders / "fitted", *command)
    assert not (tmp_path / "out").exists()


def test_the_fitted_release_is_not_overwritten(folders):
    command = ("--fitted-on", folders / "fitted", "--out", folders / "fitted", "--overwrite")
    assert "would remove the input" in refusal("defend", "transfer", folders / "away", *command)
