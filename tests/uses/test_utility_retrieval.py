"""Label retrieval against looking at every report of every query."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.cohort.truth import Labels
from leadapron.release import Release
from leadapron.uses.label_retrieval import label_retrieval
from utility_releases import unit


def likeness(mine, other):
    """The three measures of two rows of known, positive labels."""
    either = (mine | other).sum()
    return np.array([(mine == other).all(), (mine & other).sum() / either if either else 1.0, (mine == other).mean()])


def slowly(image, text, positive, patient, report):
    """For each query the mean likeness of the ten nearest reports of others, and of all of them.

    A report is among the first ten for certain, not at all, or with the chance that the ties leave to it.
    """
    first = [int(np.flatnonzero(report == name)[0]) for name in np.unique(report)]
    found, blind = [], []
    for query in range(len(image)):
        others = [row for row in first if patient[row] != patient[query]]
        scores = np.array([image[query].astype(np.float64) @ text[row] for row in others]).round(6)
        like = np.array([likeness(positive[query], positive[row]) for row in others])
        above = np.array([(scores > score).sum() for score in scores])
        level = np.array([(scores == score).sum() for score in scores])
        chance = np.clip((10 - above) / level, 0, 1)
        found.append((chance[:, None] * like).sum(axis=0) / 10)
        blind.append(like.mean(axis=0))
    return np.array(found), np.array(blind)


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 3))
@settings(deadline=None, max_examples=40)
def test_it_finds_what_looking_at_every_report_finds(seed, texts, labels):
    """Few distinct texts: many ties, also at the tenth place and with reports of the query's own patient."""
    rng = np.random.default_rng(seed)
    count = 60
    text = unit(rng.standard_normal((texts, 5)))[rng.integers(0, texts, count)]
    image = unit(rng.standard_normal((count, 5)))
    report = rng.integers(0, 50, count)
    text = text[report]  # images that share a report share its text
    patient = report // 4
    positive = rng.random((count, labels)) < 0.4
    positive = positive[report]
    records = pl.DataFrame({"record_id": [str(row) for row in range(count)], "report_id": [str(one) for one in report]})
    truth = Labels(tuple("abc"[:labels]), positive.astype(np.int8))
    retrieval = label_retrieval(Release(records, {"image": image, "text": text}), truth, patient)
    found, blind = slowly(image, text, positive, patient, report)
    np.testing.assert_allclose(np.stack(list(retrieval.found.values()), axis=1), found, atol=1e-9)
    np.testing.assert_allclose(np.stack(list(retrieval.chance.values()), axis=1), blind, atol=1e-9)
    assert retrieval.reports == len(np.unique(report))


def release(count=40, **arrays):
    rng = np.random.default_rng(0)
    both = {name: unit(rng.standard_normal((count, 4))) for name in ("image", "text")}
    return Release(pl.DataFrame({"record_id": [str(row) for row in range(count)]}), both | arrays)


def test_records_without_labels_neither_ask_nor_answer():
    truth = np.tile(np.array([[0], [1]], dtype=np.int8), (20, 1))
    truth[:20] = -1
    retrieval = label_retrieval(release(), Labels(("a",), truth), np.arange(40))
    assert np.isnan(retrieval.found["precision@10"]).tolist() == [True] * 20 + [False] * 20
    assert retrieval.reports == 20
    assert np.nanmean(retrieval.chance["precision@10"]) == pytest.approx(9 / 19)


@pytest.mark.parametrize("blocks", [1, 7])
def test_the_size_of_the_blocks_does_not_matter(blocks, monkeypatch):
    labels = Labels(("a",), np.tile(np.array([[0], [1]], dtype=np.int8), (20, 1)))
    whole = label_retrieval(release(), labels, np.arange(40))
    monkeypatch.setattr("leadapron.uses.label_retrieval.SCORES_AT_ONCE", 40 * blocks)
    parts = label_retrieval(release(), labels, np.arange(40))
    np.testing.assert_allclose(whole.found["jaccard@10"], parts.found["jaccard@10"], atol=1e-12)


@pytest.mark.parametrize(
    ("given_release", "patient", "said"),
    [
        (release(10), np.arange(10), "fewer than 10"),
        (release(40), np.repeat([0, 1], [31, 9]), "fewer than 10"),
        (release(40, text=np.ones((40, 3), np.float32)), np.arange(40), "3 and images of 4"),
    ],
)
def test_it_says_why_it_cannot(given_release, patient, said):
    truth = np.zeros((len(given_release), 1), dtype=np.int8)
    assert said in label_retrieval(given_release, Labels(("a",), truth), patient)
