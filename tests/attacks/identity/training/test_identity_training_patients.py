"""Who is trained on: patients of one split with two images or more, batches and pairs drawn from them."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.identity.training import choose
from leadapron.attacks.identity.training import training_patients as who
from leadapron.attacks.identity.training.validation import auc, cosine_scores, recognition, weighted_l1_scores
from leadapron.errors import ConfigError, DataError


@pytest.fixture(scope="module")
def training(small_clinic):
    return who.of_split(small_clinic.cohort, "train")


def changed(cohort, *columns):
    return replace(cohort, records=cohort.records.with_columns(*columns))


def test_patients_of_a_split_with_two_images(small_clinic, training):
    records = small_clinic.cohort.records.with_row_index("row").filter(pl.col("split") == "train")
    by_patient = records.group_by("patient_id", maintain_order=True).agg("row")
    expected = [rows for rows in by_patient["row"].to_list() if len(rows) >= 2]
    got = [training.rows[a:b].tolist() for a, b in zip(training.starts[:-1], training.starts[1:], strict=True)]
    assert got == expected
    assert training.left_out == len(by_patient) - len(expected) > 0
    assert len(training) == len(expected)


@pytest.mark.parametrize("images", [2, 4])
def test_batches_hold_distinct_images_of_whole_patients(training, images):
    batches = who.patient_batches(training, 8, images, np.random.default_rng(0))
    assert len(batches) == len(training.rows) // (8 * images)
    owner = dict(zip(training.rows.tolist(), training.owner.tolist(), strict=True))
    counts = np.diff(training.starts)
    for batch in batches:
        assert len(set(batch.rows.tolist())) == len(batch.rows), "no image twice"
        assert [owner[row] for row in batch.rows.tolist()] == batch.truth.tolist()
        patients, held = np.unique(batch.truth, return_counts=True)
        assert len(patients) == 8
        assert held.tolist() == np.minimum(images, counts[patients]).tolist()


def test_an_epoch_meets_everybody_and_differs_from_the_next(training):
    rng = np.random.default_rng(0)
    first, second = (who.patient_batches(training, len(training), 2, rng) for _ in range(2))
    assert set(first[0].truth.tolist()) == set(range(len(training)))
    assert first[0].rows.tolist() != second[0].rows.tolist()
    again = who.patient_batches(training, len(training), 2, np.random.default_rng(0))
    assert again[0].rows.tolist() == first[0].rows.tolist()


def test_more_patients_a_batch_than_there_are(training):
    (batch, *_) = who.patient_batches(training, 10_000, 2, np.random.default_rng(0))
    assert len(batch.rows) == 2 * len(training)


def test_all_positive_pairs(training):
    pairs = who.positive_pairs(training)
    counts = np.diff(training.starts)
    assert len(pairs) == (counts * (counts - 1) // 2).sum()
    owner = dict(zip(training.rows.tolist(), training.owner.tolist(), strict=True))
    assert all(owner[left] == owner[right] and left != right for left, right in pairs.tolist())
    assert len({tuple(sorted(pair)) for pair in pairs.tolist()}) == len(pairs)


def test_negative_pairs_are_of_two_patients_and_even(training):
    pairs = who.negative_pairs(training, 40_000, np.random.default_rng(0))
    owner = dict(zip(training.rows.tolist(), training.owner.tolist(), strict=True))
    assert all(owner[left] != owner[right] for left, right in pairs.tolist())
    met = np.bincount(np.searchsorted(np.sort(training.rows), pairs.ravel()), minlength=len(training.rows))
    expected = pairs.size / len(training.rows)
    assert np.all(np.abs(met - expected) < 6 * np.sqrt(expected))


def test_pair_batches_keep_the_halves_together(training):
    rng = np.random.default_rng(0)
    positives = who.positive_pairs(training)
    negatives = who.negative_pairs(training, len(positives), rng)
    known = {tuple(pair): 1.0 for pair in positives.tolist()} | {tuple(pair): 0.0 for pair in negatives.tolist()}
    batches = who.pair_batches(positives, negatives, 32, rng)
    assert sum(len(batch.truth) for batch in batches) == 2 * len(positives)
    for batch in batches:
        left, right = batch.rows.reshape(2, -1)
        assert [known[pair] for pair in zip(left.tolist(), right.tolist(), strict=True)] == batch.truth.tolist()


# Cohorts that nothing can be learnt from


def test_one_patient_in_all(small_clinic):
    one = changed(small_clinic.cohort, pl.lit("p").alias("patient_id"), pl.lit("train").alias("split"))
    with pytest.raises(DataError, match="there is one patient in all"):
        who.of_split(one, "train")


def test_no_patient_with_two_images(small_clinic):
    strangers = changed(small_clinic.cohort, pl.col("record_id").alias("patient_id"), pl.lit("train").alias("split"))
    with pytest.raises(DataError, match=r"fewer than two patients of split 'train' have two images.*got 0"):
        who.of_split(strangers, "train")


def test_an_empty_split(small_clinic):
    all_train = changed(small_clinic.cohort, pl.lit("train").alias("split"))
    with pytest.raises(DataError, match=r"no record in split 'validate'.*got 'train'"):
        who.of_split(all_train, "validate")


# Figures


def test_auc_is_the_chance_of_the_right_order():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 8, 60).astype(float)
    positive = rng.random(60) < 0.4
    differences = scores[positive][:, None] - scores[~positive]
    assert auc(scores, positive) == pytest.approx(((differences > 0) + 0.5 * (differences == 0)).mean())


def test_recognition_by_hand():
    embeddings = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [0, 1]], dtype=np.float32)
    patients = np.array([0, 0, 1, 2])
    found = recognition(embeddings, patients, cosine_scores)
    assert found["precision_at_1"] == 0.5, "the first finds its mate, the second finds a stranger"
    assert found["auc"] == pytest.approx(3.5 / 5), "three of the other pairs are below the mates, one ties with them"
    assert (found["images"], found["patients"]) == (2, 1)


def test_images_of_one_study_are_not_compared():
    embeddings = np.eye(4, dtype=np.float32)[[0, 0, 1, 2]]
    patients, studies = np.array([0, 0, 0, 1]), np.array([0, 0, 1, 2])
    assert recognition(embeddings, patients, cosine_scores)["auc"] == pytest.approx((1 + 2 * 0.5) / 3)
    found = recognition(embeddings, patients, cosine_scores, apart=studies)
    assert found["auc"] == 0.5, "only the pairs across studies are left, and they all tie"
    assert found["images"] == 3


def test_weighted_l1_scores():
    rng = np.random.default_rng(0)
    rows, weights = rng.random((5, 3), dtype=np.float32), rng.normal(size=3).astype(np.float32)
    scores = weighted_l1_scores(weights, 0.7)(rows[:2], rows)
    assert scores[1, 3] == pytest.approx(0.7 + (weights * np.abs(rows[1] - rows[3])).sum(), rel=1e-5)
    assert scores[1, 1] == pytest.approx(0.7)


# Settings


def test_the_published_settings_are_those_of_the_study():
    retrieval = choose(as_published=True)
    head, whole = retrieval.phases
    assert (head.epochs, head.head_only, whole.epochs, whole.head_only) == (30, True, 50, False)
    assert all((phase.high, phase.low) == (0.1584, 0.0063) for phase in retrieval.phases)
    assert (retrieval.backbone, retrieval.loss, retrieval.optimiser) == ("resnet50", "contrastive", "sgd")
    assert (retrieval.memory, retrieval.patients_a_batch * retrieval.images_a_patient) == (128, 32)
    assert (retrieval.weight_decay, retrieval.image_size) == (1e-5, 1024)
    assert not retrieval.augment
    assert not retrieval.batch_norm
    verification = choose("verification", as_published=True)
    assert (verification.backbone, verification.loss, verification.optimiser) == ("resnet50", "bce", "adam")
    assert (verification.pairs_a_batch, verification.patience, verification.image_size) == (32, 5, 256)
    assert verification.phases[0].high == verification.phases[0].low == 1e-4


def test_changes_to_a_setting():
    config = choose("retrieval", "resnet50", as_published=True, epochs=2, learning_rate=0.01584, image_size=64)
    assert [phase.epochs for phase in config.phases] == [2, 2]
    assert config.phases[1].low == pytest.approx(0.00063)
    assert (config.image_size, config.loss) == (64, "contrastive")
    assert choose(backbone="efficientnet-lite0").phases[0].head_only


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"backbone": "resnet"}, "unknown backbone; got 'resnet'; allowed: efficientnet-lite0, resnet50, small (did"),
        ({"network": "siamese"}, "unknown network; got 'siamese'"),
        ({"pairs": "twice"}, "unknown pairs"),
        ({"loss": "bce"}, "unknown loss"),
        ({"image_size": 16}, "the images are too small"),
        ({"image_size": 66}, "the images cannot be cut into cells; got 66; allowed: a multiple of 4"),
        ({"epochs": 0}, "there is nothing to train"),
        ({"learning_rate": -1.0}, "not a cycle of learning rates"),
        ({"training_pairs": 1}, "too few training pairs"),
    ],
)  # fmt: skip
def test_settings_that_do_not_fit(changes, message):
    with pytest.raises(ConfigError, match=re.escape(message)):
        choose(**changes)
