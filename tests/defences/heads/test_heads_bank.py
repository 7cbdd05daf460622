"""The strangers: nobody who is to be protected among them, and a private fit that keeps its sensitivity."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.defences.heads.plan import units_of
from leadapron.defences.heads.strangers import (
    MECHANISMS,
    check_features,
    length_counts,
    private_bank,
    public_bank,
    spectrum,
    sums,
)
from leadapron.errors import ConfigError, DataError
from leadapron.privacy.poisson_sampling import Units
from leadapron.privacy.secret_noise import SeededNoise
from leadapron.release import Release
from tiny_heads import WIDTHS, tiny_release


def test_a_public_bank_is_a_draw_of_whole_pairs():
    release, bank = tiny_release(), tiny_release(patients=80, seed=1, prefix="q")
    drawn = public_bank(bank, release, 30, seed=4)
    places = [int(np.flatnonzero((bank.arrays["image_features"] == row).all(axis=1))[0]) for row in drawn.image]
    assert len(set(places)) == 30
    np.testing.assert_array_equal(drawn.text, bank.arrays["text_features"][places])
    assert "30 public pairs" in drawn.source
    again, other = public_bank(bank, release, 30, seed=4), public_bank(bank, release, 30, seed=5)
    np.testing.assert_array_equal(drawn.image, again.image)
    assert (drawn.image != other.image).any()
    assert len(public_bank(bank, release, 10**6, seed=0).image) == len(bank)


def test_a_bank_that_shares_a_patient_is_refused():
    release, bank = tiny_release(), tiny_release(patients=30, seed=1)
    with pytest.raises(ConfigError, match="shares 30 patient ids") as refused:
        public_bank(bank, release, 10, 0)
    assert "--bank-has-other-ids" in str(refused.value)
    assert len(public_bank(bank, release, 10, 0, other_ids=True).image) == 10


@pytest.mark.parametrize("split", ["train", "test"])
def test_the_same_picture_under_another_id_is_refused(split):
    release, bank = tiny_release(), tiny_release(patients=30, seed=1, prefix="q")
    images = bank.arrays["image_features"].copy()
    images[7] = release.of_split(split).arrays["image_features"][0]
    smuggled = Release(bank.records, {**bank.arrays, "image_features": images}, heads=bank.heads)
    with pytest.raises(ConfigError, match="1 images of the bank") as refused:
        public_bank(smuggled, release, 10, 0, other_ids=True)
    assert "got 'row 7'" in str(refused.value)


def test_the_same_words_are_no_sign_of_the_same_patient():
    release, bank = tiny_release(), tiny_release(patients=30, seed=1, prefix="q")
    texts = bank.arrays["text_features"].copy()
    texts[7] = release.arrays["text_features"][0]
    public_bank(Release(bank.records, {**bank.arrays, "text_features": texts}, heads=bank.heads), release, 10, 0)


def test_a_bank_of_another_backbone_is_refused():
    release, bank = tiny_release(), tiny_release(seed=1, prefix="q", widths={"image": 24, "text": 22})
    with pytest.raises(DataError, match="another backbone"):
        public_bank(bank, release, 10, 0)


def test_a_release_without_features_is_refused():
    release = tiny_release()
    bare = Release(release.records, {name: release.arrays[name] for name in ("image", "text")})
    with pytest.raises(DataError, match="--with-features"):
        check_features(bare)
    with pytest.raises(DataError, match="--with-features"):
        public_bank(bare, release, 10, 0)


# ---------------------------------------------------------------- the private fit


def scaled(release, factor):
    arrays = {name: factor * release.arrays[name] for name in ("image_features", "text_features")}
    return Release(release.records, {name: rows.astype(np.float32) for name, rows in arrays.items()})


def queries(release, units, radii):
    """What the four mechanisms add noise to."""
    total, squares = sums(release, units, radii)
    triangle = squares[np.triu_indices(len(total))]
    return [length_counts(release, units).ravel(), total, triangle, np.array([np.trace(squares)])]


@pytest.mark.parametrize("factor", [1e-3, 1.0, 1e4])
def test_a_whole_patient_moves_each_query_by_one_at_most(factor):
    """Whatever the size of the features, the number of records, and whoever is left out."""
    release = scaled(tiny_release(patients=25), factor)
    units = units_of(release, "patient")
    radii = [3.0, 3.0]
    whole = queries(release, units, radii)
    largest = np.zeros(MECHANISMS)
    for left_out in range(len(units)):
        keep = [unit for unit in range(len(units)) if unit != left_out]
        rows = [units.rows[units.starts[unit] : units.starts[unit + 1]] for unit in keep]
        rest = Units("patient", np.concatenate(rows), np.concatenate([[0], np.cumsum([len(r) for r in rows])]))
        moved = [np.linalg.norm(a - b) for a, b in zip(whole, queries(release, rest, radii), strict=True)]
        largest = np.maximum(largest, moved)
    assert (largest <= 1 + 1e-9).all()
    assert largest[0] == pytest.approx(1)  # the bound is met, so less noise would not do
    if factor == 1e4:
        assert largest[1] > 0.5


def test_with_little_noise_the_strangers_are_like_the_patients():
    release = tiny_release(patients=400)
    units = units_of(release, "patient")
    bank = private_bank(release, units, 4000, 1e-3, SeededNoise(0))
    weights = np.repeat(1 / np.diff(units.starts), np.diff(units.starts))
    for side, drawn in (("image", bank.image), ("text", bank.text)):
        rows = release.arrays[f"{side}_features"][units.rows]
        mean = np.average(rows, axis=0, weights=weights)
        covariance = np.cov(rows.T, aweights=weights)
        assert drawn.shape == (4000, WIDTHS[side])
        assert np.linalg.norm(drawn.mean(axis=0) - mean) < 0.15 * np.linalg.norm(mean) + 0.2
        # some rows are clipped to the radius, which takes a little of their spread
        assert np.linalg.norm(np.cov(drawn.T) - covariance) < 0.35 * np.linalg.norm(covariance)


def test_with_much_noise_the_strangers_are_still_finite_and_spread_out():
    release = tiny_release(patients=20)
    bank = private_bank(release, units_of(release, "patient"), 50, 100.0, SeededNoise(0))
    for rows in (bank.image, bank.text):
        assert np.isfinite(rows).all()
        assert rows.std(axis=0).min() > 0
    assert "private mean" in bank.source


def test_the_spectrum_keeps_the_spread_and_is_never_negative():
    rng = np.random.default_rng(0)
    signal = np.diag([5.0, 2.0, *[0.01] * 18])
    noise = rng.standard_normal((20, 20)) * 0.05
    values, vectors = spectrum(signal + (noise + noise.T) / 2, edge=0.5, spread=9.0)
    assert (values >= 0).all()
    assert (values > 1).sum() == 2
    assert values.sum() == pytest.approx(9.0)
    assert spectrum(signal, edge=0.5, spread=1.0)[0].sum() == pytest.approx(7.0)  # what is known is kept
    np.testing.assert_allclose(vectors @ vectors.T, np.eye(20), atol=1e-9)


def test_ids_are_compared_where_both_sides_have_them():
    release, bank = tiny_release(), tiny_release(patients=30, seed=1)
    anonymous = Release(bank.records.drop("patient_id"), bank.arrays, heads=bank.heads)
    assert len(public_bank(anonymous, release, 10, 0).image) == 10
