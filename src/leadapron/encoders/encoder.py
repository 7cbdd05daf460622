"""What an encoder is: two backbones, and the heads that map both into one space."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import ConfigError
from leadapron.training.devices import AUTO

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Heads:
    """The alignment layer: backbone features -> the space in which images and reports are compared."""

    image: Callable[[Floats], Floats]
    text: Callable[[Floats], Floats]


@dataclass(frozen=True)
class TokenTower:
    """A text backbone of torch, open at its tokens: for methods that follow it backwards to the words.

    ``features`` takes what the tokenizer gives, ``table`` is the layer that turns tokens into vectors, ``length`` is
    how many tokens are read, with those at the ends.
    """

    tokenizer: Any
    features: Callable[[Any], Any]
    table: Any
    length: int


@dataclass(frozen=True)
class Encoder:
    """Backbones with heads.

    ``image_backbone`` takes 8-bit pixels (rows x size x size), ``text_backbone`` takes texts; both return
    features, one row each. ``heads`` is None where the two backbones were never aligned (an ImageNet network
    beside a language model): a linear alignment is then fitted on the training patients, see ``alignment``.
    ``weights`` names each model with the file or folder that it was loaded from; one drawn at random has none.
    ``device`` is where torch runs the backbones; None where they run without torch. ``text_tower`` is the text
    backbone from its tokens on, or the weights of the phantom clinic's; None where it is closed.
    """

    image_backbone: Callable[[Bytes], Floats]
    text_backbone: Callable[[list[str]], Floats]
    heads: Heads | None
    weights: Mapping[str, Path] = field(default_factory=dict)
    device: str | None = None
    text_tower: TokenTower | Mapping[str, Floats] | None = None


@dataclass(frozen=True)
class Weights:
    """Where weights may come from: a local folder, an installed package, the hub only if that is allowed; and the
    device that they go to, see ``training.devices``."""

    folder: Path | None = None
    allow_download: bool = False
    device: str = AUTO


@dataclass(frozen=True)
class EncoderSpec:
    """An entry of the registry: what is known of an encoder before it is loaded.

    ``any_size`` says that its network takes images of other sizes than ``image_size``, which it is shown otherwise.
    """

    summary: str
    image_size: int
    text_length: int
    image_features: int
    text_features: int
    dimension: int
    load: Callable[[Weights], Encoder]
    any_size: bool = False

    def shown(self, size: int | None, name: str) -> EncoderSpec:
        """The same encoder with images of this size; None leaves it as it is."""
        if size in (None, self.image_size):
            return self
        if not self.any_size:
            raise ConfigError(
                "this encoder takes images of one size", where=name, got=size, allowed=str(self.image_size)
            )
        return replace(self, image_size=size)
