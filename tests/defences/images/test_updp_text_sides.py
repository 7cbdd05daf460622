"""The slope of a cosine to the vectors of words: exact in NumPy and through a hook in torch."""

from __future__ import annotations

import numpy as np
import pytest

import tiny_models
from leadapron.defences.images.updp_alignment import align
from leadapron.defences.images.updp_projection import Choice, Constrained
from leadapron.defences.images.updp_text_side import NOTHING, PhantomTextSide, padded
from leadapron.encoders import Weights, clip, find_encoder
from leadapron.encoders.phantom_network import stored_weights, text_features
from leadapron.release.rows import unit

TEXTS = ["No pleural effusion. The heart is normal, the lungs are clear.", "Left pleural effusion, left.", ""]


def phantom_side():
    return PhantomTextSide(stored_weights("reports"), TEXTS)


@pytest.fixture(scope="module")
def torch_side(tmp_path_factory):
    pytest.importorskip("transformers")
    from leadapron.defences.images.updp_torch_side import TorchTextSide

    folder = tmp_path_factory.mktemp("clip")
    tiny_models.save_clip(folder)
    encoder = clip.load("clip", "tiny", Weights(folder, device="cpu"))
    return TorchTextSide(encoder.text_tower, encoder.heads.text), encoder


def start_of(side, texts):
    tokens = padded([side.read(text) for text in texts])
    return tokens, side.table[np.maximum(tokens, 0)].astype(np.float64)


def directions(rows, width):
    return unit(np.random.default_rng(0).standard_normal((rows, width)))


def check_slope(side, width, *, at, step, close):
    tokens, vectors = start_of(side, TEXTS[:2])
    vectors += at * np.random.default_rng(1).standard_normal(vectors.shape)
    objective = side.objective(tokens, directions(2, width))
    _, slope = objective(vectors)
    for row, place, number in [(0, 0, 1), (0, 3, 5), (1, 0, 0), (1, 2, 7)]:
        moved = vectors.copy()
        moved[row, place, number] += step
        above = objective(moved)[0][row]
        moved[row, place, number] -= 2 * step
        assert slope[row, place, number] == pytest.approx((above - objective(moved)[0][row]) / (2 * step), abs=close)
    assert not slope[tokens == NOTHING].any()


def test_the_slope_of_the_phantom_network_is_that_of_finite_differences():
    check_slope(phantom_side(), 128, at=0.01, step=1e-6, close=1e-8)


def test_the_slope_of_a_transformers_model_is_that_of_finite_differences(torch_side):
    check_slope(torch_side[0], 12, at=0.0, step=2e-3, close=2e-3)


def test_the_start_of_the_phantom_network_is_what_the_encoder_says_of_the_text():
    side, weights = phantom_side(), stored_weights("reports")
    tokens, vectors = start_of(side, TEXTS[:2])
    images = directions(2, 128)
    expected = unit(text_features(weights, TEXTS[:2]) @ weights["text_head.weight"].T)
    np.testing.assert_allclose(side.objective(tokens, images)(vectors)[0], (expected * images).sum(axis=1), atol=1e-5)


def test_the_start_of_a_transformers_model_is_what_the_encoder_says_of_the_text(torch_side):
    side, encoder = torch_side
    tokens, vectors = start_of(side, TEXTS[:2])
    images = directions(2, 12)
    expected = encoder.heads.text(encoder.text_backbone([side.write(side.read(text)) for text in TEXTS[:2]]))
    np.testing.assert_allclose(side.objective(tokens, images)(vectors)[0], (expected * images).sum(axis=1), atol=1e-5)


def test_a_hook_is_gone_when_the_model_has_run(torch_side):
    side, encoder = torch_side
    before = encoder.text_backbone(["left effusion"])
    tokens, vectors = start_of(side, TEXTS[:1])
    side.objective(tokens, directions(1, 12))(vectors + 1)
    np.testing.assert_array_equal(encoder.text_backbone(["left effusion"]), before)


def test_ends_and_free_places_of_a_vocabulary_are_no_words(torch_side):
    side, _ = torch_side
    assert {side.tokens[token] for token in side.unusable} >= {"<|startoftext|>", "<|endoftext|>"}


@pytest.mark.parametrize("kind", ["phantom", "torch"])
def test_optimisation_raises_the_cosine(kind, torch_side):
    side, width = (phantom_side(), 128) if kind == "phantom" else (torch_side[0], 12)
    tokens, _ = start_of(side, TEXTS)
    aligned = align(side, tokens, directions(3, width), rate=0.05, iterations=15)
    assert (aligned.after[:2] > aligned.before[:2] + 0.05).all()
    assert aligned.after[2] == pytest.approx(aligned.before[2])  # no word, nothing to move


def test_the_step_is_relative_to_the_size_of_token_vectors():
    side = phantom_side()
    tokens, vectors = start_of(side, TEXTS[:1])
    aligned = align(side, tokens, directions(1, 128), rate=0.01, iterations=1)
    size = np.sqrt(np.square(side.table.astype(np.float64)).mean())
    np.testing.assert_allclose(np.abs(aligned.vectors - vectors).max(), 0.01 * size, rtol=1e-3)


def test_every_encoder_of_the_phantom_clinic_is_open_at_its_words():
    for name in ("phantom-general", "phantom-labels", "phantom-reports"):
        assert find_encoder(name).load(Weights()).text_tower is not None


def test_ends_of_sentences_stay_where_they_are():
    side = phantom_side()
    tokens, _ = start_of(side, TEXTS[:1])
    assert side.write(tokens[0].tolist()) == "no pleural effusion. the heart is normal the lungs are clear."
    aligned = align(side, tokens, directions(1, 128), rate=1.0, iterations=5)
    found = Constrained(side, np.array([], int), np.array([], int), Choice("off")).tokens(
        aligned.vectors[0], tokens[0], [0]
    )
    text = side.write(found.tolist())
    assert [place for place, token in enumerate(found) if side.tokens[token] == "."] == [3, 12]
    assert text.endswith(".")
