"""Pieces by a Ray cluster of several nodes, in a network of its own on this machine: killed, named, refused."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import pytest

import ray_scenario
from command_line import run
from leadapron.engine.on_ray import OnRay
from leadapron.engine.ray_cluster import enter
from leadapron.errors import UnfinishedError
from piece_tasks import squaring

APART = ["unshare", "--net", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc"]
pytest.importorskip("ray", reason="not run: Ray is not installed")


# Before anything is begun


def test_a_cluster_without_a_token_is_not_entered(monkeypatch, tmp_path):
    monkeypatch.delenv("RAY_AUTH_MODE", raising=False)
    with pytest.raises(UnfinishedError, match=r"127\.0\.0\.1:1: a cluster is entered with a token, and none was given"):
        OnRay("127.0.0.1:1").run(squaring(tmp_path, 2))


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:1", "no Ray cluster answers there"),
        ("nowhere.invalid:6379", "no Ray cluster answers there"),
        ("here", "not an address; got 'here'; allowed: auto, or HOST:PORT"),
        ("127.0.0.1:99999", "no Ray cluster answers there"),
    ],
)
def test_where_no_cluster_is_it_is_said_at_once(monkeypatch, address, said):
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", "0" * 64)
    with pytest.raises(UnfinishedError, match=said) as caught:
        enter(address, 1)
    assert caught.value.exit_code == 3


def test_auto_finds_no_cluster(monkeypatch, tmp_path):
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_TMPDIR", str(tmp_path))
    with pytest.raises(UnfinishedError, match="--address auto: there is no Ray cluster"):
        enter("auto", 1)


def test_work_that_is_done_needs_no_cluster(tmp_path):
    work = squaring(tmp_path, 0)
    OnRay("127.0.0.1:1").run(work)


# On a cluster


@pytest.fixture(scope="module")
def seen(tmp_path_factory, small_clinic_folder):
    """What the scenario told, one after the other."""
    possible = shutil.which("ip") and shutil.which("unshare")
    if not possible or subprocess.run([*APART, "true"], capture_output=True, check=False).returncode:
        pytest.skip("not run: this user cannot make a network of its own")
    place, short = tmp_path_factory.mktemp("ray"), tempfile.mkdtemp(prefix="ray-", dir="/tmp")
    try:
        done = subprocess.run(
            [*APART, sys.executable, ray_scenario.__file__, place, short, small_clinic_folder],
            capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip
    finally:
        shutil.rmtree(short, ignore_errors=True)
    told = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert done.returncode == 0, (told, done.stderr[-2000:])
    return {"place": place, **{name: said for one in told for name, said in one.items()}}


@pytest.mark.study
def test_two_nodes_make_every_piece_once(seen):
    squares, logged, stages = seen["plain"]
    assert squares == [0, 1, 4, 9, 16, 25]
    assert logged == list(range(6))
    assert stages == ["squaring · 2 nodes"]


@pytest.mark.study
def test_what_a_killed_node_was_at_is_made_again(seen):
    squares, begun = seen["node killed"]
    assert squares == [number**2 for number in range(6)]
    assert begun > 6


@pytest.mark.study
@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("nobody is there", 3, "127.0.0.1:6399: no Ray cluster answers there"),
        ("wrong token", 3, "127.0.0.1:6399: the Ray cluster does not let this process in"),
        ("an error of a piece", 2, "number 2: this will not do."),
        ("a full disk", 2, "disk: No space left on device."),
        ("too large", 3, "no node of the cluster has what a piece needs of GPUs"),
        ("a piece that kills", 3, "a piece was lost, and 1 retries did not help"),
        ("another version", 3, "the node has another version of leadapron, or none; got '0.0.9'"),
        ("not shared", 3, "the node does not see the folder of this process"),
    ],
)
def test_what_is_wrong_is_named(seen, name, code, said):
    assert seen[name][0] == code
    assert said in seen[name][1]


@pytest.mark.study
def test_pieces_that_were_finished_are_kept(seen):
    assert seen["kept"] == 2


@pytest.mark.study
def test_a_release_and_its_target_models_are_the_same_as_on_one_machine(seen, small_clinic_folder, tmp_path):
    for name, line in zip(("encode", "train"), ray_scenario.COMMANDS, strict=True):
        code, _, said = next(value for key, value in seen.items() if key.startswith(name))
        assert code == 0, said
        assert " · 2 nodes: " in said
        alone = run(*line.format(clinic=small_clinic_folder, place=tmp_path).split())
        assert alone.code == 0, alone.err
    for file in ("release/image.npy", "release/text.npy", "study/signals/logits.npy"):
        assert np.array_equal(np.load(seen["place"] / file), np.load(tmp_path / file)), file
    assert not (seen["place"] / ".release.work").exists()


# Options


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--executor", "ray", "--jobs", 2), "--jobs: not an option of --executor ray"),
        (("--executor", "ray", "--part", "1/2"), "--part: not an option of --executor ray"),
        (("--address", "auto"), "--address: an option of --executor ray alone"),
        (("--executor", "ray", "--gpus-per-piece", 1.5), "--gpus-per-piece: not a number of GPUs; got 1.5"),
        (("--gpus-per-piece", 0.5), "--gpus-per-piece: an option of --executor ray alone"),
        (("--part", "3/2"), "--part: not a part; got '3/2'; allowed: I/N with I from 1 to N"),
        (("--part", "x"), "--part: not a part"),
    ],
)
def test_options_that_do_not_fit_are_refused(small_clinic_folder, tmp_path, options, said):
    done = run("encode", small_clinic_folder, "--encoder", "phantom-general", "--out", tmp_path / "r", *options)
    assert done.code == 2
    assert said in done.err


def test_a_part_is_told_as_done_and_the_whole_follows(small_clinic_folder, tmp_path):
    command = ("encode", small_clinic_folder, "--encoder", "phantom-general", "--out", tmp_path / "r")
    place = ("--cache", tmp_path / "pixels")
    part = run(*command, *place, "--part", "1/1")
    assert (part.code, "decoding images: part 1 of 1 is done; 1 of 1 pieces are there" in part.err) == (0, True)
    assert not (tmp_path / "r").exists()
    assert run(*command, *place).code == 0
