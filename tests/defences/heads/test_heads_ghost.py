"""Ghost gradients: their lengths and sums are those of the gradients that torch builds one by one."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.func import functional_call, grad, vmap

from leadapron.defences.heads.head_objectives import bank_infonce
from leadapron.defences.heads.network import Network, fresh_heads, has_batch_norm, swap_norms
from leadapron.privacy.private_steps import clipped_sum, output_gradients, squared_norms, weighted_sum
from tiny_heads import WIDTHS, every_layer

UNITS = 7


class Plain(torch.nn.Module):
    """A head written the usual way, with torch's own layers."""

    def __init__(self, head):
        super().__init__()
        layers = []
        for layer in head.layers:
            tensors = {name: torch.tensor(value) for name, value in layer.tensors.items()}
            layers.append(PLAIN[layer.kind](tensors))
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, rows):
        return torch.nn.functional.normalize(self.layers(rows), dim=-1)


def _plain_linear(tensors):
    module = torch.nn.Linear(tensors["weight"].shape[1], len(tensors["weight"]), bias="bias" in tensors)
    module.load_state_dict(tensors)
    return module


def _plain_norm(tensors):
    module = torch.nn.BatchNorm1d(len(tensors["weight"]), eps=float(tensors["eps"])).eval()
    module.load_state_dict(
        {
            "weight": tensors["weight"],
            "bias": tensors["bias"],
            "running_mean": tensors["mean"],
            "running_var": tensors["variance"],
            "num_batches_tracked": torch.tensor(1),
        }
    )
    return module


def _plain_groups(tensors):
    module = torch.nn.GroupNorm(int(tensors["groups"]), len(tensors["weight"]), eps=float(tensors["eps"]))
    module.load_state_dict({"weight": tensors["weight"], "bias": tensors["bias"]})
    return module


def _plain_layer_norm(tensors):
    module = torch.nn.LayerNorm(len(tensors["weight"]), eps=float(tensors["eps"]))
    module.load_state_dict({"weight": tensors["weight"], "bias": tensors["bias"]})
    return module


PLAIN = {
    "linear": _plain_linear,
    "norm": _plain_norm,
    "groupnorm": _plain_groups,
    "layernorm": _plain_layer_norm,
    "relu": lambda _tensors: torch.nn.ReLU(),
    "gelu": lambda _tensors: torch.nn.GELU(),
}


def batch(rows, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return {side: torch.randn(rows, width, generator=generator) for side, width in WIDTHS.items()}


STRANGERS = [
    torch.nn.functional.normalize(torch.randn(9, 16, generator=torch.Generator().manual_seed(seed)), dim=1)
    for seed in (1, 2)
]


def per_example_gradients(heads, features):
    """Every example's gradient, built whole: rows x parameters, in the order of the flat vector."""
    modules = {side: Plain(head) for side, head in heads.items()}
    parameters = {side: dict(module.named_parameters()) for side, module in modules.items()}
    buffers = {side: dict(module.named_buffers()) for side, module in modules.items()}

    def loss(parameters, image, text):
        embedded = [
            functional_call(modules[side], {**parameters[side], **buffers[side]}, (row[None],))
            for side, row in (("image", image), ("text", text))
        ]
        return bank_infonce(*embedded, *STRANGERS, 0.1).sum()

    gradients = vmap(grad(loss), in_dims=(None, 0, 0))(parameters, features["image"], features["text"])
    rows = len(features["image"])
    parts = [gradients[side][name].reshape(rows, -1) for side in gradients for name in gradients[side]]
    return torch.cat(parts, dim=1).detach()


def traced(heads, features, weights=None):
    network, tape = Network(heads), []
    embedded = [network.embed(side, features[side], tape) for side in WIDTHS]
    losses = bank_infonce(*embedded, *STRANGERS, 0.1)
    return network, tape, losses.sum() if weights is None else losses @ weights


def test_the_network_says_what_the_heads_say():
    heads, features = every_layer(), batch(50)
    network = Network(heads)
    for side in WIDTHS:
        ours, numpys = network.embed(side, features[side]).numpy(), heads[side](features[side].numpy())
        torchs = Plain(heads[side])(features[side]).detach().numpy()
        np.testing.assert_allclose(ours, numpys, atol=2e-6)
        np.testing.assert_allclose(ours, torchs, atol=2e-6)


def test_heads_go_into_the_network_and_come_back():
    heads = every_layer()
    network = Network(heads)
    back = network.heads()
    for side, head in heads.items():
        for before, after in zip(head.layers, back[side].layers, strict=True):
            assert before.kind == after.kind
            assert all((before.tensors[name] == after.tensors[name]).all() for name in before.tensors)
    network.flat += 1  # copies were given away, not views
    assert all(
        (before.tensors["weight"] == after.tensors["weight"]).all()
        for before, after in zip(heads["image"].layers, back["image"].layers, strict=True)
        if "weight" in before.tensors
    )


def test_lengths_of_every_kind_of_layer_are_those_of_whole_gradients():
    heads, features = every_layer(), batch(UNITS)
    network, tape, loss = traced(heads, features)
    whole = per_example_gradients(heads, features)
    assert whole.shape == (UNITS, network.flat.numel())
    deltas = output_gradients(loss, tape)
    np.testing.assert_allclose(squared_norms(tape, deltas).sqrt(), whole.norm(dim=1), rtol=1e-5)
    for one, delta in zip(tape, deltas, strict=True):  # no error may hide behind a larger layer
        columns = np.r_[tuple(one.slot.places.values())]
        np.testing.assert_allclose(
            squared_norms([one], [delta]).sqrt(), whole[:, columns].norm(dim=1), rtol=1e-5, err_msg=one.slot.kind
        )


@pytest.mark.parametrize("clip", [0.05, 1.5, 1e6, None])
def test_the_clipped_sum_is_that_of_whole_gradients(clip):
    heads, features = every_layer(), batch(UNITS)
    network, tape, loss = traced(heads, features)
    whole = per_example_gradients(heads, features)
    factors = torch.ones(UNITS) if clip is None else (clip / whole.norm(dim=1)).clamp(max=1)
    found = clipped_sum(loss, tape, clip, torch.zeros_like(network.flat))
    expected = factors @ whole
    assert (found - expected).norm() <= 1e-5 * expected.norm()


def test_a_patient_with_several_records_is_clipped_once():
    """Three places a patient, of which the second patient fills two and the last one."""
    heads, features = every_layer(), batch(3 * UNITS)
    filled = np.full(UNITS, 3)
    filled[[1, -1]] = 2, 1
    weights = torch.zeros(UNITS, 3)
    for unit, count in enumerate(filled):
        weights[unit, :count] = 1 / count
    network, tape, loss = traced(heads, features, weights.flatten())
    whole = per_example_gradients(heads, features).view(UNITS, 3, -1)
    means = torch.stack([whole[unit, :count].mean(0) for unit, count in enumerate(filled)])
    deltas = output_gradients(loss, tape)
    np.testing.assert_allclose(squared_norms(tape, deltas, 3).sqrt(), means.norm(dim=1), rtol=1e-5)
    _, tape, loss = traced(heads, features, weights.flatten())
    found = clipped_sum(loss, tape, 0.5, torch.zeros_like(network.flat), 3)
    expected = (0.5 / means.norm(dim=1)).clamp(max=1) @ means
    assert (found - expected).norm() <= 1e-5 * expected.norm()


def test_sums_are_added_to_what_is_there():
    heads, features = every_layer(), batch(UNITS)
    network, tape, loss = traced(heads, features)
    deltas = output_gradients(loss, tape)
    once = weighted_sum(tape, deltas, None, torch.zeros_like(network.flat))
    twice = weighted_sum(tape, deltas, None, once.clone())
    torch.testing.assert_close(twice, 2 * once)


@pytest.mark.parametrize("per_unit", [1, 2])
def test_a_gradient_that_is_not_a_number_takes_no_part(per_unit):
    """One patient with absurd features must neither spoil the sum nor count for more than the clip."""
    heads, features = every_layer(), batch(2 * UNITS)
    usual = traced(heads, {side: rows[2:] for side, rows in features.items()})
    features["image"][:2] = 3e38
    network, tape, loss = traced(heads, features)
    found = clipped_sum(loss, tape, 1.5, torch.zeros_like(network.flat), per_unit)
    without = clipped_sum(usual[2], usual[1], 1.5, torch.zeros_like(network.flat), per_unit)
    assert found.isfinite().all()
    assert (found - without).norm() <= 2 * 1.5 / per_unit


def test_fresh_heads_of_biovil_t_have_its_number_of_parameters():
    heads = fresh_heads("biovil-t", 512, 768, 128, 0)
    assert (heads["image"].parameters, heads["text"].parameters) == (82_304, 115_200)
    assert Network(heads).flat.numel() == 197_504
    assert Network(swap_norms(heads)).flat.numel() == 197_504


def test_fresh_heads_depend_on_the_seed_alone():
    one, same, other = (fresh_heads("mlp", 6, 5, 4, seed)["text"].layers[0].tensors["weight"] for seed in (1, 1, 2))
    assert (one == same).all()
    assert (one != other).any()


def test_a_swapped_norm_is_a_group_norm_with_the_same_weights():
    heads = every_layer()
    swapped = swap_norms(heads)
    assert has_batch_norm(heads)
    assert not has_batch_norm(swapped)
    layer = swapped["image"].layers[1]
    assert (layer.kind, int(layer.tensors["groups"])) == ("groupnorm", 16)  # 32 do not divide a width of 16
    assert (layer.tensors["weight"] == heads["image"].layers[1].tensors["weight"]).all()
    assert int(swap_norms(fresh_heads("biovil-t", 512, 768, 128, 0))["image"].layers[1].tensors["groups"]) == 32
    assert swapped["text"].layers == heads["text"].layers
