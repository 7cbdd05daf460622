"""Copies of training images: as many flagged as real images of others where there are none, all where all are."""

from __future__ import annotations

import numpy as np
import pytest

from image_data import audited, audited_anew, images_of
from leadapron.attacks.images.flagged import area, flagged, threshold_at
from leadapron.attacks.images.image_copies_page import HELD_OUT, TRAINING
from leadapron.attacks.images.nearest_images import Patches, nearest
from leadapron.results.selection import only

RATE = "flagged@real=0.05"
"""Of so few patients as these a hundredth could not be told from none."""


@pytest.fixture(scope="module")
def oracle():
    return audited("image-copies", "said")


def test_strangers_bodies_are_flagged_as_often_as_real_images_of_others(oracle):
    for attacker in ("whole", "patches"):
        for records in (TRAINING, HELD_OUT):
            row = only(oracle, metric=RATE, attacker=attacker, records=records)
            assert row.low <= 0.05 <= row.high
            assert row.value < 0.12
    assert {outcome.outcome for outcome in oracle.outcomes} == {"pass"}, oracle.outcomes


def test_planted_copies_of_some_records_are_flagged_and_the_others_are_not(oracle):
    made, real = images_of("said"), images_of("real")
    training = made.records["split"].eq("train").arg_true().to_numpy()
    copied = training[::10]
    images = made.images.copy()
    noise = np.random.default_rng(0).normal(0, 6, real.images[copied].shape)
    images[copied] = np.clip(real.images[copied] + noise, 0, 255)
    found = audited_anew("image-copies", made.with_images(images))
    units = found.evidence("units").filter(row=f"{RATE} by whole (records={TRAINING})")
    planted = units["record_id"].is_in(made.records["record_id"][copied.tolist()].implode())
    assert units.filter(planted)["value"].mean() > 0.95
    before = only(oracle, metric=RATE, attacker="whole", records=TRAINING).value
    assert units.filter(~planted)["value"].mean() < before + 0.02


def test_undefended_training_images_are_their_own_copies_and_held_out_ones_are_not():
    found = audited("image-copies", "real")
    assert found.headline.value == 1.0
    assert only(found, metric=RATE, attacker="whole", records=HELD_OUT).value < 0.06
    assert found.details["own"] == 1.0


def test_a_published_rule_takes_real_images_of_strangers_for_copies(oracle, tmp_path):
    assert oracle.details["published"]["dar"] > 0.2
    assert oracle.spot.attacker not in oracle.details["published"]
    page = (oracle.save(tmp_path / "out").folder / "report.html").read_text()
    assert "The rule of Dar et al. flags" in page
    assert "(split train)" in page


def test_a_published_rule_sees_a_copy_of_ones_own_source_alone(oracle):
    """What it flags of strangers' bodies is what it flags of strangers; sources are found, others' images are not."""
    of = {"metric": "flagged", "attacker": "chexgenbench", "records": TRAINING}
    assert only(audited("image-copies", "real"), **of).value == 1.0
    assert only(oracle, **of).value < 0.3
    real = images_of("real")
    training = real.records["split"].eq("train").arg_true().to_numpy()
    images = images_of("said").images.copy()
    images[training] = real.images[np.roll(training, 40)]  # verbatim copies, of somebody else
    found = audited_anew("image-copies", real.with_images(images))
    assert only(found, metric=RATE, attacker="whole", records=TRAINING).value > 0.9
    assert only(found, **of).value < 0.3


def test_the_nearest_is_found_as_by_looking_at_every_pair():
    rng = np.random.default_rng(0)
    rows, among = rng.normal(size=(40, 5)).astype(np.float32), rng.normal(size=(30, 5)).astype(np.float32)
    apart = np.linalg.norm(rows[:, None].astype(float) - among, axis=2)
    far, place = nearest(rows, among)
    assert np.allclose(far, apart.min(axis=1))
    assert np.array_equal(place, apart.argmin(axis=1))
    owner = rng.integers(0, 3, 40), rng.integers(0, 3, 30)
    apart[owner[0][:, None] == owner[1]] = np.inf
    assert np.allclose(nearest(rows, among, owner)[0], apart.min(axis=1))


def test_an_image_that_is_one_training_image_at_many_places_scores_high():
    rng = np.random.default_rng(0)
    usual = Patches(1 + rng.random((50, 9)), rng.integers(0, 1000, (50, 9)))
    image = rng.integers(0, 1000, (2, 9))
    image[1, :5] = 7
    scores = Patches(np.ones((2, 9)), image).scores(usual, 0.05)
    assert scores[1] - scores[0] > 2


def test_shares_beyond_a_threshold_and_areas_are_what_they_say():
    rng = np.random.default_rng(1)
    null, scores = rng.normal(size=2000), rng.normal(1.0, size=1500)
    owner = np.arange(2000)
    assert np.mean(null > threshold_at(null, 0.01)) == pytest.approx(0.01, abs=0.001)
    estimate, above = flagged(null, owner, scores, owner[:1500], 0.05)
    assert estimate.value == above.mean() == np.mean(scores > np.sort(null)[::-1][100])
    assert estimate.low < 0.26 < estimate.high
    found, placed = area(null, scores)
    slow = np.mean((scores[:, None] > null) + 0.5 * (scores[:, None] == null))
    assert found.value == pytest.approx(slow) == pytest.approx(placed.mean())
    assert found.low < 0.76 < found.high
