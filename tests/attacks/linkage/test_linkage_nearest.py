"""The nearest texts against sorting all of them."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.attacks.linkage import nearest as module
from leadapron.attacks.linkage import plain_scores
from leadapron.attacks.linkage.nearest import nearest


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 20), st.integers(1, 200), st.integers(1, 9), st.integers(1, 12), st.integers(0, 2**32))
def test_nearest_are_those_of_sorting(queries, texts, width, kept, seed):
    """Small whole numbers: scores are exact, and among equals the first come first."""
    rng = np.random.default_rng(seed)
    image, text = (rng.integers(-3, 4, (count, width)).astype(np.float32) for count in (queries, texts))
    kept = min(kept, texts)
    places, scores = nearest(image, text, kept)
    all_scores = image @ text.T
    expected = np.argsort(-all_scores, axis=1, kind="stable")[:, :kept]
    assert places.tolist() == expected.tolist()
    assert scores.tolist() == np.take_along_axis(all_scores, expected, axis=1).tolist()


def test_blocks_do_not_matter(monkeypatch):
    monkeypatch.setattr(plain_scores, "MOST_PAIRS", 0)
    rng = np.random.default_rng(0)
    image, text = (rng.standard_normal((count, 24)).astype(np.float32) for count in (300, 1000))
    whole = nearest(image, text, 7)
    monkeypatch.setattr(module, "QUERIES_AT_ONCE", 11)
    parts = nearest(image, text, 7)
    assert all((one == other).all() for one, other in zip(whole, parts, strict=True))
