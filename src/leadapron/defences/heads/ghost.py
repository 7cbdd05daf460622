"""Per-example gradients that are never built: their lengths, and their weighted sum, from one backward pass.

A linear layer's gradient on one row is the outer product of what came out wrong (d) and what went in (a), so its
squared length is |d|²(|a|² + 1) with a bias and |d|²|a|² without; for the weights and biases of a norm it is
|d·x|² + |d|², where x is the standardised row. The sum of gradients, each with a weight of its own, is one matrix
product per layer: (w·d)ᵀa. (Goodfellow 2015; Li et al. 2022; "book-keeping", Bu et al. 2023.)

Where a unit has several rows, ``per_unit`` says how many (padded with rows of weight zero), and all of its rows make
one gradient: |Σ dᵣaᵣᵀ|² = Σᵣₛ (dᵣ·dₛ)(aᵣ·aₛ).
"""

from __future__ import annotations

from collections.abc import Sequence

from leadapron.defences.heads.extras import Tensor, need
from leadapron.defences.heads.network import Traced

PURPOSE = "training heads"


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
    if traced.slot.layer.kind != "linear":
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
        if traced.slot.layer.kind == "linear":
            weight.addmm_(delta.T, traced.inputs)
        else:
            weight.add_((delta * traced.inputs).sum(0))
        if "bias" in traced.slot.places:
            traced.slot.view(out, "bias").add_(delta.sum(0))
    return out
