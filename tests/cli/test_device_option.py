"""``--device`` is an option of all commands that compute with torch, and of no others; a bad one is refused early."""

from __future__ import annotations

import json

import click
import pytest

from command_line import everything_in, refusal, run
from leadapron.cli.main import cli
from leadapron.defences.heads.methods import METHODS
from leadapron.encoders import EncodeConfig, Weights, encode, find_encoder
from leadapron.phantoms import Dials, build_clinic, write_clinic
from leadapron.release import write_release
from leadapron.training import devices

pytest.importorskip("torch", reason="not run: torch is not installed")


def commands(command=cli, path=()):
    """Every command of the tree, by its words."""
    context = click.Context(command)
    if not isinstance(command, click.Group):
        return {path: command}
    named = {name: command.get_command(context, name) for name in command.list_commands(context)}
    return {words: one for name, below in named.items() for words, one in commands(below, (*path, name)).items()}


def test_every_command_that_computes_with_torch_takes_a_device_and_no_other_does():
    takes = {path for path, command in commands().items() if any(one.name == "device" for one in command.params)}
    trains = {path for path in commands() if path[0] == "train"}
    defends = {("defend", name) for name, method in METHODS.items() if method.trains}
    assert {("train", "identity"), ("train", "targets")} <= trains
    draws = {("defend", name) for name in ("structured", "text", "updp")}
    assert len(defends) >= 4
    writes = {("audit", "recital"), ("utility", "reports")}
    server = {("federation", "server"), ("federation", "hospital")}
    assert takes == {("encode",), ("reproduce", "linkage"), *server, *trains, *defends, *draws, *writes}


def test_the_option_is_the_same_everywhere():
    options = [one for command in commands().values() for one in command.params if one.name == "device"]
    assert {(tuple(one.opts), one.default, one.help) for one in options} == {(("--device",), "auto", devices.HELP)}


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = tmp_path_factory.mktemp("device")
    made = build_clinic(Dials(patients=40, seed=0))
    write_clinic(made, folder / "clinic")
    spec = find_encoder("phantom-reports")
    config = EncodeConfig(with_features=True)
    release = encode(made.pixels(), "phantom-reports", spec, spec.load(Weights()), folder / "work", config)
    write_release(release, folder / "release")
    return folder


@pytest.mark.parametrize(("name", "said"), [("cuda", "allowed: auto, cpu. Use --device cpu."), ("gpu", "cuda:N, mps.")])
@pytest.mark.parametrize(
    "words",
    [
        "train identity clinic",
        "train targets clinic --kind network --models 8",
        "train targets release --kind heads --models 8",
        "encode clinic --encoder efficientnet-lite0+minilm",
        "defend prototype release",
    ],
)
def test_a_bad_device_is_refused_before_anything_is_written(clinic, monkeypatch, words, name, said):
    monkeypatch.chdir(clinic)
    monkeypatch.setattr(devices, "devices_here", lambda: ["cpu"])
    before = everything_in(clinic)
    error = refusal(*words.split(), "--out", "out", "--device", name)
    if "efficientnet" in words and "needs the package" in error:
        pytest.skip(f"not run: {error}")
    assert error.startswith("leadapron: --device: ")
    assert error.rstrip().endswith(said)
    assert everything_in(clinic) == before


def test_a_device_is_refused_where_nothing_would_run_on_it(clinic, monkeypatch):
    monkeypatch.chdir(clinic)
    error = refusal("encode", "clinic", "--encoder", "phantom-general", "--out", "out", "--device", "cuda")
    assert error.endswith("runs on the CPU alone; got 'cuda'. Use --device cpu.\n")
    assert "not an option of the kind linear" in refusal(
        "train", "targets", "release", "--kind", "linear", "--models", 8, "--out", "out", "--device", "cuda"
    )


def test_the_device_is_taken_from_toml_and_stands_on_the_card(clinic, monkeypatch):
    monkeypatch.chdir(clinic)
    (clinic / "plan.toml").write_text('[defend.prototype]\ndevice = "cpu"\nepochs = 1\nseed = 0\n')
    outcome = run("--config", "plan.toml", "defend", "prototype", "release", "--no-controls", "--out", "defended")
    assert outcome.code == 0, outcome
    card = json.loads((clinic / "defended" / "release.json").read_text())
    assert '"device": "cpu"' in json.dumps(card["defence"]["facts"]["trained"])
    assert "device" not in card["defence"]["settings"]
