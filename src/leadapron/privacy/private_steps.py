"""One step of private training: clip each unit's gradient, sum, add noise once. No gradient of a unit is ever built.

Their lengths, and their weighted sum, come from one backward pass. A linear layer's gradient on one row is the outer
product of what came out wrong (d) and what went in (a), so its squared length is |d|²(|a|² + 1) with a bias and
|d|²|a|² without; for the weights and biases of a norm it is |d·x|² + |d|², where x is the standardised row. The sum of
gradients, each with a weight of its own, is one matrix product per layer: (w·d)ᵀa. (Goodfellow 2015; Li et al. 2022;
"book-keeping", Bu et al. 2023.)

Where a unit has several rows, ``per_unit`` says how many (padded with rows of weight zero), and all of its rows make
one gradient: |Σ dᵣaᵣᵀ|² = Σᵣₛ (dᵣ·dₛ)(aᵣ·aₛ).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from leadapron.engine.extras import Tensor, need
from leadapron.privacy.secret_noise import Noise

PURPOSE = "private training"


@dataclass(frozen=True)
class Slot:
    """Where a layer's trainable tensors lie in the flat vector of all parameters, and their shapes."""

    kind: str
    """``linear``, or a norm's name."""
    places: Mapping[str, slice]
    shapes: Mapping[str, tuple[int, ...]]

    def view(self, flat: Tensor, name: str) -> Tensor:
        return flat[self.places[name]].view(self.shapes[name])


@dataclass(frozen=True)
class Traced:
    """What a layer with weights saw (``inputs``; standardised, for a norm) and said (``outputs``), row by row."""

    slot: Slot
    inputs: Tensor
    outputs: Tensor


def clipped_sum(loss: Tensor, tape: Sequence[Traced], clip: float | None, out: Tensor, per_unit: int = 1) -> Tensor:
    """Σ over units of g · min(1, clip/|g|), added to ``out``; without ``clip`` the plain sum of gradients."""
    torch = need("torch", PURPOSE)
    with torch.no_grad():
        deltas = output_gradients(loss, tape)
        if clip is None:
            return weighted_sum(tape, deltas, None, out, per_unit)
        lengths = squared_norms(tape, deltas, per_unit).sqrt_()
        if not lengths.isfinite().all():
            lengths = _without_overflow(tape, deltas, lengths, per_unit)
        return weighted_sum(tape, deltas, clip / lengths.clamp_(min=clip), out, per_unit)


def _without_overflow(tape: Sequence[Traced], deltas: Sequence[Tensor], lengths: Tensor, per_unit: int) -> Tensor:
    """A unit whose gradient is not a number takes no part: one of them would give itself away by spoiling the sum."""
    rows = lengths.isfinite().repeat_interleave(per_unit).logical_not_()
    for tensor in (*(traced.inputs for traced in tape), *deltas):
        tensor[rows] = 0
    return lengths.nan_to_num_(nan=0.0, posinf=0.0, neginf=0.0)


def noisy(total: Tensor, clip: float, sigma: float, noise: Noise) -> Tensor:
    """``total`` with the noise that hides any one unit's share of it: standard deviation sigma x clip, once a step."""
    return noise.add_normals(total, sigma * clip) if sigma else total


def output_gradients(loss: Tensor, tape: Sequence[Traced]) -> list[Tensor]:
    """How ``loss`` changes with each traced output: one backward pass that never touches a weight."""
    return list(need("torch", PURPOSE).autograd.grad(loss, [traced.outputs for traced in tape]))


def squared_norms(tape: Sequence[Traced], deltas: Sequence[Tensor], per_unit: int = 1) -> Tensor:
    """The squared length of each unit's gradient over all layers."""
    return sum(_squared_norm(traced, delta, per_unit) for traced, delta in zip(tape, deltas, strict=True))


def _squared_norm(traced: Traced, delta: Tensor, per_unit: int) -> Tensor:
    units = len(delta) // per_unit
    summed = delta if per_unit == 1 else delta.view(units, per_unit, -1).sum(1)
    biased = "bias" in traced.slot.places
    if traced.slot.kind != "linear":
        product = delta * traced.inputs
        weight = product if per_unit == 1 else product.view(units, per_unit, -1).sum(1)
        return _row_squares(weight) + _row_squares(summed)
    if per_unit == 1:
        length = _row_squares(delta)
        return length * (_row_squares(traced.inputs) + 1 if biased else _row_squares(traced.inputs))
    gram = _gram(delta, units) * _gram(traced.inputs, units)
    return gram.sum((1, 2)) + (_row_squares(summed) if biased else 0)


def _row_squares(rows: Tensor) -> Tensor:
    return need("torch", PURPOSE).linalg.vector_norm(rows, dim=1).square_()


def _gram(rows: Tensor, units: int) -> Tensor:
    """Every unit's rows against each other."""
    rows = rows.view(units, -1, rows.shape[1])
    return rows @ rows.transpose(1, 2)


def weighted_sum(
    tape: Sequence[Traced], deltas: Sequence[Tensor], weights: Tensor | None, out: Tensor, per_unit: int = 1
) -> Tensor:
    """Σ weight x gradient over all units, added to the flat vector ``out``; without weights the plain sum."""
    if weights is not None:
        rows = (weights if per_unit == 1 else weights.repeat_interleave(per_unit)).unsqueeze(1)
        deltas = [delta * rows for delta in deltas]
    for traced, delta in zip(tape, deltas, strict=True):
        weight = traced.slot.view(out, "weight")
        if traced.slot.kind == "linear":
            weight.addmm_(delta.T, traced.inputs)
        else:
            weight.add_((delta * traced.inputs).sum(0))
        if "bias" in traced.slot.places:
            traced.slot.view(out, "bias").add_(delta.sum(0))
    return out
