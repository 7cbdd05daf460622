"""Masks: every patient in exactly half of the models, as a whole, and all halves equally likely."""

from __future__ import annotations

from collections import Counter
from math import comb

import numpy as np
import pytest
from scipy import stats

from leadapron.errors import ConfigError, DataError
from leadapron.targets.audited import balanced_masks


def test_whole_patients_in_exactly_half_of_the_models():
    patients = np.random.default_rng(0).integers(0, 50, 400)
    patients[:50] = np.arange(50)
    members = balanced_masks(patients, 20, seed=3)
    assert members.shape == (20, 400)
    assert members.dtype == np.bool_
    assert (members.sum(axis=0) == 10).all()
    for patient in range(50):
        own = members[:, patients == patient]
        assert (own == own[:, :1]).all()


def test_the_same_input_gives_the_same_bits_and_another_seed_others():
    patients = np.arange(100)
    assert np.array_equal(balanced_masks(patients, 8, 1), balanced_masks(patients, 8, 1))
    assert not np.array_equal(balanced_masks(patients, 8, 1), balanced_masks(patients, 8, 2))


def test_all_halves_are_equally_likely():
    members = balanced_masks(np.arange(14_000), 8, seed=0)
    seen = Counter(map(bytes, members.T.astype(np.uint8)))
    assert len(seen) == comb(8, 4)
    assert stats.chisquare(list(seen.values())).pvalue > 0.001


def test_patients_are_dealt_independently_of_each_other():
    """Over many seeds two patients share a model as often as chance says: hypergeometrically."""
    shared = [int(np.logical_and(*balanced_masks(np.arange(30), 8, seed).T[[4, 5]]).sum()) for seed in range(2000)]
    expected = 2000 * stats.hypergeom(8, 4, 4).pmf(np.arange(5))
    assert stats.chisquare(np.bincount(shared, minlength=5), expected).pvalue > 0.001


def test_models_differ_in_size_as_coins_do():
    """A model's patients are a binomial number, not a fixed one: whoever joins takes nobody's place."""
    sizes = balanced_masks(np.arange(4000), 200, seed=0).sum(axis=1)
    assert 20 < sizes.std() < 45  # binomial: 31.6
    assert abs(sizes.mean() - 2000) < 1e-9


@pytest.mark.parametrize("models", [0, 6, 9, 201])
def test_odd_or_few_models_are_refused(models):
    with pytest.raises(ConfigError, match="even, 8 or more"):
        balanced_masks(np.arange(10), models, 0)


def test_too_few_patients_are_refused():
    with pytest.raises(DataError, match="too few to audit; got '2 patients'"):
        balanced_masks(np.arange(2), 8, 0)
