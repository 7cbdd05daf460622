"""The step itself, audited: neighbours that were made to break it, and canaries in the real loop."""

from __future__ import annotations

import warnings
from dataclasses import replace
from unittest import mock

import numpy as np
import pytest
import torch

from leadapron.defences.heads import head_training as loop
from leadapron.defences.heads.head_objectives import AgainstBank, AgainstBatch
from leadapron.defences.heads.head_training import Pairs, Recipe, train
from leadapron.defences.heads.network import Network, fresh_heads
from leadapron.defences.heads.strangers import Bank
from leadapron.privacy.poisson_sampling import Units
from leadapron.privacy.private_steps import clipped_sum
from leadapron.privacy.secret_noise import SecureNoise, SeededNoise
from leadapron.release import Layer, Projection
from privacy_audits import gaussian_audit
from tiny_heads import WIDTHS, every_layer

CLIP = 1.5
COPIES = 127


def single_units(count):
    return Units("record", np.arange(count), np.arange(count + 1))


# ---------------------------------------------------------------- neighbours


def identity_heads(width):
    head = Projection((Layer("linear", {"weight": np.eye(width, dtype=np.float32)}),))
    return {"image": head, "text": head}


def crafted_neighbours(width=16):
    """127 copies of a pair that does not match, and one more pair whose text is what their image shows."""
    axes = np.eye(width, dtype=np.float32)
    image, text = np.repeat(axes[:1], COPIES, axis=0), np.repeat(axes[1:2], COPIES, axis=0)
    return (np.vstack([image, axes[2:3]]), np.vstack([text, axes[:1]]))


def sum_of(heads, objective, image, text, clip=CLIP):
    network, tape = Network(heads), []
    objective.prepare(network, 0)
    embedded = [network.embed(s, torch.from_numpy(rows), tape) for s, rows in (("image", image), ("text", text))]
    losses = objective(*embedded, np.arange(len(image)))
    return clipped_sum(losses.sum(), tape, clip, torch.zeros_like(network.flat))


def some_bank(width, seed=3):
    rng = np.random.default_rng(seed)
    return Bank(*(rng.standard_normal((20, width)).astype(np.float32) for _ in range(2)), "test")


@pytest.mark.parametrize("temperature", [0.07, 0.5])
def test_one_pair_more_moves_the_private_sum_by_the_clip_at_most(temperature):
    image, text = crafted_neighbours()
    objective = AgainstBank(some_bank(16), temperature)
    whole = sum_of(identity_heads(16), objective, image, text)
    for left_out in (0, COPIES):
        rest = np.delete(np.arange(COPIES + 1), left_out)
        moved = (whole - sum_of(identity_heads(16), objective, image[rest], text[rest])).norm()
        assert 0.1 * CLIP < moved <= CLIP * (1 + 1e-4)


def test_one_pair_more_moves_the_published_sum_by_more_than_a_hundred_clips():
    """Why the published epsilon is no guarantee: the accountant counts one clip here."""
    image, text = crafted_neighbours()
    objective = AgainstBatch(0.07)
    moved = sum_of(identity_heads(16), objective, image, text) - sum_of(
        identity_heads(16), objective, image[:-1], text[:-1]
    )
    assert moved.norm() > 100 * CLIP
    assert moved.norm() <= (2 * (COPIES + 1) - 1) * CLIP * (1 + 1e-4)  # and what the proof allows is not exceeded


@pytest.mark.parametrize("seed", range(4))
def test_ordinary_neighbours_of_every_layer_stay_within_the_clip(seed):
    rng = np.random.default_rng(seed)
    rows = {side: (3 * rng.standard_normal((40, width))).astype(np.float32) for side, width in WIDTHS.items()}
    bank = Bank(*(rng.standard_normal((20, width)).astype(np.float32) for width in WIDTHS.values()), "test")
    heads = every_layer(seed)
    whole = sum_of(heads, AgainstBank(bank, 0.07), rows["image"], rows["text"], 0.7)
    without = sum_of(heads, AgainstBank(bank, 0.07), rows["image"][1:], rows["text"][1:], 0.7)
    assert (whole - without).norm() <= 0.7 * (1 + 1e-4)


# ---------------------------------------------------------------- canaries in the real loop


class Recorder:
    """In place of AdamW: keeps the noisy gradients that the loop would step along."""

    def __init__(self, parameters, **_options):
        (self.flat,) = parameters
        self.gradients = []
        Recorder.last = self

    def step(self):
        self.gradients.append(self.flat.grad.clone())


class Dirac:
    """Each canary's gradient is 5 clips long and points along one coordinate of its own."""

    def __init__(self, rows, width):
        self._rows, self._width = rows, width

    def prepare(self, _network, _step): ...

    def __call__(self, image, text, rows):
        places = 1 + torch.from_numpy(self._rows[rows])
        return 5 * CLIP * image[torch.arange(len(rows)), places] + 0 * text.sum(1)


def canary_scores(noise, *, clip, sigma, scale=1.0, side=48, seed=0):
    """One step at sampling rate 1 with every canary in or out by a coin; what an attacker reads off the gradient."""
    count = side * side
    inside = np.random.default_rng(seed).random(count) < 0.5
    weight = np.zeros((side + 1, side), dtype=np.float32)
    weight[0] = 1  # every one-hot row is embedded as the first axis, across which a gradient passes unchanged
    image = Projection((Layer("linear", {"weight": weight}),))
    text = Projection((Layer("linear", {"weight": np.ones((side + 1, 2), dtype=np.float32)}),))
    network = Network({"image": image, "text": text})
    row, column = np.divmod(np.flatnonzero(inside), side)
    features = {"image": np.eye(side, dtype=np.float32)[column], "text": np.ones((len(row), 2), dtype=np.float32)}
    recipe = Recipe(1, 1, count, 1.0, clip, sigma)
    with mock.patch.object(torch.optim, "AdamW", Recorder):
        train(network, Pairs(features, single_units(len(row))), Dirac(row, side), recipe, noise)
    gradient = Recorder.last.gradients[0][: weight.size] * count * scale
    return gradient.view(weight.shape)[1:].flatten().numpy() / CLIP, inside


@pytest.mark.parametrize("kind", ["secure", "seeded"])
@pytest.mark.parametrize("sigma", [1.0, 2.0])
def test_the_step_keeps_what_it_claims(kind, sigma):
    noise = SecureNoise(bytes(32)) if kind == "secure" else SeededNoise(1)
    scores, inside = canary_scores(noise, clip=CLIP, sigma=sigma)
    assert gaussian_audit(scores, inside) <= 1 / sigma
    # and no more noise than that: the mean and the spread are those of the mechanism
    assert scores[inside].mean() == pytest.approx(1, abs=4 * sigma / inside.sum() ** 0.5)
    assert scores[~inside].std() == pytest.approx(sigma, rel=0.1)


@pytest.mark.parametrize(
    "bug", [{"sigma": 0.5}, {"sigma": 0.0}, {"clip": None, "sigma": CLIP}, {"sigma": 1 / CLIP}],
    ids=["noise halved", "noise off", "clip off", "noise without the clip"],
)  # fmt: skip
def test_the_step_audit_finds_a_planted_bug(bug):
    scores, inside = canary_scores(SeededNoise(1), **{"clip": CLIP, "sigma": 1.0, **bug})
    assert gaussian_audit(scores, inside) > 1.0


# ---------------------------------------------------------------- the loop


def run_steps(recipe, units, objective, features, noise):
    network = Network(every_layer())
    with mock.patch.object(torch.optim, "AdamW", Recorder):
        train(network, Pairs(features, units), objective, recipe, noise)
    return Recorder.last.gradients


def features_of(rows, seed=0):
    rng = np.random.default_rng(seed)
    return {side: rng.standard_normal((rows, width)).astype(np.float32) for side, width in WIDTHS.items()}


def bank_objective():
    rng = np.random.default_rng(8)
    return AgainstBank(Bank(*(rng.standard_normal((9, w)).astype(np.float32) for w in WIDTHS.values()), "test"), 0.1)


RECIPE = Recipe(epochs=2, steps_an_epoch=3, batch=10, rate=0.5, clip=CLIP, sigma=1.0)


def test_an_empty_draw_takes_a_noisy_step_all_the_same():
    recipe = replace(RECIPE, rate=1e-12)
    gradients = run_steps(recipe, single_units(20), bank_objective(), features_of(20), SeededNoise(0))
    assert len(gradients) == 6
    for gradient in gradients:
        assert gradient.std() * recipe.batch == pytest.approx(CLIP, rel=0.1)


def test_the_sum_is_divided_by_the_expected_size():
    """Whatever was drawn: the size of a draw tells who was in it."""
    everybody = replace(RECIPE, epochs=1, steps_an_epoch=1, rate=1.0, sigma=0.0)
    for expected in (5, 40):
        (gradient,) = run_steps(
            replace(everybody, batch=expected), single_units(20), bank_objective(), features_of(20), SeededNoise(0)
        )
        rows = features_of(20)
        objective = bank_objective()
        whole = sum_of(every_layer(), objective, rows["image"], rows["text"])
        torch.testing.assert_close(gradient * expected, whole, rtol=1e-4, atol=1e-6)


def test_without_data_the_steps_are_noise_alone():
    recipe = replace(RECIPE, uses_data=False)
    gradients = run_steps(recipe, single_units(20), None, features_of(20), SeededNoise(0))
    assert len(gradients) == 6
    assert torch.stack(gradients).std() * recipe.batch == pytest.approx(CLIP, rel=0.05)


def test_a_large_batch_in_parts_is_the_same_sum():
    recipe = replace(RECIPE, epochs=1, steps_an_epoch=1, rate=1.0, sigma=0.0)
    units = Units("patient", np.arange(40), np.arange(0, 41, 2))
    for per_unit in (1, 2):
        chosen = replace(recipe, per_unit=per_unit)
        (whole,) = run_steps(chosen, units, bank_objective(), features_of(40), SeededNoise(0))
        with mock.patch.object(loop, "MOST_AT_ONCE", 7):
            (parts,) = run_steps(chosen, units, bank_objective(), features_of(40), SeededNoise(0))
        torch.testing.assert_close(whole, parts, rtol=1e-4, atol=1e-6)


# ---------------------------------------------------------------- Opacus, record by record


@pytest.mark.parametrize("loss", ["bank", "batch"])
def test_clipped_sums_are_those_of_opacus(loss):
    """The private loss, and the published one with what Opacus takes for per-example gradients there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        opacus = pytest.importorskip("opacus", reason="opacus, the oracle, is not installed")
        from opacus.optimizers import DPOptimizer
    heads = fresh_heads("mlp", *WIDTHS.values(), 16, 2)
    rows = features_of(12, seed=4)
    objective = bank_objective() if loss == "bank" else AgainstBatch(0.07)
    ours = sum_of(heads, objective, rows["image"], rows["text"], 0.8)

    modules = torch.nn.ModuleDict()
    for side, head in heads.items():
        first, norm, _, last = head.layers
        modules[side] = torch.nn.Sequential(
            torch.nn.Linear(WIDTHS[side], 16), torch.nn.LayerNorm(16), torch.nn.GELU(), torch.nn.Linear(16, 16)
        )
        for place, layer in ((0, first), (1, norm), (3, last)):
            tensors = {name: torch.tensor(layer.tensors[name]) for name in ("weight", "bias")}
            modules[side][place].load_state_dict(tensors)

    class Both(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.heads = modules

        def forward(self, image, text):
            sides = (self.heads["image"](image), self.heads["text"](text))
            return [torch.nn.functional.normalize(side, dim=1) for side in sides]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = opacus.GradSampleModule(Both())
        optimiser = DPOptimizer(
            torch.optim.SGD(model.parameters(), lr=1.0), noise_multiplier=0.0, max_grad_norm=0.8, expected_batch_size=12
        )
        embedded = model(torch.from_numpy(rows["image"]), torch.from_numpy(rows["text"]))
        objective.prepare(Network(heads), 0)
        objective(*embedded, np.arange(12)).mean().backward()
        optimiser.pre_step()
    theirs = torch.cat([parameter.grad.flatten() for parameter in model.parameters()]) * 12
    assert (ours - theirs).norm() <= 1e-4 * theirs.norm()
