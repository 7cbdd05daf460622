"""The blocked pass against sorting, with ties that are exact."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from leadapron.attacks.linkage import plain_scores, rank_truth, ranks
from leadapron.attacks.linkage.database import build_database
from leadapron.attacks.linkage.matched_pools import tier_sizes


@pytest.fixture(autouse=True, params=[-1, plain_scores.MOST_PAIRS], ids=["screened", "plain"])
def ways(request, monkeypatch):
    """Every test by the pass for large releases, and by the one for small ones."""
    monkeypatch.setattr(plain_scores, "MOST_PAIRS", request.param)


def slow_ranks(queries, candidates, truth):
    """Above and level, one query at a time, in double precision."""
    above, ties = [], []
    for query, true in zip(queries.astype(float), truth, strict=True):
        scores = [sum(a * b for a, b in zip(query, candidate, strict=True)) for candidate in candidates.astype(float)]
        above.append(sum(score > scores[true] for score in scores))
        ties.append(sum(score == scores[true] for score in scores) - 1)
    return above, ties


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 15), st.integers(1, 150), st.integers(1, 4), st.integers(0, 2**32))
def test_ranks_are_those_of_sorting(queries, candidates, width, seed):
    """Small whole numbers: every score is exact, so ties between different candidates are exact, too."""
    rng = np.random.default_rng(seed)
    image = rng.integers(-2, 3, (queries, width)).astype(np.float32)
    text = rng.integers(-2, 3, (candidates, width)).astype(np.float32)
    truth = rng.integers(0, candidates, queries)
    found = rank_truth(image, build_database(text), truth)
    above, ties = slow_ranks(image, text, truth)
    assert found.above.tolist() == above
    assert found.ties.tolist() == ties
    assert found.database == candidates


@pytest.mark.parametrize("shape", [(1, 1), (7, 3), (64, 1000), (256, 1024)])
def test_equal_reports_tie_exactly_whatever_the_blocks(shape, monkeypatch):
    monkeypatch.setattr(ranks, "QUERIES_AT_ONCE", shape[0])
    monkeypatch.setattr(ranks, "CANDIDATES_IN_MEMORY", shape[1])
    rng = np.random.default_rng(1)
    distinct = rng.standard_normal((40, 33)).astype(np.float32)
    kind = rng.integers(0, 40, 300)
    image = rng.standard_normal((100, 33)).astype(np.float32)
    truth = rng.integers(0, 300, 100)
    found = rank_truth(image, build_database(distinct[kind]), truth)
    copies = np.bincount(kind, minlength=40)
    assert (found.ties == copies[kind[truth]] - 1).all()
    slow = [(image[i] @ distinct.T > image[i] @ distinct[kind[truth[i]]] + 1e-5) @ copies for i in range(100)]
    assert found.above.tolist() == slow


def test_the_order_of_the_candidates_does_not_matter():
    rng = np.random.default_rng(2)
    image, text = (rng.standard_normal((500, 16)).astype(np.float32) for _ in range(2))
    order = rng.permutation(500)
    place = np.argsort(order)
    plain = rank_truth(image, build_database(text), np.arange(500))
    shuffled = rank_truth(image, build_database(text[order]), place)
    assert (plain.above == shuffled.above).all()


@settings(deadline=None, max_examples=40)
@given(st.integers(1, 10), st.integers(2, 150), st.integers(0, 2**32))
def test_tiers_are_label_distances(queries, candidates, seed):
    """Repeated texts with different labels, labels of three bits, against counting one by one."""
    rng = np.random.default_rng(seed)
    distinct = rng.integers(-2, 3, (6, 3)).astype(np.float32)
    text = distinct[rng.integers(0, 6, candidates)]
    theirs = rng.integers(0, 8, candidates)
    truth = rng.integers(0, candidates, queries)
    image = rng.integers(-2, 3, (queries, 3)).astype(np.float32)
    found = rank_truth(image, build_database(text, theirs), truth, theirs[truth])
    for row in range(queries):
        above, ties = (np.zeros(found.above_by_tier.shape[1], dtype=int) for _ in range(2))
        for candidate in range(candidates):
            if candidate != truth[row]:
                tier = int(theirs[candidate] ^ theirs[truth[row]]).bit_count()
                score, true = image[row] @ text[candidate], image[row] @ text[truth[row]]
                above[tier] += score > true
                ties[tier] += score == true
        assert found.above_by_tier[row].tolist() == above.tolist()
        assert found.ties_by_tier[row].tolist() == ties.tolist()


def test_the_lead_of_the_best_text():
    rng = np.random.default_rng(3)
    image, text = (rng.standard_normal((70, 5)).astype(np.float32) for _ in range(2))
    found = rank_truth(image, build_database(text), np.arange(70))
    scores = np.sort(image @ text.T, axis=1)
    np.testing.assert_allclose(found.margin, scores[:, -1] - scores[:, -2], atol=1e-6)


def test_candidates_on_disk_are_read_in_chunks(tmp_path, monkeypatch):
    monkeypatch.setattr(ranks, "CANDIDATES_IN_MEMORY", 64)
    rng = np.random.default_rng(4)
    image, text = (rng.standard_normal((300, 8)).astype(np.float32) for _ in range(2))
    np.save(tmp_path / "text.npy", text)
    mapped = np.load(tmp_path / "text.npy", mmap_mode="r")
    database = build_database(mapped)
    assert isinstance(database.texts, np.memmap)
    found = rank_truth(image, database, np.arange(300))
    scores = image @ text.T
    assert found.above.tolist() == (scores > np.diag(scores)[:, None] + 1e-6).sum(axis=1).tolist()


def exact_ranks(queries, candidates, truth):
    """Above and level, and the lead of the best, in whole numbers of any size: nothing is rounded."""
    scores = queries.astype(object) @ candidates.astype(object).T
    true = scores[np.arange(len(truth)), truth][:, None]
    ties = (scores == true).sum(axis=1) - 1
    ordered = np.sort(scores, axis=1)
    return (scores > true).sum(axis=1).tolist(), ties.tolist(), ordered[:, -1] - ordered[:, -2]


@settings(deadline=None, max_examples=40)
@given(
    st.integers(1, 40), st.integers(2, 200), st.integers(1, 40), st.sampled_from([1, 30, 2**10, 2**19]),
    st.sampled_from([2.0**-100, 2.0**-19, 1.0, 2.0**80]), st.integers(0, 2**32),
)  # fmt: skip
def test_candidates_that_differ_by_a_hair_are_told_apart(queries, candidates, width, spread, unit, seed):
    """Numbers of 20 bits, of which 16-bit whole numbers cannot see the last: candidates around one common point."""
    rng = np.random.default_rng(seed)
    image = rng.integers(-(2**20), 2**20, (queries, width))
    text = rng.integers(-(2**19), 2**19, width) + rng.integers(-spread, spread + 1, (candidates, width))
    text = np.unique(text, axis=0)
    assume(len(text) > 1)
    truth = rng.integers(0, len(text), queries)
    found = rank_truth((image * unit).astype(np.float32), build_database((text * unit).astype(np.float32)), truth)
    above, ties, lead = exact_ranks(image, text, truth)
    assert found.above.tolist() == above
    assert found.ties.tolist() == ties
    assert found.margin.tolist() == (lead.astype(float) * unit * unit).tolist()


@pytest.mark.parametrize("row", [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], [-1.0, -1.0, -1.0]])
def test_the_longest_scores_do_not_overflow(row):
    image = np.array([row, [-value for value in row]], dtype=np.float32)
    text = np.concatenate([image, image / 2, image / 3])
    found = rank_truth(image, build_database(text), np.array([0, 1]))
    assert found.above.tolist() == [0, 0]


def test_a_huge_query_beside_small_ones():
    """One scale for a block of queries: what is lost of the small ones is looked up, not guessed."""
    rng = np.random.default_rng(5)
    image, text = rng.standard_normal((20, 8)).astype(np.float32), rng.standard_normal((300, 8)).astype(np.float32)
    image[0] *= 1e6
    found = rank_truth(image, build_database(text), np.arange(20))
    scores = image.astype(float) @ text.astype(float).T
    assert found.above.tolist() == (scores > np.diag(scores)[:, None]).sum(axis=1).tolist()


@pytest.mark.parametrize("spread", [1e-10, 1e-14, 1e-18, 1e-20, 1e-30])
def test_texts_that_all_but_coincide_are_ranked_as_double_precision_ranks_them(spread):
    """What sets them apart is less than the rounding of their common part: then that decides, and nothing else."""
    rng = np.random.default_rng(6)
    image = rng.standard_normal((9, 2)).astype(np.float32)
    text = np.stack([np.full(50, 0.3), spread * np.arange(50)], axis=1).astype(np.float32)
    truth = rng.integers(0, 50, 9)
    found = rank_truth(image, build_database(text), truth)
    above, ties = slow_ranks(image, text, truth)
    assert found.above.tolist() == above
    assert found.ties.tolist() == ties


@pytest.mark.parametrize("labels", [15, 20, 40])
def test_any_number_of_labels(labels):
    rng = np.random.default_rng(labels)
    text, image = (rng.standard_normal((120, 4)).astype(np.float32) for _ in range(2))
    codes = rng.integers(0, 2**labels, 120)
    found = rank_truth(image, build_database(text, codes), np.arange(120), codes)
    plain = rank_truth(image, build_database(text), np.arange(120))
    assert found.above.tolist() == plain.above.tolist()
    distance = np.bitwise_count(codes[:, None] ^ codes)
    scores = image @ text.T
    above = scores > np.diag(scores)[:, None]
    for tier in range(found.above_by_tier.shape[1]):
        assert found.above_by_tier[:, tier].tolist() == (above & (distance == tier)).sum(axis=1).tolist()
    assert tier_sizes(codes, codes).sum(axis=1).tolist() == [119] * 120
