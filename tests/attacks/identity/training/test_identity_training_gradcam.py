"""Where a network looks: at a mark that gives the patient away, and not there where there is none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from leadapron.attacks.identity.training import choose
from leadapron.attacks.identity.training.gradcam import overlay, siamese_gradcam, side_by_side
from leadapron.attacks.identity.training.train import train_identity
from leadapron.errors import ConfigError
from leadapron.phantoms import Dials, build_clinic

SIZE, MARK, BLOCK = 64, 24, 4
LAYER = "backbone.features.1"  # maps of 16 x 16 places: a mark is 6 x 6 of them
CONFIG = choose(image_size=SIZE, epochs=10, patients_a_batch=32)


def clinic_pixels(identity):
    return build_clinic(Dials(patients=160, seed=3, identity=identity)).pixels(SIZE)


def marked(pixels):
    """Burned in, top left: bright blocks in a pattern that is the patient's own."""
    images = pixels.images.copy()
    for row, patient in enumerate(pixels.cohort.records["patient_id"]):
        rng = np.random.default_rng(int(patient.rpartition("-")[2]))
        blocks = np.kron(rng.random((MARK // BLOCK, MARK // BLOCK)) < 0.5, np.ones((BLOCK, BLOCK), dtype=bool))
        images[row, :MARK, :MARK] = np.where(blocks, 255, 0)
    return replace(pixels, images=images)


def pairs_of(pixels, count=12):
    """Two images each of test patients, of two studies."""
    table = pixels.cohort.records.with_row_index("row").unique("study_id", maintain_order=True)
    rows = table.filter(table["split"] == "test").group_by("patient_id", maintain_order=True).agg("row")["row"]
    return [found[:2] for found in rows.to_list() if len(found) >= 2][:count]


def mass_on_mark(trained, pixels):
    """The share of the maps that lies on the corner of the mark, over pairs of test patients."""
    strangers = pixels.images[(pixels.cohort.records["split"] == "validate").to_numpy()]
    shares = []
    for left, right in pairs_of(pixels):
        pair = pixels.images[left], pixels.images[right]
        for heat in siamese_gradcam(trained.network, *pair, strangers=strangers, layer=LAYER):
            assert heat.shape == (SIZE, SIZE)
            assert heat.min() >= 0
            assert heat.max() == 1
            shares.append(heat[:MARK, :MARK].sum() / heat.sum())
    return np.mean(shares)


@pytest.fixture(scope="module")
def looking_at_marks():
    pixels = marked(clinic_pixels(identity=0.0))
    return train_identity(pixels, CONFIG), pixels


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LEADAPRON_THREADS", "1")
        yield


def test_a_burned_in_mark_is_found(looking_at_marks):
    trained, pixels = looking_at_marks
    assert trained.card["validation"]["auc"] > 0.9, "the mark is what there is to learn"
    assert mass_on_mark(trained, pixels) > 0.5


def test_without_a_mark_the_network_looks_elsewhere():
    pixels = clinic_pixels(identity=1.0)
    trained = train_identity(pixels, CONFIG)
    assert trained.card["validation"]["auc"] > 0.8
    assert mass_on_mark(trained, pixels) < 0.25, "the corner is 0.14 of the picture"


def test_a_verification_network_has_maps_too(looking_at_marks):
    _, pixels = looking_at_marks
    config = choose("verification", image_size=SIZE, epochs=1, training_pairs=64)
    trained = train_identity(pixels, config)
    left, right = pairs_of(pixels)[0]
    maps = siamese_gradcam(trained.network, pixels.images[left], pixels.images[right])
    assert all(0 <= heat.min() <= heat.max() <= 1 for heat in maps)


def test_maps_leave_the_network_as_it_was(looking_at_marks):
    trained, pixels = looking_at_marks
    left, right = pairs_of(pixels)[0]
    first = siamese_gradcam(trained.network, pixels.images[left], pixels.images[right])
    swapped = siamese_gradcam(trained.network, pixels.images[right], pixels.images[left])
    for one, other in zip(first, swapped[::-1], strict=True):
        np.testing.assert_allclose(one, other, atol=1e-5)
    assert all(parameter.grad is None or not parameter.grad.isnan().any() for parameter in trained.network.parameters())
    assert not trained.network.backbone.features[1]._forward_hooks  # noqa: SLF001


def test_an_unknown_layer(looking_at_marks):
    trained, pixels = looking_at_marks
    with pytest.raises(ConfigError, match=r"no such layer; got 'backbone\.feature'"):
        siamese_gradcam(trained.network, pixels.images[0], pixels.images[1], layer="backbone.feature")


def test_the_picture(looking_at_marks):
    trained, pixels = looking_at_marks
    pairs = [(pixels.images[left], pixels.images[right]) for left, right in pairs_of(pixels, 2)]
    picture = side_by_side(trained.network, pairs, layer=LAYER)
    assert picture.shape == (2 * SIZE, 4 * SIZE, 3)
    np.testing.assert_array_equal(picture[:SIZE, :SIZE, 0], pairs[0][0])
    heat = np.zeros((SIZE, SIZE), dtype=np.float32)
    heat[0, 0] = 1
    shown = overlay(np.zeros((SIZE, SIZE), dtype=np.uint8), heat)
    assert shown[0, 0].tolist() == [166, 78, 0]
    assert not shown[1:].any()
