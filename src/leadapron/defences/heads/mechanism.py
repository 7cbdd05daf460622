"""One step of the private mechanism: clip each unit's gradient, sum, add noise once."""

from __future__ import annotations

from collections.abc import Sequence

from leadapron.defences.heads.extras import Tensor, need
from leadapron.defences.heads.ghost import output_gradients, squared_norms, weighted_sum
from leadapron.defences.heads.network import Traced
from leadapron.defences.heads.noise import Noise

PURPOSE = "private training"


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
