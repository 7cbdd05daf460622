"""The network whose head is calculated: nothing is trained, and few known patients are enough."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="not run: torch is not installed")
pytest.importorskip("efficientnet_lite_pytorch", reason="not run: efficientnet-lite is not installed")

from command_line import refusal, run  # noqa: E402
from leadapron.attacks.identity.training import choose  # noqa: E402
from leadapron.attacks.identity.training.backbones import load_backbone  # noqa: E402
from leadapron.attacks.identity.training.frozen import NARROW, WIDE, FrozenNetwork, Seen, fit_head  # noqa: E402
from leadapron.attacks.identity.training.train import embeddings, train_identity  # noqa: E402
from leadapron.attacks.identity.training.validation import auc  # noqa: E402
from leadapron.encoders import Weights  # noqa: E402
from leadapron.errors import ConfigError  # noqa: E402
from leadapron.phantoms import Dials, build_clinic  # noqa: E402


@pytest.fixture(scope="module")
def network():
    return FrozenNetwork(load_backbone("efficientnet-lite0", Weights())).eval()


def made(network, patients=80, seed=0):
    """Maps in which a person differs from others along weak directions, and images of one along strong ones."""
    rng = np.random.default_rng(seed)
    own, nuisance = (rng.standard_normal((20, network.centre.numel())) / 300 for _ in range(2))
    who = np.repeat(np.arange(patients), 3)
    person, image = rng.standard_normal((patients, 20)), rng.standard_normal((len(who), 20))
    plain = 0.4 * person[who] @ own + image @ nuisance
    copies = tuple(plain + 0.3 * rng.standard_normal((len(who), 20)) @ nuisance for _ in range(2))
    return who, Seen(plain.astype(np.float32), tuple(copy.astype(np.float32) for copy in copies))


def told_apart(rows, who):
    upper = np.triu(np.ones((len(who), len(who)), dtype=bool), 1)
    return auc((rows @ rows.T)[upper], (who[:, None] == who)[upper])


def test_a_mirror_image_has_the_same_maps(network):
    image = torch.rand(2, 1, 96, 96, generator=torch.Generator().manual_seed(0))
    with torch.inference_mode():
        maps, mirrored = network.maps(image), network.maps(image.flip(3))
        one_way = network.maps(image, mirrored=False)
    # grids are turned back, and those of one cell agree
    assert torch.allclose(maps[:, :1280], mirrored[:, :1280], atol=1e-4)
    assert not torch.allclose(one_way[:, :1280], network.maps(image.flip(3), mirrored=False)[:, :1280], atol=1e-4)


def test_a_calculated_head_sees_through_what_changes_between_images(network):
    who, seen = made(network)
    known = np.flatnonzero(who < 40)
    fit_head(network, seen, known, who[known])
    with torch.inference_mode():
        rows = network.head(torch.from_numpy(seen.plain)).numpy()
    assert rows.shape == (len(who), WIDE + NARROW)
    assert np.linalg.norm(rows, axis=1) == pytest.approx(1, abs=1e-4)
    plain = seen.plain / np.linalg.norm(seen.plain, axis=1, keepdims=True)
    others = who >= 40
    assert told_apart(rows[others], who[others]) > told_apart(plain[others], who[others]) + 0.15


@pytest.fixture(scope="module")
def pixels():
    return build_clinic(Dials(patients=45, seed=2)).pixels(32)


def test_what_was_looked_at_is_kept_and_the_head_is_the_same(pixels, tmp_path):
    config = choose("frozen", image_size=32)
    first = train_identity(pixels, config, work=tmp_path / "work")
    again = train_identity(pixels, config, work=tmp_path / "work")
    assert all(torch.equal(a, b) for a, b in zip(first.network.buffers(), again.network.buffers(), strict=True))
    assert first.card["dimension"] == WIDE + NARROW
    assert embeddings(first.network, pixels.images[:3]).shape == (3, WIDE + NARROW)


@pytest.mark.study
def test_the_command_writes_a_release_that_can_be_audited_and_used_again(tmp_path):
    assert run("phantom", "--patients", 30, "--size", 64, "--out", tmp_path / "clinic").code == 0
    chosen = ("--network", "frozen", "--image-size", 32)
    done = run("train", "identity", tmp_path / "clinic", *chosen, "--out", tmp_path / "network")
    assert done.code == 0, done.err
    assert "head calculated" in done.out
    audit = ("--attacker", "cosine", "--redraws", 100, "--out", tmp_path / "audit")
    assert run("audit", "identity", tmp_path / "network" / "release", *audit).code == 0
    again = run("train", "identity", tmp_path / "clinic", "--from", tmp_path / "network", "--out", tmp_path / "again")
    assert again.code == 0, again.err
    replaced = run("train", "identity", tmp_path / "clinic", *chosen, "--out", tmp_path / "network", "--overwrite")
    assert replaced.code == 0, replaced.err


def test_there_is_nothing_to_set_but_size_and_seed(tmp_path):
    for changes in ({"epochs": 3}, {"as_published": True}, {"backbone": "small"}):
        with pytest.raises(ConfigError):
            choose("frozen", **changes)
    assert run("phantom", "--patients", 10, "--size", 64, "--out", tmp_path / "clinic").code == 0
    asked = ("--network", "frozen", "--epochs", 3, "--out", tmp_path / "network")
    assert "nothing of the frozen network is trained" in refusal("train", "identity", tmp_path / "clinic", *asked)
