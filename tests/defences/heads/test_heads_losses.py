"""The losses, against loops over pairs; and which of them an example can be told apart in."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from leadapron.cohort import LABEL_COLUMNS
from leadapron.defences.heads.head_objectives import (
    AgainstBatch,
    Prototypes,
    bank_infonce,
    batch_entropy,
    batch_infonce,
    cut_off,
    directions,
    labels_of,
    principal_components,
    residual_correlation,
)
from leadapron.defences.heads.network import Network, fresh_heads
from leadapron.defences.heads.plan import units_of
from leadapron.errors import ConfigError, DataError
from leadapron.release import Projection, Release
from tiny_heads import tiny_release

TAU = 0.2


def unit(rows, width=6, seed=0):
    drawn = torch.randn(rows, width, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return torch.nn.functional.normalize(drawn, dim=1)


def test_bank_infonce_pair_by_pair():
    image, text, bank_image, bank_text = unit(5), unit(5, seed=1), unit(8, seed=2), unit(8, seed=3)
    for row, found in enumerate(bank_infonce(image, text, bank_image, bank_text, TAU)):
        own = math.exp(float(image[row] @ text[row]) / TAU)
        texts = sum(math.exp(float(image[row] @ other) / TAU) for other in bank_text)
        images = sum(math.exp(float(text[row] @ other) / TAU) for other in bank_image)
        assert float(found) == pytest.approx(-(math.log(own / (own + texts)) + math.log(own / (own + images))) / 2)


def test_batch_infonce_and_entropy_pair_by_pair():
    image, text = unit(5), unit(5, seed=1)
    scores = np.exp((image @ text.T).numpy() / TAU)
    entropies = batch_entropy(image, text, TAU)
    for row, found in enumerate(batch_infonce(image, text, TAU)):
        shares = scores[row] / scores[row].sum()
        backwards = scores[row, row] / scores[:, row].sum()
        assert float(found) == pytest.approx(-(math.log(shares[row]) + math.log(backwards)) / 2)
        assert float(entropies[row]) == pytest.approx(-(shares * np.log(shares)).sum())


def test_the_entropy_term_has_either_sign():
    image, text = unit(5), unit(5, seed=1)
    plain, more, less = (AgainstBatch(TAU, weight)(image, text, np.arange(5)) for weight in (0.0, 0.3, -0.3))
    entropy = batch_entropy(image, text, TAU)
    torch.testing.assert_close(more, plain + 0.3 * entropy)
    torch.testing.assert_close(less, plain - 0.3 * entropy)


def leaks_between(losses, rows=5):
    """Does an example's loss change when another example does?"""
    image, text = unit(rows), unit(rows, seed=1)
    before = losses(image, text)[0]
    image[3], text[3] = image[4], -text[2]
    return not torch.equal(before, losses(image, text)[0])


def test_examples_see_each_other_in_the_published_loss_and_not_in_ours():
    bank = unit(8, seed=2), unit(8, seed=3)
    assert not leaks_between(lambda image, text: bank_infonce(image, text, *bank, TAU))
    assert leaks_between(lambda image, text: batch_infonce(image, text, TAU))
    release = tiny_release()
    for decorrelation in (0.0, 0.5):
        objective = Prototypes(release, units_of(release, "record"), 16, decorrelation)
        rows = np.arange(40)

        def losses(image, text, objective=objective, rows=rows):
            return objective(image, text, rows)

        def embedded(side):
            return unit(40, 16, seed=side).float()

        before = losses(embedded(1), embedded(2))
        changed = embedded(2)
        changed[7] = -changed[7]
        others = np.delete(rows, 7)
        assert torch.equal(before[others], losses(embedded(1), changed)[others]) == (decorrelation == 0)


# ---------------------------------------------------------------- prototypes


def test_an_embedding_at_its_prototype_has_no_loss_and_one_across_has_all():
    release = tiny_release()
    objective = Prototypes(release, units_of(release, "record"), 16, 0.0)
    labels = labels_of(release)
    axes = directions(15, 16)
    np.testing.assert_allclose(axes @ axes.T, np.eye(15), atol=1e-6)
    there = torch.nn.functional.normalize(torch.from_numpy(np.hstack([labels, np.ones((len(labels), 1))]) @ axes))
    losses = objective(there.float(), there.float(), np.arange(len(labels)))
    np.testing.assert_allclose(losses, 0, atol=1e-5)
    np.testing.assert_allclose(objective(-there.float(), there.float(), np.arange(len(labels))), 2, atol=1e-5)


def test_an_unknown_finding_plays_no_part():
    release = tiny_release()
    unknown = release.records.with_columns(label_edema=None)
    units = units_of(release, "record")
    masked = Prototypes(Release(unknown, release.arrays), units, 16, 0.0)
    place = LABEL_COLUMNS.index("label_edema")
    axes = torch.from_numpy(directions(15, 16))
    one, other = unit(len(release), 16).float(), unit(len(release), 16, seed=1).float()
    moved = one + 0.3 * axes[place]
    rows = np.arange(len(release))
    torch.testing.assert_close(masked(one, other, rows), masked(moved, other, rows))
    full = Prototypes(release, units, 16, 0.0)
    assert not torch.allclose(full(one, other, rows), full(moved, other, rows))


def test_residual_correlation_against_a_regression_by_hand():
    rng = np.random.default_rng(0)
    labels = np.hstack([(rng.random((300, 3)) < 0.4).astype(float), np.ones((300, 1))])
    image, text = rng.standard_normal((2, 300, 5)) + 4
    text[:, 2] += 2 * image[:, 1]
    expected = 0.0
    rows = [image / np.linalg.norm(image, axis=1, keepdims=True), text]
    left = [side - labels @ np.linalg.lstsq(labels, side)[0] for side in rows]
    for a in left[0].T:
        for b in left[1].T:
            expected += np.corrcoef(a, b)[0, 1] ** 2
    found = residual_correlation(*(torch.from_numpy(side).float() for side in (image, text, labels)))
    assert float(found) == pytest.approx(expected, rel=1e-3)


def test_principal_components_are_those_of_the_training_rows():
    rng = np.random.default_rng(3)
    features = (rng.standard_normal((500, 6)) @ rng.standard_normal((6, 9)) + 5).astype(np.float32)
    training = np.sort(rng.permutation(500)[:300])
    found = principal_components(features, training)
    assert found.shape == (500, 6)  # directions in which nothing varies are none
    np.testing.assert_allclose(np.cov(found[training].T), np.eye(6), atol=0.01)
    np.testing.assert_allclose(found[training].mean(axis=0), 0, atol=1e-3)
    assert (np.delete(found, training, axis=0) == 0).all()
    centred = features[training] - features[training].mean(axis=0)
    first = np.linalg.svd(centred, full_matrices=False)[0][:, 0]
    assert abs(np.corrcoef(found[training, 0], first)[0, 1]) == pytest.approx(1, abs=1e-3)


def test_what_is_cut_off_lies_outside_of_the_findings():
    heads = fresh_heads("mlp", 24, 20, 16, 0)
    cut = cut_off(heads, 3)
    axes = directions(4, 16)
    rows = np.random.default_rng(1).standard_normal((30, 24)).astype(np.float32)
    raw, kept = heads["image"].before_length(rows), cut["image"].before_length(rows)
    np.testing.assert_allclose(kept, raw @ axes.T @ axes, atol=1e-5)
    assert Network(cut).flat.numel() == Network(heads).flat.numel()
    bare = Projection((*heads["image"].layers[:3],))  # a head that ends with an activation gets a layer more
    longer = cut_off({"image": bare, "text": bare}, 3)["image"]
    assert longer.layers[-1].kind == "linear"
    np.testing.assert_allclose(longer.before_length(rows), bare.before_length(rows) @ axes.T @ axes, atol=1e-5)


def test_prototypes_need_labels_and_room():
    release = tiny_release()
    with pytest.raises(DataError, match="no column of a finding"):
        Prototypes(Release(release.records.drop(LABEL_COLUMNS), release.arrays), units_of(release, "record"), 16, 0.0)
    with pytest.raises(ConfigError, match="too narrow"):
        Prototypes(release, units_of(release, "record"), 14, 0.0)
