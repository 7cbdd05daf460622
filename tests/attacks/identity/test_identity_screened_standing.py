"""Standing by screening against the sweep that sees every score, to the last stranger."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.attacks.identity import scores as scoring
from leadapron.attacks.identity import screened_standing
from leadapron.attacks.identity.levels import find_levels
from leadapron.attacks.identity.retrieval import average_precision
from leadapron.attacks.identity.screened_standing import standing_of
from leadapron.attacks.identity.standing import StandingCounter
from leadapron.attacks.identity.sweep import Field, Segment, sweep

KINDS = ("any", "whole numbers", "a hair apart", "equal", "longest and shortest")


def images_of(kind, images, patients, width, seed):
    """Sorted by patient; some patients have one image, some many."""
    rng = np.random.default_rng(seed)
    who = np.sort(rng.integers(0, patients, images))
    rows = rng.standard_normal((patients, width))[who] + rng.standard_normal((images, width))
    if kind == "whole numbers":
        rows = np.rint(rows)
    if kind == "a hair apart":
        rows = rows[:1] + 2.0**-21 * rng.integers(-3, 4, rows.shape)
    if kind == "equal":
        rows = rows[rng.integers(0, 1 + images // 4, images)]
    if kind == "longest and shortest":
        rows = rows * 2.0 ** rng.integers(-20, 21, (images, 1))
    return rows.astype(np.float32), who


def both_ways(scores, field, query, mate):
    mates = find_levels(query, scores.of_pairs(query, mate), len(field.own_start))
    counter = StandingCounter(mates)
    sweep(scores, field, [counter])
    return standing_of(scores, field, mates), counter.result()


def same(one, other):
    """All that is promised: the best levels, and every figure at R."""
    best = one.best[np.diff(one.levels.start) > 0]
    assert np.array_equal(one.above[best], other.above[best])
    assert np.array_equal(one.ties[best], other.ties[best])
    for figure, slow in zip(average_precision(one), average_precision(other), strict=True):
        assert np.array_equal(figure, slow)


@settings(deadline=None, max_examples=60)
@given(
    st.sampled_from(KINDS), st.sampled_from(["cosines", "distances"]), st.integers(2, 200), st.integers(1, 40),
    st.integers(1, 20), st.integers(0, 2**32),
)  # fmt: skip
def test_everybody_among_everybody(kind, score, images, patients, width, seed):
    rows, who = images_of(kind, images, patients, width, seed)
    scores, whole = getattr(scoring, score)(rows), slice(0, images)
    start, stop = (np.searchsorted(who, who, side) for side in ("left", "right"))
    first, second = np.nonzero(who[:, None] == who)
    others = first != second
    field = Field([Segment(whole, whole)], start, stop, mutual=False)
    same(*both_ways(scores, field, first[others], second[others]))


@pytest.mark.parametrize("score", ["cosines", "distances"])
def test_queries_of_their_own_in_segments_and_blocks(score, monkeypatch):
    """Queries that are no images, two segments, and blocks that end within a patient."""
    monkeypatch.setattr(screened_standing, "QUERIES_AT_ONCE", 12)
    monkeypatch.setattr(screened_standing, "IMAGES_AT_ONCE", 70)
    rows, who = images_of("any", 400, 60, 9, 3)
    known = np.flatnonzero(np.bincount(who)[who] > 2)
    scores = getattr(scoring, score)(rows).fused(np.stack([known, known], axis=1))
    start, stop = (np.searchsorted(who, who[known], side) for side in ("left", "right"))
    middle = int(start[len(known) // 2])
    halves = known < middle
    segments = [
        Segment(slice(0, int(halves.sum())), slice(0, middle)),
        Segment(slice(int(halves.sum()), len(known)), slice(middle, len(rows))),
    ]
    query = np.repeat(np.arange(len(known)), stop - start)
    mate = np.concatenate([np.arange(*bounds) for bounds in zip(start, stop, strict=True)])
    same(*both_ways(scores, Field(segments, start, stop, mutual=False), query, mate))
