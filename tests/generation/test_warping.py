"""Smooth fields: read through them, turn them around, register by them."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import gaussian_filter

from leadapron.generation.registration import Template, learn_template
from leadapron.generation.warping import (
    POINTS,
    displacement,
    into_frame,
    look_through,
    out_of_frame,
    spline,
    turn_around,
)
from tiny_generators import tiny_images


def smooth_image(size=48, seed=0):
    noise = np.random.default_rng(seed).standard_normal((size, size))
    smooth = gaussian_filter(noise, 4)
    return (128 + 60 * smooth / np.abs(smooth).max()).astype(np.float32)


def some_fields(count=3, seed=1, spread=0.02):
    return (spread * np.random.default_rng(seed).standard_normal((count, 2, POINTS, POINTS))).astype(np.float32)


def test_the_weights_of_control_points_add_up_to_one():
    assert np.allclose(spline(33).sum(axis=1), 1, atol=1e-6)
    assert (np.count_nonzero(spline(33), axis=1) <= 4).all()


def test_a_constant_field_moves_by_whole_pixels_exactly():
    image, seen = smooth_image(), np.empty((48, 48), np.float32)
    moved = np.zeros((2, 48, 48), np.float32)
    moved[0], moved[1] = 3 / 48, -2 / 48
    look_through(image, moved, seen)
    assert np.allclose(seen[5:40, 5:40], image[8:43, 3:38], atol=1e-3)


def test_between_pixels_a_smooth_image_is_read_as_it_is():
    rows, columns = np.mgrid[:48, :48].astype(np.float32)

    def wave(y, x):
        return np.sin(y / 6) + np.cos(x / 7)

    seen, moved = np.empty((48, 48), np.float32), displacement(some_fields(1)[0], 48)
    look_through(wave(rows, columns).astype(np.float32), moved, seen)
    true = wave(rows + 48 * moved[0], columns + 48 * moved[1])
    assert np.abs(seen - true)[6:42, 6:42].max() < 0.01


def test_a_field_that_is_turned_around_undoes_the_field():
    moved, back = displacement(some_fields(1)[0], 48), np.empty((2, 48, 48), np.float32)
    turn_around(moved, back, 20)
    frames = smooth_image()[None]
    again = out_of_frame(into_frame(frames, some_fields(1)), some_fields(1))
    assert np.abs(again - frames)[0, 6:42, 6:42].mean() < 0.5
    assert np.abs(back).max() < 0.2


def test_a_known_deformation_is_found():
    rng = np.random.default_rng(0)
    image = tiny_images().images[:1].astype(np.float32)
    template = Template(image[0])
    fields = (0.012 * rng.standard_normal((4, 2, POINTS, POINTS))).astype(np.float32)
    shown = out_of_frame(np.repeat(image, 4, axis=0), fields).clip(0, 255).astype(np.uint8)
    found = template.register(shown)
    laid = out_of_frame(np.repeat(image, 4, axis=0), found)
    before, after = np.abs(shown - image).mean(), np.abs(shown - laid).mean()
    assert after < 0.5 * before


def test_laid_over_the_template_chests_differ_less():
    images = tiny_images().images[:60]
    template = learn_template(images, lambda _done, _total: None)
    frames = into_frame(images, template.register(images))
    assert frames.var(axis=0).mean() < 0.75 * images.astype(float).var(axis=0).mean()
