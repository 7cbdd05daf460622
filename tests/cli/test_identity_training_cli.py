"""The command: the folder that it leaves, what can be done with it, and what is said of bad input."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import time

import numpy as np
import polars as pl
import pytest
import torch

from command_line import everything_in, refusal, run
from leadapron.attacks.identity.training import choose
from leadapron.attacks.identity.training.embed import embed, release_of
from leadapron.attacks.identity.training.network_folder import read_network, write_trained
from leadapron.attacks.identity.training.train import train_identity
from leadapron.cohort import read_cohort
from leadapron.engine import sha256
from leadapron.errors import DataError
from leadapron.phantoms import Dials, build_clinic, write_clinic
from leadapron.release import read_folder
from tiny_models import save_resnet

SIZE = 32


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADAPRON_THREADS", "1")
        yield


@pytest.fixture(scope="module")
def clinic():
    return build_clinic(Dials(patients=60, seed=0))  # a seed with several validation patients


@pytest.fixture(scope="module")
def clinic_folder(clinic, tmp_path_factory):
    folder = tmp_path_factory.mktemp("clinic") / "clinic"
    write_clinic(clinic, folder, SIZE)
    return folder


@pytest.fixture(scope="module")
def resnet_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    (folder / "resnet-50").mkdir()
    torch.manual_seed(1)
    save_resnet(folder / "resnet-50")
    return folder


# The folder


@pytest.fixture(scope="module")
def trained_folder(clinic_folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("out") / "network"
    small = ("--image-size", SIZE, "--epochs", 1)
    outcome = run("train", "identity", clinic_folder, "--out", out, "--cache", out.parent / "cache", *small)
    assert outcome.code == 0, outcome
    assert "retrieval network on small" in outcome.out
    return out


def test_the_folder_holds_network_card_and_release(trained_folder, clinic_folder):
    assert {path.name for path in trained_folder.iterdir()} == {
        "network.safetensors",
        "card.json",
        "release",
        "release.patients-not-for-release.json",
        ".leadapron",
    }
    assert not list(trained_folder.parent.glob(".*")), "the work is done"
    card = json.loads((trained_folder / "card.json").read_text())
    cohort = read_cohort(clinic_folder)
    train = cohort.records.filter(pl.col("split") == "train").group_by("patient_id").len()
    several = train.filter(pl.col("len") >= 2)
    assert card["trained_on"]["patients"] == len(several)
    assert card["trained_on"]["images"] == several["len"].sum()
    assert card["trained_on"]["patients_with_one_image_left_out"] == len(train) - len(several)
    assert card["sha256"] == sha256(trained_folder / "network.safetensors")
    assert set(card["history"][0]) == {"phase", "epoch", "loss", "auc", "precision_at_1"}

    release = read_folder(trained_folder / "release", verify=True)
    assert release.records["record_id"].to_list() == cohort.records["record_id"].to_list()
    assert release.image.shape == (len(cohort), 128)
    assert release.card["encoder"]["name"] == "identity network"
    assert "identity_score" not in release.card
    assert [fitting.splits for fitting in release.fitted] == [(), ("train",)]
    assert set(release.fitted[1].patients.among(cohort.records["patient_id"].unique())) == set(several["patient_id"])
    assert not {"report", "image_path"} & set(release.records.columns)
    assert {"report_id", "split", "view", "age"} <= set(release.records.columns)
    assert str(trained_folder.parent) not in json.dumps([card, dict(release.card)])


def test_a_run_that_is_killed_for_good_goes_on_to_the_same_network(clinic_folder, tmp_path):
    """SIGKILL, at whatever moment, once an epoch is kept: no handler runs, nothing is tidied up."""

    command = ("train", "identity", str(clinic_folder), "--image-size", str(SIZE), "--epochs", "3", "--out")
    out, whole = tmp_path / "killed", tmp_path / "whole"
    kept = tmp_path / ".killed.work" / "epoch.pt"
    running = subprocess.Popen(
        [sys.executable, "-m", "leadapron", *command, str(out)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    while not kept.is_file() and running.poll() is None:
        time.sleep(0.01)
    running.kill()
    assert running.wait() == -signal.SIGKILL, "it was still running"
    assert not out.exists()
    for target in (out, whole):
        assert run(*command, target).code == 0
    assert not kept.exists()
    assert (out / "network.safetensors").read_bytes() == (whole / "network.safetensors").read_bytes()
    assert np.array_equal(read_folder(out / "release").image, read_folder(whole / "release").image)


def test_embedding_a_cohort_with_a_trained_network(trained_folder, clinic_folder, tmp_path):
    outcome = run(
        "train", "identity", clinic_folder, "--from", trained_folder, "--out", tmp_path / "release", "--cache",
        tmp_path / "cache",
    )  # fmt: skip
    assert outcome.code == 0, outcome
    again = read_folder(tmp_path / "release", verify=True)
    release = read_folder(trained_folder / "release")
    np.testing.assert_array_equal(again.image, release.image)
    assert again.card["encoder"] == release.card["encoder"]
    assert [(one.on, one.splits) for one in again.fitted] == [("elsewhere", ()), ("another release", ("train",))]

    other = build_clinic(Dials(patients=8, seed=77))
    write_clinic(other, tmp_path / "other", 48)
    strangers = embed(trained_folder, read_cohort(tmp_path / "other"), tmp_path / "cache")
    assert strangers.records["record_id"].to_list() == other.cohort.records["record_id"].to_list()
    assert strangers.card["encoder"]["trained_on"] == release.card["encoder"]["trained_on"]
    assert [fitting.splits for fitting in strangers.fitted] == [(), ()]


def test_the_verification_network_says_how_to_score(clinic, tmp_path):
    pixels = clinic.pixels(SIZE)
    trained = train_identity(pixels, choose("verification", image_size=SIZE, epochs=1, training_pairs=64))
    write_trained(trained, release_of(trained, pixels), tmp_path / "out")
    release = read_folder(tmp_path / "out" / "release")
    said = release.card["identity_score"]
    assert (said["kind"], len(said["weights"])) == ("weighted-l1", 128)
    assert 0 <= release.image.min() <= release.image.max() <= 1
    again = read_network(tmp_path / "out").network
    left, right = torch.from_numpy(np.array(release.image[[0, 5]])).split(1)
    by_card = said["bias"] + np.abs(release.image[0] - release.image[5]) @ np.array(said["weights"])
    assert again.similarity(left, right).item() == pytest.approx(by_card, abs=1e-5)


@pytest.mark.parametrize("network", ["retrieval", "verification"])
def test_the_published_setting_runs_end_to_end(clinic_folder, resnet_folder, tmp_path, network):
    """With a tiny ResNet in the files of the real one, and images of a size that a test can afford."""
    small = ["--epochs", 1, "--image-size", 64, *(["--training-pairs", 64] if network == "verification" else [])]
    outcome = run(
        "train", "identity", clinic_folder, "--as-published", "--network", network, "--weights", resnet_folder,
        "--out", tmp_path / "out", "--cache", tmp_path / "cache", *small,
    )  # fmt: skip
    assert outcome.code == 0, outcome
    card = json.loads((tmp_path / "out" / "card.json").read_text())
    assert card["backbone"]["name"] == "resnet50"
    assert len(card["backbone"]["weights"]["microsoft/resnet-50"]["sha256"]) == 64
    assert [epoch["phase"] for epoch in card["history"]] == ([0, 1] if network == "retrieval" else [0])
    again = embed(tmp_path / "out", read_cohort(clinic_folder), tmp_path / "cache")
    np.testing.assert_allclose(again.image, read_folder(tmp_path / "out" / "release").image, atol=1e-6)


def test_a_network_that_was_changed_is_refused(trained_folder, tmp_path):
    shutil.copytree(trained_folder, tmp_path / "network")
    with (tmp_path / "network" / "network.safetensors").open("ab") as stream:
        stream.write(b"x")
    with pytest.raises(DataError, match="the network is not the one that was written"):
        read_network(tmp_path / "network")
    (tmp_path / "network" / "card.json").write_text("{}")
    with pytest.raises(DataError, match="this card is not of an identity network"):
        read_network(tmp_path / "network")


# Bad input


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refused(here, clinic, *arguments):
    before = everything_in(here)
    message = refusal("train", "identity", clinic, "--out", "out", "--cache", "cache", *arguments)
    assert everything_in(here) == before
    return message


def spoilt(clinic_folder, here, *columns):
    shutil.copytree(clinic_folder, here / "spoilt")
    table = here / "spoilt" / "records.parquet"
    pl.read_parquet(table).with_columns(*columns).write_parquet(table)
    return "spoilt"


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([pl.lit("p").alias("patient_id"), pl.lit("train").alias("split")], "there is one patient in all"),
        ([pl.col("record_id").alias("patient_id")], "fewer than two patients of split 'train' have two images"),
        ([pl.lit("test").alias("split")], "there is no record in split 'train'"),
        ([pl.lit("train").alias("split")], "there is no record in split 'validate'"),
        ([pl.lit(None, dtype=pl.String).alias("split")], "unknown split"),
    ],
    ids=["one patient", "single images", "no training", "no validation", "no split"],
)
def test_cohorts_that_cannot_be_trained_on(clinic_folder, here, columns, message):
    assert message in refused(here, spoilt(clinic_folder, here, *columns))


def test_options_that_do_not_fit(clinic_folder, trained_folder, here):
    assert "unknown backbone; got 'resnet'" in refused(here, clinic_folder, "--backbone", "resnet")
    assert "Add --network verification" in refused(here, clinic_folder, "--pairs", "fixed")
    assert "--from trains nothing" in refused(here, clinic_folder, "--from", trained_folder, "--epochs", 3)
    assert "unknown column to keep" in refused(here, clinic_folder, "--keep-column", "ages")
    assert "not the folder of an identity network" in refused(here, clinic_folder, "--from", clinic_folder)
    (here / "empty").mkdir()
    assert "lacks config.json" in refused(here, clinic_folder, "--as-published", "--weights", "empty")


@pytest.mark.parametrize("package", ["torch", "pytorch_metric_learning.losses"])
def test_a_missing_extra(clinic_folder, here, monkeypatch, package):
    monkeypatch.setitem(sys.modules, package, None)
    message = refused(here, clinic_folder)
    assert package.split(".")[0].replace("_", "-") in message
    assert "pip install 'leadapron[train]'" in message


def test_help_does_not_load_torch():
    asked = ["train --help", "train identity --help", "train federated --help", "federation invite --help"]
    code = (
        "import sys; from leadapron.cli import main\n"
        f"for words in {asked}:\n"
        "    sys.argv = ['leadapron', *words.split()]\n"
        "    try: main()\n    except SystemExit: pass\n"
        "sys.exit('torch' in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)
