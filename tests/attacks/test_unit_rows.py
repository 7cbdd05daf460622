"""Rows made on demand are the rows that one would have made at once."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.attacks import unit_rows as module
from leadapron.attacks.unit_rows import unit_rows
from leadapron.errors import DataError
from leadapron.release.rows import unit


@pytest.fixture
def source(tmp_path):
    np.save(tmp_path / "rows.npy", np.random.default_rng(0).standard_normal((50, 4)).astype(np.float32))
    return np.load(tmp_path / "rows.npy", mmap_mode="r")


def at_once(source, groups):
    means = np.stack([np.mean([source[row] for row in group], axis=0) for group in groups])
    return means / np.linalg.norm(means, axis=1, keepdims=True)


def test_single_rows_and_means_of_groups(source, monkeypatch):
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 7)
    members = np.random.default_rng(1).permutation(50)[:30]
    single = unit_rows(source, members, None, "here")
    np.testing.assert_allclose(np.asarray(single), at_once(source, [[row] for row in members]), atol=1e-6)
    group = np.sort(np.random.default_rng(2).permutation(np.repeat(np.arange(10), 5)[:50]))
    order = np.random.default_rng(3).permutation(50)
    grouped = unit_rows(source, np.arange(50)[order], group[order], "here")
    expected = at_once(source, [np.flatnonzero(group == number) for number in range(10)])
    np.testing.assert_allclose(np.asarray(grouped), expected, atol=1e-6)
    np.testing.assert_allclose(grouped[3:6], expected[3:6], atol=1e-6)
    np.testing.assert_allclose(grouped[np.array([9, 0, 9])], expected[[9, 0, 9]], atol=1e-6)
    np.testing.assert_allclose(np.asarray(grouped.only(np.array([4, 2]))), expected[[4, 2]], atol=1e-6)
    assert grouped.shape == (10, 4)


def test_the_source_stays_where_it_is(source):
    assert isinstance(unit_rows(source, np.arange(50), None, "here").source, np.memmap)


def test_a_row_of_zeros_is_named():
    with pytest.raises(DataError, match="all zeros"):
        unit_rows(np.array([[1, 0], [0, 0]], dtype=np.float32), np.arange(2), None, "here")


@pytest.mark.parametrize("scale", [1e-44, 1e-38, 1e-22, 1e18, 1e19, 3e38])
def test_rows_of_any_length(scale):
    """All that float32 can hold: their squares and sums are beyond it, their directions are not."""
    rows = np.array([[1, 0, -1], [1, 1, 1], [0.5, 1, 0.25]])
    source = (rows * scale).astype(np.float32)
    true = source.astype(np.float64) / np.linalg.norm(source.astype(np.float64), axis=1, keepdims=True)
    np.testing.assert_allclose(unit_rows(source, np.arange(3), None, "here")[:], true, rtol=1e-6)
    np.testing.assert_allclose(unit(source), true, rtol=1e-6)
    mean = source.astype(np.float64).mean(axis=0)
    together = unit_rows(source, np.arange(3), np.zeros(3, dtype=np.int64), "here")[:]
    np.testing.assert_allclose(together, [mean / np.linalg.norm(mean)], rtol=1e-6)


def test_a_study_whose_images_cancel_out_is_named():
    with pytest.raises(DataError, match="mean of a study"):
        unit_rows(np.array([[1, 0], [-1, 0]], dtype=np.float32), np.arange(2), np.zeros(2, dtype=np.int64), "here")
