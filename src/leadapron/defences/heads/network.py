"""Both heads as one flat vector of parameters, run so that every layer leaves behind what a gradient needs.

The forward pass writes a tape: for each layer with weights its input and its output. One backward pass to those
outputs, and not to the weights, then gives all that per-example gradients are made of (see ``privacy.private_steps``).
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from leadapron.engine.extras import Tensor, need
from leadapron.privacy.private_steps import Slot, Traced
from leadapron.release import Layer, Projection
from leadapron.release.heads import SIDES, TRAINABLE
from leadapron.training import devices

PURPOSE = "training heads"


class Network:
    """The heads of both sides, trainable, on a device; features that are to be embedded are moved there."""

    def __init__(self, heads: Mapping[str, Projection], device: str = "cpu") -> None:
        torch, place = need("torch", PURPOSE), devices.device(device)
        self._start = {side: heads[side].layers for side in SIDES}
        values, self.slots = [], {}
        end = 0
        for side, layers in self._start.items():
            slots = []
            for layer in layers:
                trained = {name: layer.tensors[name] for name in TRAINABLE if name in layer.tensors}
                places = {}
                for name, tensor in trained.items():
                    start, end = end, end + tensor.size
                    places[name] = slice(start, end)
                    values.append(tensor.ravel())
                slots.append(Slot(layer.kind, places, {name: tensor.shape for name, tensor in trained.items()}))
            self.slots[side] = tuple(slots)
        self.flat: Tensor = torch.from_numpy(np.concatenate(values)).to(place)
        self._given = {
            (side, number): {
                name: torch.tensor(tensor, device=place)
                for name, tensor in layer.tensors.items()
                if name not in TRAINABLE
            }
            for side, layers in self._start.items()
            for number, layer in enumerate(layers)
        }

    def heads(self) -> dict[str, Projection]:
        """The heads as they are now, as plain data."""
        return {
            side: Projection(tuple(map(self._layer, layers, self.slots[side]))) for side, layers in self._start.items()
        }

    def _layer(self, start: Layer, slot: Slot) -> Layer:
        trained = {name: slot.view(self.flat, name).cpu().numpy().copy() for name in slot.places}
        return Layer(start.kind, {**start.tensors, **trained})

    def embed(self, side: str, features: Tensor, tape: list[Traced] | None = None) -> Tensor:
        """Rows of length one. With a ``tape`` the pass can be followed backwards to every layer's output."""
        functional = need("torch.nn.functional", PURPOSE)
        rows = features.to(self.flat.device)
        for place, slot in enumerate(self.slots[side]):
            if not slot.places:
                rows = getattr(functional, slot.kind)(rows)
                continue
            seen = rows if slot.kind == "linear" else self._standardised(side, place, rows)
            weight = slot.view(self.flat, "weight")
            bias = slot.view(self.flat, "bias") if "bias" in slot.places else None
            rows = functional.linear(seen, weight, bias) if slot.kind == "linear" else seen * weight + bias
            if tape is not None:
                if not rows.requires_grad:  # the first layer: features and weights are constants to this pass
                    rows.requires_grad_()
                tape.append(Traced(slot, seen.detach(), rows))
        return functional.normalize(rows, dim=1)

    def _standardised(self, side: str, place: int, rows: Tensor) -> Tensor:
        """The part of a norm that has no weights. No row sees another: the statistics of a batch norm are frozen."""
        functional = need("torch.nn.functional", PURPOSE)
        kind, given = self.slots[side][place].kind, self._given[side, place]
        if kind == "norm":
            return (rows - given["mean"]) * (given["variance"] + given["eps"]).rsqrt()
        if kind == "layernorm":
            return functional.layer_norm(rows, rows.shape[1:], eps=float(given["eps"]))
        groups = int(given["groups"])
        grouped = functional.layer_norm(
            rows.view(len(rows), groups, -1), (rows.shape[1] // groups,), eps=float(given["eps"])
        )
        return grouped.reshape(rows.shape)


def swap_norms(heads: Mapping[str, Projection], groups: int = 32) -> dict[str, Projection]:
    """Every batch norm replaced by a group norm with the same weights, as the published study did.

    It changes what the heads say before any training: it is a defence of its own, and its own control.
    """
    return {
        side: Projection(tuple(_swapped(layer, groups) if layer.kind == "norm" else layer for layer in head.layers))
        for side, head in heads.items()
    }


def _swapped(layer: Layer, groups: int) -> Layer:
    width = len(layer.tensors["weight"])
    while width % groups:  # a head narrower than BioViL-T's
        groups -= 1
    kept = {name: layer.tensors[name] for name in ("weight", "bias", "eps")}
    return Layer("groupnorm", {**kept, "groups": np.array(groups, dtype=np.float32)})


def has_batch_norm(heads: Mapping[str, Projection]) -> bool:
    return any(layer.kind == "norm" for head in heads.values() for layer in head.layers)


def fresh_heads(kind: str, image: int, text: int, dimension: int, seed: int) -> dict[str, Projection]:
    """Heads that have seen nothing: for a release without any, or one whose heads saw the patients to protect."""
    rng = np.random.default_rng(seed)
    return {side: FRESH[kind](width, dimension, side, rng) for side, width in zip(SIDES, (image, text), strict=True)}


def _linear(rng: np.random.Generator, inputs: int, outputs: int, *, bias: bool = True) -> Layer:
    """Weights that keep the size of what passes through."""
    weight = (rng.standard_normal((outputs, inputs)) / np.sqrt(inputs)).astype(np.float32)
    return Layer("linear", {"weight": weight} | ({"bias": np.zeros(outputs, dtype=np.float32)} if bias else {}))


def _number(value: float) -> np.ndarray:
    return np.array(value, dtype=np.float32)


def _unit_norm(width: int, kind: str, eps: float, **more: np.ndarray) -> Layer:
    ones, zeros = np.ones(width, dtype=np.float32), np.zeros(width, dtype=np.float32)
    return Layer(kind, {"weight": ones, "bias": zeros, "eps": _number(eps), **more})


def _one_linear(inputs: int, outputs: int, _side: str, rng: np.random.Generator) -> Projection:
    return Projection((_linear(rng, inputs, outputs, bias=False),))


def _mlp(inputs: int, outputs: int, _side: str, rng: np.random.Generator) -> Projection:
    norm = _unit_norm(outputs, "layernorm", 1e-5)
    return Projection((_linear(rng, inputs, outputs), norm, Layer("gelu"), _linear(rng, outputs, outputs)))


def _biovil_t(inputs: int, outputs: int, side: str, rng: np.random.Generator) -> Projection:
    """The shapes of BioViL-T: 82,304 parameters on the image side and 115,200 on the text side at 512, 768 and 128."""
    if side == "image":
        ones, zeros = np.ones(outputs, dtype=np.float32), np.zeros(outputs, dtype=np.float32)
        norm = _unit_norm(outputs, "norm", 1e-5, mean=zeros, variance=ones)
        first = _linear(rng, inputs, outputs, bias=False)
        return Projection((first, norm, Layer("relu"), _linear(rng, outputs, outputs)))
    norm = _unit_norm(outputs, "layernorm", 1e-12)
    return Projection((_linear(rng, inputs, outputs), Layer("gelu"), norm, _linear(rng, outputs, outputs)))


FRESH = {"linear": _one_linear, "mlp": _mlp, "biovil-t": _biovil_t}
