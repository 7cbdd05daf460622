"""Blur, blocks and noise: what they do to a pixel, and that the rest stays."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from leadapron.defences.apply_defence import defend
from leadapron.defences.subjects import card_of
from leadapron.errors import ConfigError, DataError
from tiny_generators import tiny_images


def some():
    """Images without reports, which would have to be cleaned first."""
    images = tiny_images().at(np.arange(20))
    silent = images.records.with_columns(report=pl.lit(None, dtype=pl.String))
    return replace(images, cohort=replace(images.cohort, records=silent))


def test_blur_is_a_weighted_mean_of_the_pixels_around():
    images = some().with_images(np.zeros((20, 32, 32), np.uint8))
    images.images[:, 16, 16] = 255
    made = defend(images, "blur", sigma=2.0).images[0].astype(float)
    assert made.max() == made[16, 16] == round(255 / (2 * np.pi * 4))
    assert made[16, 18] == pytest.approx(made[16, 16] * np.exp(-0.5), abs=1)


@pytest.mark.parametrize("block", [4, 5, 32])
def test_a_block_is_its_mean(block):
    images = some()
    made = defend(images, "pixelate", block=block).images
    for top in range(0, 32, block):
        for left in range(0, 32, block):
            part = made[:, top : top + block, left : left + block]
            mean = images.images[:, top : top + block, left : left + block].astype(float).mean(axis=(1, 2))
            assert (part == part[:, :1, :1]).all()
            assert np.abs(part[:, 0, 0] - mean).max() <= 0.51


def test_noise_has_the_spread_that_was_asked_for_and_a_seed():
    images = some().with_images(np.full((20, 32, 32), 128, np.uint8))
    made = defend(images, "image-noise", sd=10.0).images
    assert made.astype(float).std() == pytest.approx(10, rel=0.03)
    assert np.array_equal(made, defend(images, "image-noise", sd=10.0).images)
    assert not np.array_equal(made, defend(images, "image-noise", sd=10.0, seed=1).images)


@pytest.mark.parametrize(("method", "strength"), [("blur", 2.0), ("pixelate", 8.0), ("image-noise", 20.0)])
def test_records_stay_and_the_card_promises_nothing(method, strength):
    made = defend(some(), method)
    assert made.records.equals(some().records)
    card = card_of(made)
    assert (card.method, card.group, card.strength, card.guarantee.kind) == (method, "images", strength, "none")
    assert "seed" not in card.settings


def test_a_block_larger_than_the_image_is_refused():
    with pytest.raises(ConfigError, match="larger than the image"):
        defend(some(), "pixelate", block=64)


def test_reports_with_identifiers_do_not_go_along_with_blurred_images():
    with pytest.raises(DataError, match="the reports were not de-identified, and they go along with the images"):
        defend(tiny_images().at(np.arange(20)), "blur")
