"""Heads as targets: the signal of a pair, whose data train them, and what the private ones promise."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.membership.signals import number_patients
from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.errors import ConfigError, DataError
from leadapron.targets.audited import balanced_masks
from leadapron.targets.collect import promised_profile
from leadapron.targets.head_targets import TEMPERATURE, heads_of, pair_signals
from tiny_heads import tiny_release

LONG = HeadsConfig(method="nonprivate", epochs=60, batch=8, learning_rate=3e-3, start="mlp")


@pytest.fixture(scope="module")
def release():
    return tiny_release(patients=120)


@pytest.fixture(scope="module")
def members(release):
    audited = release.records.filter(pl.col("split") == "train")
    return balanced_masks(number_patients(audited)[0], 8, 0)


def test_a_pair_is_as_sure_as_the_probabilities_say():
    rng = np.random.default_rng(0)
    arrays = {side: rng.standard_normal((9, 5)).astype(np.float32) for side in ("image", "text")}
    found = pair_signals(arrays, np.arange(4), np.arange(4, 9))

    def cosine(image, text):
        return float(image @ text / np.linalg.norm(image) / np.linalg.norm(text)) / TEMPERATURE

    for pair in range(4):
        expected = 0.0
        for strangers in (
            [cosine(arrays["image"][pair], arrays["text"][other]) for other in range(4, 9)],
            [cosine(arrays["image"][other], arrays["text"][pair]) for other in range(4, 9)],
        ):
            right = math.exp(cosine(arrays["image"][pair], arrays["text"][pair]))
            p = right / (right + sum(map(math.exp, strangers)))
            expected += math.log(p) - math.log(1 - p)
        assert found[pair] == pytest.approx(expected, rel=1e-4)


def test_members_are_surer_and_nobody_else_matters(release, members):
    learner = heads_of(release, LONG)
    trained = learner.train(members[:4], [1, 2, 3, 4])
    signals = np.stack([model.answers["full"] for model in trained])
    inside, outside = (
        np.mean([row[chosen == kind].mean() for row, chosen in zip(signals, members, strict=False)])
        for kind in (True, False)
    )
    assert inside > outside + 0.5, "heads that train long learn their pairs by heart"
    again = learner.train(members[2:3], [3])[0]
    assert np.array_equal(again.answers["full"], signals[2])
    assert again.card["auroc"] == trained[2].card["auroc"]

    rows = np.flatnonzero((release.records["split"] == "train").to_numpy())
    others = rows[~members[2]]
    changed = {name: array.copy() for name, array in release.arrays.items()}
    changed["image_features"][others] += 1
    elsewhere = heads_of(replace(release, arrays=changed), LONG).train(members[2:3], [3])[0]
    # The last bits of a matrix product depend on the rows beside a row.
    assert np.allclose(elsewhere.answers["full"][members[2]], signals[2][members[2]], atol=1e-4)
    assert not np.allclose(elsewhere.answers["full"][~members[2]], signals[2][~members[2]], atol=1e-1)


def test_private_heads_keep_what_was_asked_for(release, members):
    learner = heads_of(release, HeadsConfig(method="private", epsilon=4.0, epochs=2, start="mlp"))
    cards = [model.card for model in learner.train(members[:3], [1, 2, 3])]
    assert len({card["sigma"] for card in cards}) == 1
    for card in cards:
        assert 0 < card["epsilon"] <= 4.0
        assert card["level"] == "patient"
        epsilons, deltas = card["profile"]
        assert np.interp(card["epsilon"], epsilons, deltas) == pytest.approx(card["delta"], rel=0.5)
    promised = promised_profile(cards)
    assert promised.shape == (2, len(cards[0]["profile"][0])), "one promise for all models"


def test_what_cannot_be_asked(release):
    with pytest.raises(ConfigError, match="nobody's data"):
        heads_of(release, HeadsConfig(method="noise_only"))
    alone = replace(release, records=release.records.with_columns(pl.lit("train").alias("split")))
    with pytest.raises(DataError, match="held-out patients"):
        heads_of(alone, LONG)
