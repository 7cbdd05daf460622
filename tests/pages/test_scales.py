"""Scales: places of numbers, round ticks, and labels that do not overlap."""

from __future__ import annotations

from itertools import pairwise

import pytest

from leadapron.pages.figures.scales import Linear, Log, around, spread


def test_scales():
    assert [Log(1, 1000, 0, 300)(value) for value in (0, 1, 10, 1000, 9999)] == pytest.approx([0, 0, 100, 300, 300])
    assert Linear(0, 2, 100, 0)(0.5) == 75
    assert Linear(0, 1, 0, 1).ticks() == [0, 0.2, 0.4, 0.6, 0.8, 1]
    assert Log(2, 43_793, 0, 1).ticks() == [10, 100, 1000, 10_000]
    assert Log(0.9, 70, 0, 1).ticks() == [1, 3, 10, 30]
    assert Log(0.02, 0.3, 0, 1).ticks() == [0.02, 0.05, 0.1, 0.2]
    low, high = around([0.02], floor=0.001)
    assert high / low == pytest.approx(8)


def test_labels_are_moved_apart_in_order_and_stay_inside():
    moved = spread([100.0, 101.0, 99.0, 300.0], 17, 0, 320)
    assert sorted(range(4), key=moved.__getitem__) == [2, 0, 1, 3]
    assert moved[3] == 300
    gaps = sorted(moved)
    assert all(after - before >= 17 - 1e-3 for before, after in pairwise(gaps))
    assert max(spread([318.0, 319.0], 17, 0, 320)) <= 320
