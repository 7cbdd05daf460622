"""Batches of images: grey tensors, and another exposure of the same chest.

An exposure is small moves, turns and changes of size, brightness, contrast and gamma.

A whole batch at a time, as tensor operations. What is drawn comes from a NumPy generator, so that a batch is the
same whichever thread makes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn import functional

Tensor = Any

TURN, SCALE, SHIFT = 0.03, 0.04, 0.04
"""Standard deviations: radians, logarithm of the size, half image widths; somewhat more than a clinic's own."""
BRIGHTNESS, CONTRAST, GAMMA = 0.05, 0.10, 0.10


def grey(pixels: NDArray[np.uint8]) -> Tensor:
    """8-bit pixels as one channel of 0..1."""
    return torch.from_numpy(pixels)[:, None].float().div_(255)


def augmented(images: Tensor, rng: np.random.Generator) -> Tensor:
    """Each image moved and exposed a little differently."""

    def drawn(spread: float) -> Tensor:
        return torch.from_numpy(rng.normal(0, spread, len(images)).astype(np.float32))

    turn, scale = drawn(TURN), drawn(SCALE).exp()
    across, down = drawn(SHIFT), drawn(SHIFT)
    cosine, sine = scale * turn.cos(), scale * turn.sin()
    moves = torch.stack([torch.stack([cosine, -sine, across], 1), torch.stack([sine, cosine, down], 1)], 1)
    grid = functional.affine_grid(moves, list(images.shape), align_corners=False)
    moved = functional.grid_sample(images, grid, padding_mode="border", align_corners=False)

    gamma, contrast, brightness = (
        values[:, None, None, None] for values in (drawn(GAMMA).exp(), drawn(CONTRAST).exp(), drawn(BRIGHTNESS))
    )
    exposed = moved.clamp_(1e-4, 1).pow_(gamma)  # the power of 0 has no slope
    return exposed.sub_(0.5).mul_(contrast).add_(0.5).add_(brightness).clamp_(0, 1)
