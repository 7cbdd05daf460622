"""Variation by finding, and what lies at a place of its own: planted and found, and nothing where nothing is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from leadapron.generation.bent_layers import find_bent
from leadapron.generation.chest_model import fit_mean, learn_basis, learn_variation, one_sided
from leadapron.generation.local_layers import Kind, _cut, _match, add_patch, find_layer
from leadapron.generation.texture import learn_texture


def test_variation_is_dealt_out_to_the_finding_that_brings_it():
    rng = np.random.default_rng(0)
    present = (rng.random((6000, 2)) < 0.4).astype(np.float32)
    values = rng.standard_normal((6000, 5)).astype(np.float32)
    values[:, 3] += 3 * present[:, 1] * rng.standard_normal(6000)
    sound, (first, second) = learn_variation(values, present)
    assert np.allclose(sound.T @ sound, np.eye(5), atol=0.2)
    assert (second.T @ second)[3, 3] == pytest.approx(9, rel=0.15)
    assert (first**2).sum() < 1.5


def test_the_mean_is_the_least_squares_solution_but_for_a_little_pull():
    rng = np.random.default_rng(1)
    columns = np.column_stack([np.ones(3000), rng.standard_normal((3000, 3))]).astype(np.float32)
    effect = rng.standard_normal((4, 6))
    found = fit_mean(columns, (columns @ effect).astype(np.float32))
    assert np.allclose(found, effect, atol=0.02)


def test_the_basis_holds_the_directions_that_matter():
    rng = np.random.default_rng(2)
    true = np.linalg.qr(rng.standard_normal((50, 3)))[0].T
    rest = (10 * rng.standard_normal((200, 3)) @ true + 0.1 * rng.standard_normal((200, 50))).astype(np.float32)
    basis = learn_basis(rest, rng)[0][:3]
    assert np.allclose(np.linalg.svd(basis @ true.T)[1], 1, atol=0.01)


def test_matching_is_the_sum_over_the_window_at_every_place():
    rng = np.random.default_rng(3)
    frame, patch = rng.standard_normal((12, 12)).astype(np.float32), rng.standard_normal((4, 6)).astype(np.float32)
    scores = _match(frame[None], patch)[0]
    for row in range(12):
        for column in range(12):
            slow = (_cut(frame, np.array([row, column]), (4, 6)) * patch).sum()
            assert scores[row, column] == pytest.approx(slow, abs=1e-4)


def test_a_patch_beyond_the_edge_is_cut_off():
    frame = np.zeros((8, 8), np.float32)
    add_patch(frame, np.ones((4, 4), np.float32), (0, 7))
    add_patch(frame, np.ones((4, 4), np.float32), (20, -9))
    assert frame.sum() == 2 * 3
    assert frame[:2, 5:].all()


def test_planted_spots_are_found_and_what_is_drawn_is_no_copy_of_one():
    rng = np.random.default_rng(4)
    frames = rng.standard_normal((80, 64, 64)).astype(np.float32)
    true = rng.integers(20, 44, (80, 2))
    spot = 8 * np.exp(-(((np.mgrid[:14, :14] - 7) / 2.0) ** 2).sum(axis=0)).astype(np.float32)
    for frame, place in zip(frames, true, strict=True):
        add_patch(frame, spot, tuple(place))
    said = np.tile(np.array([0, 1, 0, 0, 0], np.float32), (80, 1))
    usual, maps = np.ones((64, 64), np.float32), np.zeros(frames.shape, np.float32)
    found = find_layer(frames, frames, usual, maps, said, Kind(28, start=(3.5, 3.5)))
    assert np.abs(found.places - true).max() <= 1
    drawn = np.zeros((64, 64), np.float32)
    found.layer.lay(drawn, said[0], rng)
    assert drawn.max() == pytest.approx(8, rel=0.3)
    place = np.array(np.unravel_index(drawn.argmax(), drawn.shape))
    assert 15 < place[0] < 49
    patch = _cut(drawn, place, (14, 14))
    cut = np.stack([_cut(frame, where, patch.shape) for frame, where in zip(frames, found.places, strict=True)])
    assert np.abs(cut - patch).mean(axis=(1, 2)).min() > 0.3


def test_what_brightens_hardly_darkens_and_is_as_bright_as_usual():
    rng = np.random.default_rng(5)
    usual = np.repeat(rng.random((1, 400)).astype(np.float32), 8000, axis=0)
    spread = (2 * rng.random(400)).astype(np.float32)
    drawn = one_sided(usual, spread * rng.standard_normal(usual.shape).astype(np.float32), spread)
    assert np.allclose(drawn.mean(axis=0), usual[0], atol=0.08)
    assert (drawn >= -0.4 * spread - 1e-5).all()


def test_a_line_with_another_course_in_every_image_is_learnt_sharp():
    """Its mean at fixed places is a blur; the layer's line is about as bright as each of them."""
    rng = np.random.default_rng(6)
    rows, columns = np.mgrid[:64, :64]
    middle = 32 + rng.uniform(-4, 4, (60, 1, 1)) + rng.uniform(-3, 3, (60, 1, 1)) * np.sin(rows / 12)
    lines = 40 * np.exp(-(((columns - middle) / 1.2) ** 2)).astype(np.float32)
    frames = lines + 3 * rng.standard_normal(lines.shape).astype(np.float32)
    layer, shown = find_bent(frames, frames, np.zeros((60, 5), np.float32), np.full((64, 64), 9, np.float32))
    assert lines.mean(axis=0).max() < 15
    assert ((lines - shown) ** 2).mean() < 0.5 * (lines**2).mean()
    drawn = np.zeros((20, 64, 64), np.float32)
    for one in drawn:
        layer.lay(one, np.zeros(5, np.float32), rng)
    assert np.median(drawn[:, 10:54].max(axis=2)) > 22
    assert drawn.argmax(axis=2)[:, 32].std() == pytest.approx(lines.argmax(axis=2)[:, 32].std(), rel=0.6)


def test_texture_has_the_covariance_of_what_it_was_learnt_from():
    rng = np.random.default_rng(7)
    stripes = gaussian_filter(rng.standard_normal((600, 64, 64)), (0, 0.1, 1.5)).astype(np.float32) * 30
    stripes[:, :, :32] *= 0.2  # the left is quiet
    texture = learn_texture(stripes.reshape(600, -1), np.zeros(4096, np.float32))
    drawn = texture.sample(600, rng).reshape(-1, 64, 64)
    for side in (slice(4, 28), slice(36, 60)):
        own, theirs = drawn[:, 4:60, side], stripes[:, 4:60, side]
        assert own.var() == pytest.approx(theirs.var(), rel=0.25)
        along = [(one[:, :, 1:] * one[:, :, :-1]).mean() / one.var() for one in (own, theirs)]
        across = (own[:, 1:] * own[:, :-1]).mean() / own.var()
        assert along[0] == pytest.approx(along[1], abs=0.2)
        assert abs(across) < 0.15
