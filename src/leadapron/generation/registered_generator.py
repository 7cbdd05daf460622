"""``registered``: the generator for a machine without a graphics card, in closed form.

Chests are laid over a template first, so that what is left to model is what differs: a deformation, a mean image that
is linear in what the prompt says, and Gaussian variation around both. Samples are sums of directions that are learnt
of many patients; no piece of an image is ever kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from pydantic import JsonValue
from threadpoolctl import threadpool_limits

from leadapron.engine import Progress, parallel_map, silent
from leadapron.generation.bent_layers import BentLayer
from leadapron.generation.chest_model import ChestModel
from leadapron.generation.conditions import PLACED, Conditions, Odds, design, thrown
from leadapron.generation.generator import Bools, Bytes, Drawn, Guides
from leadapron.generation.layer_fitting import IN_LUNG, Key, on_side, own_columns, where_and_size
from leadapron.generation.local_layers import Layer
from leadapron.generation.registration import Template
from leadapron.generation.texture import Texture
from leadapron.generation.warping import POINTS, into_frame, out_of_frame
from leadapron.generation.word_topics import Topics
from leadapron.reports.prompt_reading import read_prompt

Floats = NDArray[np.float32]

BLOCK, AT_ONCE = 128, 2048
WILD = 600.0
"""Grey levels beyond 0 to 255: an image with one of them has exploded."""


@dataclass(frozen=True)
class RegisteredGenerator:
    """Fitted on training patients; what it holds are means and directions, and no image."""

    template: Template
    odds: Odds
    topics: Topics
    chest: ChestModel
    layers: Mapping[Key, Layer | BentLayer]
    field_mean: Floats
    field_basis: Floats
    texture: Texture
    grain: Floats
    facts: Mapping[str, JsonValue] = field(default_factory=dict)

    @property
    def size(self) -> int:
        return len(self.grain)

    @property
    def at_once(self) -> int:
        return AT_ONCE

    def draw(
        self,
        prompts: Sequence[str],
        *,
        seed: int,
        guides: Guides | None = None,
        first: int = 0,
        progress: Progress = silent,
    ) -> Drawn:
        drawn, done = np.empty((len(prompts), self.size, self.size), np.uint8), 0

        def one(start: int) -> Bools:
            nonlocal done
            rows = slice(start, min(start + BLOCK, len(prompts)))
            own = None if guides is None else Guides(guides.images[rows], guides.strength)
            pixels = self._block(prompts[rows], np.random.default_rng([seed, first + start]), own)
            bad = ~np.isfinite(pixels).all(axis=(1, 2)) | (np.abs(pixels - 127.5).max(axis=(1, 2)) > 127.5 + WILD)
            drawn[rows] = np.nan_to_num(pixels).clip(0, 255).round()
            done += len(pixels)
            progress("drawing counterparts", done, len(prompts))
            return np.asarray(bad)

        with threadpool_limits(1):  # sums that are split over threads would depend on the machine
            wild = parallel_map(one, range(0, len(prompts), BLOCK))
        return Drawn(drawn, np.concatenate(wild), np.zeros(len(prompts), np.bool_))

    def _block(self, prompts: Sequence[str], rng: np.random.Generator, guides: Guides | None) -> Floats:
        conditions = thrown([read_prompt(one) for one in prompts], self.odds, rng)
        columns = np.concatenate([design(conditions), self.topics.of(prompts)], axis=1)
        fresh, mean = self.chest.draw(columns, presence(conditions), rng)
        noise = rng.standard_normal((len(prompts), self.size, self.size), np.float32)
        shapes, shift = len(self.field_basis), columns @ self.chest.shift
        self._lay(mean, conditions, rng)
        texture = self.texture.sample(len(prompts), rng)
        if guides is None:
            return np.asarray(self._render(fresh, shift, mean + texture) + noise * self._grain(fresh, shift))
        keep = np.float32(1 - guides.strength)
        new = np.sqrt(1 - keep**2)
        own = self._encode(guides.images, shift, mean)
        rest = guides.images.astype(np.float32) - self._render(own, shift, mean)
        mixed = keep * own + new * fresh
        mixed[:, shapes] = fresh[:, shapes]
        drawn = self._render(mixed, shift, mean + new * texture)
        return np.asarray(drawn + keep * rest + new * noise * self._grain(mixed, shift))

    def _lay(self, mean: Floats, conditions: Conditions, rng: np.random.Generator) -> None:
        """Add what is small, each at a place of its own."""
        frames = mean.reshape(-1, self.size, self.size)
        for (name, side), layer in self.layers.items():
            said = where_and_size(conditions, name)
            for row in np.flatnonzero(on_side(conditions, name, side) > 0.5):
                layer.lay(frames[row], said[row], rng)

    def _grain(self, values: Floats, shift: Floats) -> Floats:
        column = len(self.field_basis)
        loud = np.exp(values[:, column] + shift[:, column]).clip(0.2, 5)
        strength: Floats = loud[:, None, None] * self.grain
        return strength

    def _render(self, values: Floats, shift: Floats, mean: Floats) -> Floats:
        """Coefficients to an image: the frame, and then the deformation."""
        shapes = len(self.field_basis)
        fields = self._fields(values[:, :shapes] + shift[:, :shapes])
        frames = (mean + values[:, shapes + 1 :] @ self.chest.basis).reshape(-1, self.size, self.size)
        return out_of_frame(frames, fields)

    def _fields(self, shapes: Floats) -> Floats:
        return np.asarray(shapes @ self.field_basis + self.field_mean, np.float32).reshape(-1, 2, POINTS, POINTS)

    def _encode(self, images: Bytes, shift: Floats, mean: Floats) -> Floats:
        """The coefficients of images, beside what their prompts say."""
        shapes = len(self.field_basis)
        flat = self.template.register(images).reshape(len(images), -1)
        known: Floats = (flat - self.field_mean).astype(np.float32) @ self.field_basis.T
        rest = into_frame(images, self._fields(known)).reshape(len(images), -1) - mean
        blank = np.zeros((len(images), 1), np.float32)
        return np.concatenate([known - shift[:, :shapes], blank, rest @ self.chest.basis.T], axis=1)


def presence(conditions: Conditions) -> Floats:
    """What may bring variation of its own: each finding by side, and each kind of device by side."""
    there, right = conditions.device, conditions.device_right
    both = [conditions.present * conditions.right, conditions.present * conditions.left]
    return np.concatenate([*both, there * right, there * (1 - right), conditions.ap[:, None]], axis=1)


def brightening() -> dict[int, NDArray[np.int64]]:
    """Of what may bring variation, opacities of the lung, which never darken it: their columns in the design."""
    return {
        number * len(PLACED) + PLACED.index(name): own_columns((name, side))
        for number, side in enumerate(("right", "left"))
        for name in IN_LUNG
    }
