"""``blur``, ``pixelate`` and ``image-noise``: what is done to images most often, for counterparts to be held against.

Labels and records stay as they are; reports must be clean, as with every defence of images.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.ndimage import gaussian_filter

from leadapron.cohort.image_set import ImageSet
from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.images.clean_reports import CleaningConfig, cleaned
from leadapron.engine import Progress, parallel_map
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError
from leadapron.privacy import Guarantee

Bytes = NDArray[np.uint8]
CHUNK = 256
NO_GUARANTEE = (
    "No guarantee: the shape of the chest stays, and an attacker who does the same to other images of a patient finds "
    "the patient again. Audit the images before they are handed over."
)


class BlurConfig(CleaningConfig):
    """How much is smoothed away."""

    sigma: float = Field(default=2.0, gt=0, le=64, description="The width of the Gaussian, in pixels of the image.")


class PixelateConfig(CleaningConfig):
    """How coarse the image becomes."""

    block: int = Field(default=8, ge=2, le=256, description="Rows and columns of a block, which becomes one shade.")


class ImageNoiseConfig(CleaningConfig):
    """How much noise is added."""

    sd: float = Field(
        default=20.0, gt=0, le=500, description="The standard deviation of the noise, in 256 grey levels."
    )
    seed: int = Field(default=0, ge=0, description="Of the noise.", json_schema_extra={"on_card": False})


def blurred(images: ImageSet, config: BlurConfig, progress: Progress) -> tuple[ImageSet, DefenceCard]:
    images = cleaned(images, config, progress, need_reports=False)

    def one(start: int) -> Bytes:
        some = images.images[start : start + CHUNK].astype(np.float32)
        return _grey(gaussian_filter(some, (0, config.sigma, config.sigma), mode="nearest"))

    return _with(images, np.concatenate(parallel_map(one, range(0, len(images), CHUNK)))), _card(BLUR, config, progress)


def pixelated(images: ImageSet, config: PixelateConfig, progress: Progress) -> tuple[ImageSet, DefenceCard]:
    images = cleaned(images, config, progress, need_reports=False)
    size, block = images.size, config.block
    if block > size:
        raise ConfigError("a block is larger than the image", where="block", got=block, allowed=f"up to {size}")
    edges = np.arange(0, size, block)
    sizes = np.diff([*edges, size])
    sums = np.add.reduceat(np.add.reduceat(images.images.astype(np.float32), edges, axis=1), edges, axis=2)
    means = sums / (sizes[:, None] * sizes[None, :])
    whole = np.repeat(np.repeat(_grey(means), sizes, axis=1), sizes, axis=2)
    return _with(images, whole), _card(PIXELATE, config, progress)


def noised(images: ImageSet, config: ImageNoiseConfig, progress: Progress) -> tuple[ImageSet, DefenceCard]:
    images = cleaned(images, config, progress, need_reports=False)

    def one(start: int) -> Bytes:
        some = images.images[start : start + CHUNK]
        noise = np.random.default_rng([config.seed, start]).standard_normal(some.shape, np.float32)
        return _grey(some + np.float32(config.sd) * noise)

    noisy = np.concatenate(parallel_map(one, range(0, len(images), CHUNK)))
    return _with(images, noisy), _card(IMAGE_NOISE, config, progress)


def _grey(pixels: NDArray[np.floating]) -> Bytes:
    return pixels.clip(0, 255).round().astype(np.uint8)


def _with(images: ImageSet, pixels: Bytes) -> ImageSet:
    return images.with_images(np.ascontiguousarray(pixels))


def _card(defence: Defence, config: Config, progress: Progress) -> DefenceCard:
    progress(defence.name, 1, 1)
    return defence.card(config, Guarantee("none", statement=NO_GUARANTEE))


BLUR = Defence("blur", "blur each image", "images", BlurConfig, blurred, group="images", strength="sigma")
PIXELATE = Defence(
    "pixelate",
    "give each block of pixels one shade",
    "images",
    PixelateConfig,
    pixelated,
    group="images",
    strength="block",
)
IMAGE_NOISE = Defence(
    "image-noise", "add noise to each pixel", "images", ImageNoiseConfig, noised, group="images", strength="sd"
)
