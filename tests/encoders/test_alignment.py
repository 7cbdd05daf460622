"""Canonical correlation in closed form, against the generalised eigenproblem written out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import linalg

from leadapron.encoders import alignment
from leadapron.encoders import alignment_strength as strengths
from leadapron.encoders.alignment_strength import choose_strength, deal


def paired(rng, rows, shared, image_width=12, text_width=9, noise=0.5):
    """Features of two kinds that have ``shared`` hidden numbers in common, through maps that do not change."""
    fixed = np.random.default_rng(99)
    hidden = rng.normal(size=(rows, shared))
    sides = []
    for width in (image_width, text_width):
        said = hidden @ fixed.normal(size=(shared, width)) if shared else 0.0
        sides.append((said + noise * rng.normal(size=(rows, width)) + fixed.normal(size=width)).astype(np.float32))
    return sides


def names(image):
    return [f"p{row}" for row in range(len(image))]


def fit_alignment(image, text, dimension):
    """Everybody has one record."""
    return alignment.fit_alignment(image, text, names(image), dimension).heads


def similarities(heads, image, text):
    return heads.image(image) @ heads.text(text).T


def slow_similarities(image, text, new_image, new_text, dimension, shrinkage):
    """Shrunk covariances, and both sides' directions at once: [0 C; C' 0] v = r [A 0; 0 B] v."""
    x, y = (side.astype(np.float64) - side.mean(axis=0, dtype=np.float64) for side in (image, text))
    width = x.shape[1]

    def shrunk(side):
        covariance = np.cov(side, rowvar=False, bias=True)
        return (1 - shrinkage) * covariance + shrinkage * np.diag(covariance).mean() * np.eye(len(covariance))

    cross = np.zeros((width + y.shape[1],) * 2)
    cross[:width, width:] = x.T @ y / len(x)
    values, vectors = linalg.eigh(cross + cross.T, linalg.block_diag(shrunk(x), shrunk(y)))
    best = np.argsort(-values)[:dimension]
    weight = np.sqrt(values[best])
    left = (new_image - image.mean(axis=0, dtype=np.float64)) @ vectors[:width, best] * weight
    right = (new_text - text.mean(axis=0, dtype=np.float64)) @ vectors[width:, best] * weight
    left, right = (side / np.linalg.norm(side, axis=1, keepdims=True) for side in (left, right))
    return left @ right.T


@pytest.mark.parametrize("dimension", [1, 4, 9])
@pytest.mark.parametrize("rows", [80, 11, 8])
def test_the_maps_are_those_of_the_eigenproblem(dimension, rows):
    """Also where there are fewer rows than features of one side, or of both."""
    rng = np.random.default_rng(1)
    image, text = paired(rng, rows, 3)
    new_image, new_text = paired(rng, 20, 3)
    heads = fit_alignment(image, text, dimension)
    assert heads.image(new_image).shape == heads.text(new_text).shape == (20, dimension)
    assert heads.image(new_image).dtype == heads.text(new_text).dtype == np.float32
    shrinkage = choose_strength(image, text, names(image), dimension).shrinkage
    expected = slow_similarities(image, text, new_image, new_text, min(dimension, rows - 1), shrinkage)
    np.testing.assert_allclose(similarities(heads, new_image, new_text), expected, atol=1e-4)


def test_no_more_dimensions_than_the_narrower_side_has():
    image, text = paired(np.random.default_rng(0), 50, 2)
    assert fit_alignment(image, text, 128).image(image).shape == (50, 9)


def test_turning_a_feature_space_changes_nothing():
    rng = np.random.default_rng(2)
    image, text = paired(rng, 60, 3)
    turn = linalg.qr(rng.normal(size=(12, 12)))[0].astype(np.float32)
    plain = similarities(fit_alignment(image, text, 4), image, text)
    turned = similarities(fit_alignment(image @ turn, text, 4), image @ turn, text)
    np.testing.assert_allclose(turned, plain, atol=1e-4)


def test_rounding_does_not_turn_the_space_round():
    rng = np.random.default_rng(6)
    image, text = paired(rng, 60, 3)
    plain = fit_alignment(image, text, 3).image(image)
    for _ in range(10):
        rounded = image * (1 + rng.normal(size=image.shape) * 1e-6).astype(np.float32)
        np.testing.assert_allclose(fit_alignment(rounded, text, 3).image(image), plain, atol=1e-3)


def ranks_of_the_true_text(heads, image, text):
    table = similarities(heads, image, text)
    return (table > np.diag(table)[:, None]).sum(axis=1)


def test_a_planted_signal_is_found_on_rows_that_were_not_seen():
    rng = np.random.default_rng(3)
    heads = fit_alignment(*paired(rng, 300, 6, noise=0.2), 6)
    ranks = ranks_of_the_true_text(heads, *paired(rng, 200, 6, noise=0.2))
    assert (ranks == 0).mean() > 0.9


def test_unrelated_features_give_chance():
    rng = np.random.default_rng(4)
    heads = fit_alignment(*paired(rng, 300, 0), 6)
    ranks = ranks_of_the_true_text(heads, *paired(rng, 400, 0))
    assert (ranks == 0).sum() <= 6  # one is expected
    assert abs(ranks.mean() / 399 - 0.5) < 0.06  # four standard errors


def test_features_that_never_vary_agree_with_nothing():
    image, text = paired(np.random.default_rng(5), 30, 2)
    heads = fit_alignment(image, np.ones_like(text), 4)
    np.testing.assert_array_equal(heads.image(image), np.zeros((30, 4)))


def test_the_heads_are_data_and_send_the_mean_to_the_origin():
    rng = np.random.default_rng(6)
    image, text = paired(rng, 200, 3)
    shifted = image + np.float32(5)  # the bias must take up what the features have in common
    heads = fit_alignment(shifted, text, 3)
    assert [layer.kind for layer in heads.image.layers] == ["linear"]
    assert (heads.image.inputs, heads.image.outputs, heads.image.parameters) == (12, 3, 3 * 12 + 3)
    origin = heads.image.before_length(shifted.mean(axis=0, keepdims=True))
    np.testing.assert_allclose(origin, np.zeros((1, 3)), atol=1e-5)
    np.testing.assert_allclose(heads.image(shifted), fit_alignment(image, text, 3).image(image), atol=1e-4)


# How strongly


def noisy(rng, rows, width=60, shared=4):
    """A few hidden numbers in common beneath noise of another kind on each side: few pairs, many dimensions."""
    fixed = np.random.default_rng(98)
    hidden = rng.normal(size=(rows, shared))
    sides = []
    for _ in range(2):
        loud = rng.normal(size=(rows, width)) @ fixed.normal(size=(width, width)) / 8
        sides.append((hidden @ fixed.normal(size=(shared, width)) + 1.5 * loud).astype(np.float32))
    return sides


def test_where_noise_dominates_the_chosen_strength_beats_a_weak_one_on_others():
    rng = np.random.default_rng(7)
    pairs, others = noisy(rng, 120), noisy(rng, 300)
    chosen = alignment.fit_alignment(*pairs, names(pairs[0]), 20)
    weak = alignment.heads_at(alignment.pair_axes(*pairs), 0.1, 20)
    assert chosen.strength.shrinkage > 0.1
    found, before = (1 / (1 + ranks_of_the_true_text(heads, *others)) for heads in (chosen.heads, weak))
    assert found.mean() > 1.1 * before.mean()


def test_many_pairs_need_less_than_few():
    rng = np.random.default_rng(8)
    few, many = noisy(rng, 60), noisy(rng, 4000)
    strong, weak = (choose_strength(*sides, names(sides[0]), 20).shrinkage for sides in (few, many))
    assert weak < strong


def test_folds_never_part_a_patients_records_and_hang_on_no_order():
    rng = np.random.default_rng(9)
    patients = [f"p{who}" for who in rng.permutation(300) % 60]
    fold = dict(zip(patients, deal(patients), strict=True))
    assert deal(patients).tolist() == [fold[who] for who in patients]
    assert np.bincount(list(fold.values())).tolist() == [12] * 5
    order = rng.permutation(300)
    assert deal([patients[row] for row in order]).tolist() == deal(patients)[order].tolist()


def test_the_choice_hangs_on_no_order_of_rows():
    rng = np.random.default_rng(10)
    image, text = noisy(rng, 150)
    patients = [f"p{row // 3}" for row in range(150)]
    order = rng.permutation(150)
    moved = choose_strength(image[order], text[order], [patients[row] for row in order], 20)
    assert moved == choose_strength(image, text, patients, 20)


def test_a_strength_is_judged_by_patients_whom_it_has_not_seen(monkeypatch):
    """Images of a patient are alike, and so are reports: who has seen one would know the other."""
    seen = []
    paired_axes = strengths.pair_axes
    monkeypatch.setattr(strengths, "pair_axes", lambda *sides: seen.append(sides) or paired_axes(*sides))
    image, text = noisy(np.random.default_rng(11), 100)
    patients = [f"p{row // 4}" for row in range(100)]
    choose_strength(image, text, patients, 20)
    assert len(seen) == strengths.FOLDS
    for fold, (images, texts) in enumerate(seen):
        there = deal(patients) != fold
        np.testing.assert_array_equal(images, image[there])
        np.testing.assert_array_equal(texts, text[there])


def test_enough_held_out_pairs_end_the_search(monkeypatch):
    monkeypatch.setattr(strengths, "ENOUGH", 50)
    seen = []
    paired_axes = strengths.pair_axes
    monkeypatch.setattr(strengths, "pair_axes", lambda *sides: seen.append(sides) or paired_axes(*sides))
    image, text = noisy(np.random.default_rng(12), 200)
    choose_strength(image, text, names(image), 20)
    assert len(seen) == 2  # forty in a fold


def test_too_few_patients_are_not_asked():
    image, text = noisy(np.random.default_rng(13), 90)
    chosen = choose_strength(image, text, [f"p{row % 9}" for row in range(90)], 20)
    assert chosen.shrinkage == strengths.WITHOUT_CHOICE
    assert "too few patients" in chosen.words


def test_equal_reports_are_one_and_level_ones_share_their_places():
    texts, own = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 2.0]]), np.array([0, 1, 2, 2])
    images = np.array([[1.0, 0.2], [0.0, 1.0], [1.0, 0.5], [0.0, 0.0]])
    assert strengths.ranks_of(images, texts, own).tolist() == [1, 1.5, 2.5, 2]


def test_reports_that_are_all_alike_leave_the_most_cautious_strength():
    image, text = noisy(np.random.default_rng(14), 60)
    chosen = choose_strength(image, np.repeat(text[:1], 60, axis=0), names(image), 20)
    assert chosen.shrinkage == strengths.SHRINKAGES[0]
