"""The space in which prompts and images are compared: an encoder of the registry, opened at its tokens."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from leadapron.cohort.image_set import ImageSet
from leadapron.defences.images.updp_config import UpdpConfig
from leadapron.defences.images.updp_text_side import Doubles, Floats, PhantomTextSide, TextSide
from leadapron.defences.images.updp_torch_side import TorchTextSide
from leadapron.encoders import Encoder, Weights, find_encoder
from leadapron.encoders.alignment import fit_alignment
from leadapron.encoders.encoder import Bytes, TokenTower
from leadapron.engine import Progress
from leadapron.errors import ConfigError, DataError
from leadapron.release import Projection

AT_ONCE = 32
FEWEST_PAIRS = 20
"""As for a release: from fewer no shared space is fitted."""


@dataclass(frozen=True)
class Space:
    """The embeddings of the images, the text side, and the encoder itself, which has the last word on a text."""

    images: Floats
    side: TextSide
    encoder: Encoder

    def cosines(self, texts: list[str], images: Floats) -> Doubles:
        """Of each text with the image of its row, or with the one image that there is."""
        found: Doubles = (_batches(self._embedded, texts).astype(np.float64) * images).sum(axis=1)
        return found

    def _embedded(self, texts: Sequence[str]) -> Floats:
        heads = self.encoder.heads
        assert heads is not None  # ``space_of`` saw to it
        return heads.text(self.encoder.text_backbone(list(texts)))


def space_of(images: ImageSet, starts: Sequence[str], config: UpdpConfig, show: Progress) -> Space:
    """An encoder without a vocabulary of its own gets the words of the ``starts`` and of the reports."""
    spec = find_encoder(config.encoder)
    encoder = spec.load(Weights(config.weights, device=config.device))
    tower = encoder.text_tower
    if tower is None:
        raise ConfigError(
            "this encoder does not let its words be optimised",
            where="--encoder",
            got=config.encoder,
            fix="An encoder of another package has to give its `text_tower`.",
        )
    features = _image_features(encoder, images, spec.image_size, show)
    if encoder.heads is None:
        encoder = _with_heads(encoder, features, images, config.encoder, spec.dimension)
    heads = encoder.heads
    assert heads is not None
    if isinstance(tower, TokenTower):
        if not isinstance(heads.text, Projection):
            raise ConfigError("the head of its text side cannot be followed", where="--encoder", got=config.encoder)
        side: TextSide = TorchTextSide(tower, heads.text)
    else:
        side = PhantomTextSide(tower, [*starts, *images.records["report"].drop_nulls()])
    return Space(_batches(heads.image, features), side, encoder)


def _image_features(encoder: Encoder, images: ImageSet, size: int, show: Progress) -> Floats:
    def run(pixels: Bytes) -> Floats:
        if images.size != size:
            small = [Image.fromarray(one).resize((size, size), Image.Resampling.BILINEAR) for one in pixels]
            pixels = np.stack([np.asarray(one) for one in small])
        return encoder.image_backbone(pixels)

    return _batches(run, images.images, lambda done: show("looking at images", done, len(images)))


def _with_heads(encoder: Encoder, features: Floats, images: ImageSet, name: str, dimension: int) -> Encoder:
    """Backbones that were never aligned are aligned on the training patients, as they are for a release."""
    reports = images.records["report"]
    rows = np.flatnonzero(((images.records["split"] == "train") & reports.is_not_null()).to_numpy())
    if len(rows) < FEWEST_PAIRS:
        raise DataError(
            f"the encoder {name!r} has no shared space of its own, and there are too few training pairs to fit one",
            where=images.where,
            got=len(rows),
            allowed=f"{FEWEST_PAIRS} or more records with a report in split 'train'",
        )
    text = _batches(lambda some: encoder.text_backbone(list(some)), [reports[int(row)] for row in rows])
    patients = images.records["patient_id"].gather(rows).to_list()
    return replace(encoder, heads=fit_alignment(features[rows], text, patients, dimension).heads)


def _batches(
    run: Callable[..., Floats], rows: Sequence[Any] | NDArray[Any], done: Callable[[int], None] | None = None
) -> Floats:
    parts = []
    for start in range(0, len(rows), AT_ONCE):
        parts.append(run(rows[start : start + AT_ONCE]))
        if done is not None:
            done(min(start + AT_ONCE, len(rows)))
    return np.concatenate(parts)
