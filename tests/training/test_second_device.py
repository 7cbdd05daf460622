"""Training on another device than the CPU, by a stand-in for a GPU: everything gets there, and comes out the same."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from leadapron.attacks.identity.training import Phase, TrainingConfig, choose
from leadapron.attacks.identity.training.embed import embed
from leadapron.attacks.identity.training.gradcam import siamese_gradcam
from leadapron.attacks.identity.training.network_folder import write_network
from leadapron.attacks.identity.training.train import embeddings, train_identity
from leadapron.cohort.truth import Labels
from leadapron.defences.heads.defend import defend_heads
from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.engine import silent
from leadapron.phantoms import Dials, build_clinic
from leadapron.privacy.secret_noise import SecureNoise
from leadapron.targets.networks import NetworkConfig, networks_of
from leadapron.training.devices import device_of
from leadapron.training.epoch_checkpoint import Checkpoint
from leadapron.training.training_loop import Course, fit
from leadapron.uses.image_network_probe import _scores, _trained
from second_device import PLACE, prefer_second_device
from tiny_heads import tiny_release

SIZE = 32


@pytest.fixture(autouse=True)
def one_thread(monkeypatch):
    monkeypatch.setenv("LEADAPRON_THREADS", "1")


@pytest.fixture
def elsewhere(monkeypatch):
    return prefer_second_device(monkeypatch)


@pytest.fixture(scope="module")
def pixels():
    return build_clinic(Dials(patients=40, seed=1)).pixels(SIZE)


def test_the_stand_in_refuses_what_a_gpu_refuses(elsewhere):
    with elsewhere:
        row = torch.ones(3)
        there = row.to(PLACE)
        assert there.device == PLACE
        assert row.device == torch.device("cpu")
        assert (there * 2).sum().item() == 6
        with pytest.raises(RuntimeError, match="two devices"):
            there + row
        with pytest.raises(RuntimeError, match="numpy"):
            there.numpy()
        with pytest.raises(RuntimeError, match="generator"):
            there.normal_(generator=torch.Generator())
        assert type(there.cpu()) is torch.Tensor


IDENTITY = {
    "retrieval": choose("retrieval", epochs=1, image_size=SIZE),
    "with a memory": TrainingConfig(
        image_size=SIZE, loss="contrastive", optimiser="sgd", patients_a_batch=8, memory=64,
        phases=(Phase(1, 0.05, 0.006, head_only=True), Phase(1, 0.05, 0.006)),
    ),
    "verification": choose("verification", epochs=1, image_size=SIZE, training_pairs=16),
    "frozen": choose("frozen", image_size=SIZE),
}  # fmt: skip


@pytest.mark.parametrize("name", IDENTITY)
@pytest.mark.study
def test_an_identity_network_is_the_same_on_another_device(pixels, elsewhere, name):
    config, images = IDENTITY[name], pixels.images[:4]
    here = train_identity(pixels, config, device="cpu")
    with elsewhere:
        there = train_identity(pixels, config)
        assert device_of(there.network) == PLACE
        np.testing.assert_array_equal(embeddings(there.network, images), embeddings(here.network, images))
        if name != "frozen":  # its maps have one place at this size
            maps = [siamese_gradcam(one.network, *images[:2], strangers=images[2:]) for one in (here, there)]
            np.testing.assert_array_equal(*maps)
    assert here.card["history"] == there.card["history"]
    assert (here.card["device"], there.card["device"]) == ("cpu", "lazy")
    assert here.card["settings"] == there.card["settings"]


def test_a_network_that_was_trained_here_embeds_elsewhere(pixels, elsewhere, monkeypatch, tmp_path):
    monkeypatch.setattr("leadapron.attacks.identity.training.embed.decode", lambda *_given, **_named: pixels)
    write_network(train_identity(pixels, IDENTITY["retrieval"], device="cpu"), tmp_path)
    here = embed(tmp_path, pixels.cohort, tmp_path, device="cpu")
    with elsewhere:
        there = embed(tmp_path, pixels.cohort, tmp_path)
    np.testing.assert_array_equal(here.image, there.image)
    assert [one.card["encoder"]["device"] for one in (here, there)] == ["cpu", "lazy"]


def test_a_network_probe_is_the_same_on_another_device(pixels, elsewhere):
    truth = (np.arange(len(pixels.images)) % 3 == 0)[:, None].astype(np.int8)
    labels, images = Labels(("third",), truth), np.array(pixels.images)
    here = _trained(images, labels, 1, 0, "cpu", silent)
    with elsewhere:
        there = _trained(images, labels, 1, 0, "auto", silent)
        assert device_of(there) == PLACE
        np.testing.assert_array_equal(_scores(there, images), _scores(here, images))


@pytest.mark.parametrize("epsilon", [None, 8.0])
def test_a_target_network_is_the_same_on_another_device(pixels, elsewhere, epsilon, monkeypatch):
    settings = {"depth": 10, "width": 1, "image_size": SIZE, "epochs": 1, "epsilon": epsilon}
    learners = {name: networks_of(pixels, NetworkConfig(**settings, device=name)) for name in ("cpu", "auto")}
    members = (learners["cpu"].data.patient % 2 == 0)[None]
    (here,) = learners["cpu"].train(members, [3])
    made, plain = [], torch.Generator

    def generator(device="cpu"):
        made.append(torch.device(device))
        return plain()

    monkeypatch.setattr(torch, "Generator", generator)
    with elsewhere:
        (there,) = learners["auto"].train(members, [3])
    assert (PLACE in made) == (epsilon is not None)
    np.testing.assert_array_equal(here.answers["full"], there.answers["full"])
    assert (here.card["device"], there.card["device"]) == ("cpu", "lazy")
    assert learners["cpu"].describe() == learners["auto"].describe(), "a study may go on on another device"


@pytest.mark.parametrize(
    ("method", "start"),
    [("private", "biovil-t"), ("prototype", "released"), ("replication", "biovil-t"), ("entropy", "linear")],
)
def test_heads_are_the_same_on_another_device(elsewhere, method, start):
    release, settings = tiny_release(), {"method": method, "start": start, "seed": 1, "epochs": 2, "batch": 16}
    if method == "private":
        settings["records_per_patient"] = 2  # whose losses have weights
    here, card = defend_heads(release, HeadsConfig(**settings, device="cpu"), silent)
    with elsewhere:
        there, other_card = defend_heads(release, HeadsConfig(**settings), silent)
    for side in ("image", "text"):
        np.testing.assert_array_equal(here.arrays[side], there.arrays[side])
    assert (card.facts["trained"]["device"], other_card.facts["trained"]["device"]) == ("cpu", "lazy")
    assert card.settings == other_card.settings


@pytest.mark.parametrize(("first", "second"), [("auto", "cpu"), ("cpu", "auto")])
def test_heads_that_began_on_one_device_end_on_another(elsewhere, tmp_path, first, second):
    release, settings = tiny_release(), {"method": "prototype", "seed": 1, "epochs": 3, "work": tmp_path}
    whole, _ = defend_heads(release, HeadsConfig(**{**settings, "work": None}, device="cpu"), silent)

    def dies(*_said):
        if (tmp_path / "heads.npz").exists():
            raise KeyboardInterrupt

    left = []
    with elsewhere:
        with pytest.raises(KeyboardInterrupt):
            defend_heads(release, HeadsConfig(**settings, device=first), dies)
        gone_on, _ = defend_heads(release, HeadsConfig(**settings, device=second), lambda *said: left.append(said))
    assert 0 < len(left) < left[-1][-1], "the first epoch was not trained again"
    np.testing.assert_array_equal(gone_on.arrays["image"], whole.arrays["image"])


def test_secure_noise_is_drawn_on_the_cpu_and_added_elsewhere(elsewhere):
    here = SecureNoise(bytes(32)).add_normals(torch.zeros(5), 2.0)
    with elsewhere:
        total = torch.zeros(5).to(PLACE)
        assert SecureNoise(bytes(32)).add_normals(total, 2.0) is total
        assert torch.equal(total.cpu(), here)


@pytest.mark.parametrize("devices_used", [("cpu", "lazy"), ("lazy", "cpu")])
def test_a_run_may_go_on_on_another_device(elsewhere, tmp_path, devices_used):
    rows, seen = torch.arange(12.0).view(6, 2) / 12, []

    def run(place, checkpoint=None, dies_after=None):
        torch.manual_seed(0)
        network = torch.nn.Linear(2, 1).to(place)
        optimiser = torch.optim.Adam(network.parameters())

        def step(images, truth):
            seen.append((str(images.device), str(truth.device)))
            loss = (network(images)[:, 0] - truth).square().mean()
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            return loss.item()

        def progress(_stage, done, _total):
            if done == dies_after:
                raise KeyboardInterrupt

        course = Course("", 4, 0.01, 0.1, optimiser, lambda _epoch: [lambda: (rows, rows[:, 0])], step)
        fit(network, [lambda: course], checkpoint=checkpoint, progress=progress)
        return network.weight.detach().cpu()

    first, second = devices_used
    whole = run("cpu")
    seen.clear()
    with elsewhere:
        with pytest.raises(KeyboardInterrupt):
            run(first, Checkpoint(tmp_path, "run"), dies_after=3)
        assert torch.equal(run(second, Checkpoint(tmp_path, "run")), whole)
    assert seen == [(first, first)] * 3 + [(second, second)] * 2, "two epochs were kept, the third was lost"
