"""The plain path of small releases against the screened one of large ones, bit by bit."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.attacks.linkage import plain_scores, rank_truth
from leadapron.attacks.linkage.database import build_database
from leadapron.attacks.linkage.nearest import nearest

KINDS = ("whole numbers", "any", "a hair apart", "repeated", "longest and shortest")


def both_ways(work):
    """Plainly, and screened."""
    found = []
    for most in (2**40, -1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(plain_scores, "MOST_PAIRS", most)
            found.append(work())
    return found


def sides(kind, queries, texts, width, seed):
    rng = np.random.default_rng(seed)
    image, text = rng.standard_normal((queries, width)), rng.standard_normal((texts, width))
    if kind == "whole numbers":
        image, text = np.rint(image), np.rint(text)
    if kind == "a hair apart":
        text = text[:1] + 2.0**-22 * rng.integers(-3, 4, text.shape)
    if kind == "repeated":
        text = text[rng.integers(0, 1 + texts // 3, texts)]
    if kind == "longest and shortest":
        image, text = (rows * 2.0 ** rng.integers(-60, 61, (len(rows), 1)) for rows in (image, text))
    return image.astype(np.float32), text.astype(np.float32), rng


@settings(deadline=None, max_examples=120)
@given(
    st.sampled_from(KINDS), st.integers(1, 80), st.integers(1, 200), st.integers(1, 20), st.integers(1, 9),
    st.booleans(), st.integers(0, 2**32),
)  # fmt: skip
def test_small_releases_have_the_ranks_of_large_ones(kind, queries, texts, width, kept, labelled, seed):
    image, text, rng = sides(kind, queries, texts, width, seed)
    codes, truth = rng.integers(0, 16, texts) if labelled else None, rng.integers(0, texts, queries)
    database = build_database(text, codes)
    own = None if codes is None else codes[truth]
    plain, screened = both_ways(lambda: rank_truth(image, database, truth, own, kept=kept))
    for field in fields(plain):
        assert np.array_equal(getattr(plain, field.name), getattr(screened, field.name)), field.name
    assert plain.nearest.shape == (queries, min(kept, len(database.texts)))


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(KINDS), st.integers(1, 80), st.integers(1, 200), st.integers(1, 20), st.integers(0, 2**32))
def test_small_releases_have_the_nearest_of_large_ones(kind, queries, texts, width, seed):
    image, text, _ = sides(kind, queries, texts, width, seed)
    plain, screened = both_ways(lambda: nearest(image, text, min(7, texts)))
    assert np.array_equal(plain[0], screened[0])
    assert np.array_equal(plain[1], screened[1])


def test_ranking_lists_the_nearest():
    rng = np.random.default_rng(0)
    image, text = (rng.standard_normal((300, 16)).astype(np.float32) for _ in range(2))
    for listed in both_ways(lambda: rank_truth(image, build_database(text), np.arange(300), kept=32)):
        place, score = nearest(image, text, 32)
        assert np.array_equal(listed.nearest, place)
        assert np.array_equal(listed.nearest_score, score)
        assert (listed.margin == score[:, 0] - score[:, 1]).all()
