"""Names of devices: which are known, which are here, and what the errors say."""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from leadapron.cli import shared_options as options
from leadapron.errors import ConfigError

torch = pytest.importorskip("torch", reason="not run: torch is not installed")

from leadapron.training.devices import device, device_of, devices_here, mixed_precision  # noqa: E402


@pytest.fixture
def machine(monkeypatch):
    """Pretend that torch finds so many CUDA cards, and an Apple GPU or none."""

    def pretend(cards=0, *, apple=False):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cards > 0)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: cards)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: apple)

    return pretend


@pytest.mark.parametrize(
    ("cards", "apple", "here"),
    [
        (0, False, ["cpu"]),
        (0, True, ["mps", "cpu"]),
        (2, False, ["cuda", "cuda:0", "cuda:1", "cpu"]),
        (1, True, ["cuda", "cuda:0", "mps", "cpu"]),
    ],
)
def test_auto_takes_cuda_then_mps_then_the_processor(machine, cards, apple, here):
    machine(cards, apple=apple)
    assert devices_here() == here
    assert device() == device("auto") == torch.device(here[0])
    for name in here:
        assert str(device(name)) == name


@pytest.mark.parametrize("name", ["", "gpu", "CUDA", "cuda:", "cuda:x", "cuda:-1", "cpu:0", "meta", "cuda:1 "])
def test_an_unknown_name_is_refused_with_the_names_that_there_are(name):
    with pytest.raises(ConfigError, match=r"--device: unknown device; .*allowed: auto, cpu, cuda, cuda:N, mps\."):
        device(name)


@pytest.mark.parametrize(
    ("cards", "name", "here", "fix"),
    [
        (0, "cuda", "auto, cpu", "cpu"),
        (0, "mps", "auto, cpu", "cpu"),
        (2, "cuda:2", "auto, cuda, cuda:0, cuda:1, cpu", "cuda"),
    ],
)
def test_a_device_that_is_not_here_is_refused_with_one_that_is(machine, cards, name, here, fix):
    machine(cards)
    with pytest.raises(ConfigError, match=f"got '{name}'; allowed: {here}. Use --device {fix}.$"):
        device(name)
    assert str(device(fix)) == fix


def test_the_device_of_a_network_is_where_its_weights_lie():
    assert device_of(torch.nn.Linear(2, 1)) == torch.device("cpu")
    assert device_of(torch.nn.Linear(2, 1, device="meta")) == torch.device("meta")


def test_the_shared_option_is_auto_unless_given():
    @click.command()
    @options.device
    def command(device: str) -> None:
        click.echo(device)

    assert CliRunner().invoke(command, []).output == "auto\n"
    assert CliRunner().invoke(command, ["--device", "cuda:1"]).output == "cuda:1\n"


@pytest.mark.parametrize(
    ("place", "made_for_it", "learns", "mixed"),
    [("cuda", True, True, True), ("cuda", False, True, False), ("cuda", True, False, False), ("cpu", True, True, False),
     ("mps", True, True, False)],
)  # fmt: skip
def test_only_a_network_that_learns_on_a_card_made_for_it_mixes_precisions(
    monkeypatch, place, made_for_it, learns, mixed
):
    asked = []
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: made_for_it)
    monkeypatch.setattr(torch, "autocast", lambda kind, dtype: asked.append((kind, dtype)))
    mixed_precision(torch.device(place), learns=learns)
    assert asked == ([("cuda", torch.bfloat16)] if mixed else [])
