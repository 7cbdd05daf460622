"""``registered``: the generator for a machine without a graphics card, in closed form.

The mean image is linear in what the prompt says; around it images vary like those of the training patients.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue

from leadapron.engine import Progress, silent
from leadapron.errors import DataError
from leadapron.generation.conditions import Odds, design, expected, learn_odds, thrown
from leadapron.generation.generator import Bytes, Drawn, Guides
from leadapron.generation.prompt_reading import read_prompt

Floats = NDArray[np.float32]
RIDGE = 8.0
COMPONENTS = 300
BLOCK = 256
FEWEST_IMAGES = 20


@dataclass(frozen=True)
class RegisteredGenerator:
    """Fitted on training patients; what it holds are means and directions, and no image."""

    size: int
    odds: Odds
    mean: Floats
    basis: Floats
    spread: Floats
    grain: Floats
    facts: Mapping[str, JsonValue] = field(default_factory=dict)

    def draw(
        self, prompts: Sequence[str], *, seed: int, guides: Guides | None = None, progress: Progress = silent
    ) -> Drawn:
        rng = np.random.default_rng([seed, len(prompts)])
        drawn, clipped = np.empty((len(prompts), self.size, self.size), np.uint8), 0
        for start in range(0, len(prompts), BLOCK):
            rows = slice(start, min(start + BLOCK, len(prompts)))
            mean = design(thrown([read_prompt(one) for one in prompts[rows]], self.odds, rng)) @ self.mean
            fresh = rng.standard_normal((len(mean), len(self.spread)), np.float32)
            noise = rng.standard_normal(mean.shape, np.float32) * self.grain
            if guides is not None:
                rest = guides.images[rows].reshape(mean.shape).astype(np.float32) - mean
                own = rest @ self.basis.T
                keep, new = np.float32(1 - guides.strength), np.sqrt(np.float32(1 - (1 - guides.strength) ** 2))
                noise = keep * (rest - own @ self.basis) + new * noise
                values = keep * own + new * fresh * self.spread
            else:
                values = fresh * self.spread
            pixels = mean + values @ self.basis + noise
            wild = ~np.isfinite(pixels).all(axis=1) | (np.abs(pixels).max(axis=1) > 1000)
            clipped += int(wild.sum())
            drawn[rows] = np.nan_to_num(pixels).clip(0, 255).round().reshape(-1, self.size, self.size)
            progress("drawing counterparts", rows.stop, len(prompts))
        return Drawn(drawn, clipped)


def fit_registered(
    images: Bytes,
    prompts: Sequence[str],
    *,
    seed: int = 0,  # noqa: ARG001
    work: Path | None = None,  # noqa: ARG001
    progress: Progress = silent,
) -> RegisteredGenerator:
    """From the images of training patients and what is said of each."""
    if len(images) < FEWEST_IMAGES:
        raise DataError("a generator needs more images", got=len(images), allowed=f"{FEWEST_IMAGES} or more")
    size = images.shape[1]
    readings = [read_prompt(one) for one in prompts]
    odds = learn_odds(readings)
    columns = design(expected(readings, odds))
    pixels = images.reshape(len(images), -1).astype(np.float32)
    gram = columns.T @ columns + RIDGE * np.eye(columns.shape[1], dtype=np.float32)
    mean = np.linalg.solve(gram, columns.T @ pixels).astype(np.float32)
    rest = pixels - columns @ mean
    keep = min(COMPONENTS, len(images) // 2)
    _, _, basis = np.linalg.svd(rest[: 4 * COMPONENTS], full_matrices=False)
    basis = basis[:keep]
    spread = (rest @ basis.T).std(axis=0)
    grain = (rest - (rest @ basis.T) @ basis).std(axis=0)
    progress("fitting the generator", 1, 1)
    return RegisteredGenerator(size, odds, mean, basis, spread, grain, {"components": int(keep)})
