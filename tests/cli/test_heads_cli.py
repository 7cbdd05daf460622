"""``leadapron defend private`` and its like: folders in, folders out, the controls beside, refusals in a paragraph."""

from __future__ import annotations

import json
import stat

import pytest

from command_line import everything_in, refusal, run
from leadapron.release import Release, read_folder, read_release, write_release
from leadapron.release.beside import controls_beside
from tiny_heads import every_layer, tiny_release


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    place = tmp_path_factory.mktemp("heads")
    write_release(tiny_release(patients=80), place / "release")
    write_release(tiny_release(patients=30, seed=1, prefix="q"), place / "bank")
    return place


QUICK = ("--sigma", 2.0, "--batch", 9, "--epochs", 2)


def test_a_release_with_its_controls_and_a_promise(folders, tmp_path):
    out = tmp_path / "defended"
    said = run("defend", "private", folders / "release", "--bank", folders / "bank", *QUICK, "--out", out)
    assert said.code == 0, said.err
    assert "differentially private at epsilon" in " ".join(said.out.split())
    assert "not to be handed over" in said.out
    defended = read_folder(out, verify=True)
    assert set(defended.arrays) == {"image", "text"}
    card = defended.card["defence"]
    assert card["guarantee"]["kind"] == "differential privacy"
    assert everything_in(out) == {
        ".leadapron",
        "heads.safetensors",
        "image.npy",
        "text.npy",
        "records.parquet",
        "release.json",
        "prompts.text.npy",
    }
    beside = controls_beside(out)
    assert beside.name == "defended.controls-not-for-release"
    assert stat.S_IMODE(beside.stat().st_mode) == 0o700
    controls = {path.parent.name: read_folder(path.parent, verify=True) for path in beside.glob("*/release.json")}
    assert set(controls) == {"untrained", "noise_only", "clip_only", "nonprivate"}  # there is no batch norm to swap
    for name, control in controls.items():
        about = control.card["defence"]
        assert (about["method"], about["control_of"]) == (name, "private")
        assert len(control) == len(defended)
        if about["facts"]["trained"]:
            assert about["facts"]["trained"]["steps"] == card["facts"]["trained"]["steps"]
    assert controls["noise_only"].card["defence"]["facts"]["trained"]["sigma"] == card["facts"]["trained"]["sigma"]
    assert not any(".work" in name for name in everything_in(tmp_path))


def test_the_noise_that_was_solved_for_is_the_controls_noise_too(folders, tmp_path):
    out = tmp_path / "defended"
    asked = ("--epsilon", 1.0, "--batch", 9, "--epochs", 1)
    assert run("defend", "prototype", folders / "release", *asked, "--out", out).code == 0
    sigma = read_release(out).card["defence"]["facts"]["trained"]["sigma"]
    noise = read_release(controls_beside(out) / "noise_only").card["defence"]
    assert (noise["facts"]["trained"]["sigma"], noise["control_of"]) == (sigma, "prototype")


def test_the_published_method_brings_the_norm_swap_along(tmp_path):
    release = tiny_release(patients=80)
    features = {name: array for name, array in release.arrays.items() if name.endswith("_features")}
    write_release(Release(release.records, features, heads=every_layer()), tmp_path / "release")
    said = run("defend", "replication", tmp_path / "release", *QUICK, "--out", tmp_path / "out")
    assert said.code == 0, said.err
    assert "not a guarantee" in " ".join(said.out.split())
    names = {path.parent.name for path in controls_beside(tmp_path / "out").glob("*/release.json")}
    assert names == {"untrained", "norm_swap_only", "norm_kept", "noise_only", "clip_only", "nonprivate"}


def test_controls_can_be_left_out_and_a_control_can_stand_alone(folders, tmp_path):
    assert run("defend", "private", folders / "release", "--no-controls", *QUICK, "--out", tmp_path / "a").code == 0
    assert not controls_beside(tmp_path / "a").exists()
    said = run("defend", "clip_only", folders / "release", *QUICK, "--out", tmp_path / "b")
    assert said.code == 0
    assert not controls_beside(tmp_path / "b").exists()


def test_what_is_written_over_takes_its_controls_along(folders, tmp_path):
    """Controls of an earlier run beside the release of another would be judged with it."""
    out = tmp_path / "out"
    command = ("defend", "private", folders / "release", *QUICK, "--out", out)
    assert run(*command).code == 0
    assert "exists already" in refusal(*command, "--no-controls")
    first = (controls_beside(out) / "noise_only" / "release.json").read_bytes()
    assert run(*command, "--overwrite").code == 0
    assert (controls_beside(out) / "noise_only" / "release.json").read_bytes() != first
    assert run(*command, "--overwrite", "--no-controls").code == 0
    assert everything_in(tmp_path) == {"out", "out.patients-not-for-release.json"} | {
        f"out/{name}" for name in everything_in(out)
    }
    controls_beside(out).mkdir()
    (controls_beside(out) / "mine.txt").write_text("a user's own")
    assert "did not write" in refusal(*command, "--overwrite")
    assert (controls_beside(out) / "mine.txt").exists()


def test_a_seed_makes_it_the_same_again_and_takes_the_promise(folders, tmp_path):
    for name in ("a", "b"):
        said = run(
            "defend", "private", folders / "release", "--seed", 3, "--no-controls", *QUICK, "--out", tmp_path / name
        )
        assert "nothing is promised" in " ".join(said.out.split())
    hashes = [json.loads((tmp_path / name / "release.json").read_text())["sha256"] for name in ("a", "b")]
    assert {"image.npy", "text.npy", "heads.safetensors"} <= set(hashes[0])
    assert hashes[0] == hashes[1]


def test_an_interrupted_run_leaves_nothing_but_its_work(folders, tmp_path, monkeypatch):
    from leadapron.defences.heads.head_training import Checkpoint

    keep = Checkpoint.keep

    def keep_and_stop(self, *arguments):
        keep(self, *arguments)
        raise KeyboardInterrupt

    command = ("defend", "private", folders / "release", "--seed", 1, *QUICK, "--out", tmp_path / "out")
    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "keep", keep_and_stop)
        assert run(*command).code == 130
    inside = {".out.work/private", ".out.work/private/heads.npz", ".out.work/private/.leadapron"}
    assert everything_in(tmp_path) == {".out.work", *inside}
    assert run(*command).code == 0
    assert not (tmp_path / ".out.work").exists()


@pytest.mark.parametrize(
    ("method", "options", "words"),
    [
        ("private", ("--epsilon", 1e-7), "cannot be reached"),
        ("private", ("--sigma", 1.0, "--delta", 0.5), "1 / patients"),
        ("private", ("--sigma", 1.0, "--batch", 4000), "fewer training patients"),
        ("private", ("--epsilon", 1.0, "--sigma", 1.0), "not both"),
        ("entropy", ("--epsilon", 1.0), "adds no noise"),
        ("private", ("--sigma", 1.0, "--bank", "SELF"), "patient ids"),
    ],
)
def test_what_is_refused_leaves_nothing_behind(folders, tmp_path, method, options, words):
    options = [folders / "release" if option == "SELF" else option for option in options]
    assert words in refusal("defend", method, folders / "release", *options, "--out", tmp_path / "out")
    assert everything_in(tmp_path) == set()


def test_a_release_without_features_is_refused_by_name(tmp_path):
    release = tiny_release()
    bare = Release(release.records, {name: release.arrays[name] for name in ("image", "text")})
    write_release(bare, tmp_path / "bare")
    words = refusal("defend", "private", tmp_path / "bare", "--out", tmp_path / "out")
    assert "--with-features" in words
    assert str(tmp_path / "bare") in words
