"""The measurement on releases whose use is known."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from leadapron.cohort import LABEL_COLUMNS
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release
from leadapron.uses import UtilityConfig, measure_utility
from utility_releases import made, only, outcome, with_labels

QUICK = UtilityConfig(redraws=200)


def test_a_planted_signal_is_found():
    utility = measure_utility(made(2.5, prevalence=0.45), QUICK)
    assert only(utility, "auroc").low > 0.85
    assert only(utility, "zero-shot auroc").low > 0.85
    assert {row.outcome for row in utility.outcomes} == {"pass"}
    assert len([row for row in utility.estimates if row.metric == "auroc"]) == 1 + len(LABEL_COLUMNS)
    assert utility.details["withheld"] == []
    three = measure_utility(made(2.5, labels=LABEL_COLUMNS[:3]), QUICK)  # so few that some reports are of the very same
    for name in ("precision@10", "jaccard@10", "agreement@10"):
        row = only(three, f"label-retrieval {name}")
        assert row.low > row.chance + 0.05


def test_without_a_signal_everything_sits_at_chance():
    for seed in range(4):
        utility = measure_utility(made(0.0, seed=seed), QUICK)
        for metric in ("auroc", "zero-shot auroc", "label-retrieval jaccard@10", "label-retrieval agreement@10"):
            row = only(utility, metric)
            assert abs(row.value - row.chance) < 4 * row.sd, metric
            assert row.sd < 0.05


def test_every_number_says_whom_it_speaks_of():
    release = made(2.0)
    records = release.records.filter(pl.col("split") == "test")
    utility = measure_utility(release, QUICK)
    row = only(utility, "auroc", "edema")
    assert row.n == len(records) == 96
    assert row.patients == records["patient_id"].n_unique() == 48
    assert utility.details["positives"]["edema"] == records["label_edema"].sum()
    for row in utility.estimates:
        assert 0 <= row.low <= row.high <= 1
        assert row.sd >= 0


def test_chance_at_a_threshold_is_the_answer_without_the_image():
    release = with_labels(made(1.0), lambda split, column: np.where(split == "train", column, 1 - column))
    utility = measure_utility(release, QUICK)
    share = release.records.filter(pl.col("split") == "test")["label_edema"].mean()
    # in training the finding is the rarer class, so the blind answer is no, however it is in the test split
    assert only(utility, "accuracy", "edema").chance == pytest.approx(1 - share)
    assert only(utility, "sensitivity", "edema").chance == 0
    assert only(utility, "specificity", "edema").chance == 1
    assert only(utility, "specificity").chance == 1
    assert only(utility, "auroc", "edema").chance == 0.5


def test_the_test_split_has_no_say_in_the_strength_and_the_validation_split_has():
    release = made(0.7, seed=3)

    def dealt(side, seed):
        rng = np.random.default_rng(seed)

        def change(split, column):
            rows = np.flatnonzero(split == side)
            column[rows] = rng.permutation(column[rows])
            return column

        return measure_utility(with_labels(release, change), QUICK)

    as_it_is = measure_utility(release, QUICK)
    trials = as_it_is.evidence("strengths")
    for seed in range(3):
        other = dealt("test", seed)
        assert other.details["strength"] == as_it_is.details["strength"]
        assert other.evidence("strengths").equals(trials)
        assert only(other, "auroc").value != only(as_it_is, "auroc").value
    assert not dealt("validate", 0).evidence("strengths").equals(trials)
    best = trials.sort("validation_auroc", "strength", descending=True).row(0, named=True)
    assert as_it_is.details["strength"] == best["strength"]


def test_a_single_strength_needs_no_validation_split():
    release = made(2.0)
    kept = (release.records["split"] != "validate").to_numpy()
    release = Release(release.records.filter(kept), {name: array[kept] for name, array in release.arrays.items()})
    utility = measure_utility(release, UtilityConfig(redraws=200, strengths=(0.05,)))
    assert utility.details["strength"] == 0.05
    assert only(utility, "auroc").low > 0.8
    with pytest.raises(DataError, match="validation split"):
        measure_utility(release, QUICK)


def test_unknown_is_masked():
    release = made(2.0)

    def masked(_split, column):
        """Every third label is unknown."""
        column = column.astype(np.float64)
        column[::3] = np.nan
        return column

    utility = measure_utility(with_labels(release, masked), QUICK)
    records = with_labels(release, masked).records.filter(pl.col("split") == "test")
    assert only(utility, "auroc", "edema").n == 96 - records["label_edema"].null_count()
    assert only(utility, "auroc").low > 0.75


def test_labels_with_one_class_are_left_out_of_the_mean_and_named():
    release = made(2.0, prevalence=0.45)
    whole = measure_utility(release, QUICK)
    in_test, in_train = "label_edema", "label_fracture"
    split = pl.col("split")
    records = release.records.with_columns(
        pl.when(split == "test").then(0).otherwise(pl.col(in_test)).alias(in_test),
        pl.when(split == "train").then(1).otherwise(pl.col(in_train)).alias(in_train),
    )
    utility = measure_utility(Release(records, release.arrays, prompts=release.prompts), QUICK)
    named = outcome(utility, "linear probe")
    assert named.outcome == "warn"
    assert "edema (test)" in named.reason
    assert "fracture (train)" in named.reason
    labels = {row.at.get("label") for row in utility.estimates if row.metric == "auroc"} - {None}
    assert len(labels) == 12
    kept = [only(utility, "auroc", label).value for label in sorted(labels)]
    assert only(utility, "auroc").value == pytest.approx(np.mean(kept))
    assert only(whole, "auroc").value != only(utility, "auroc").value
    # words need no training: the finding without a class in train is asked for all the same
    assert len([row for row in utility.estimates if row.metric == "zero-shot auroc"]) == 1 + 13
    assert "edema" in outcome(utility, "zero-shot").reason


@pytest.mark.parametrize(("side", "said"), [("train", "both classes"), ("test", "20 test records")])
def test_where_no_label_can_be_judged_it_is_an_error(side, said):
    release = with_labels(made(), lambda split, column: np.where(split == side, 0, column))
    with pytest.raises(DataError, match=said):
        measure_utility(release, QUICK)


def test_a_finding_of_fewer_than_twenty_radiographs_decides_no_mean():
    """One positive radiograph has an AUROC of nought or one, and moved the mean over fourteen findings by as much."""
    release = made(2.0, prevalence=0.45)

    def rare(wanted):
        def change(split, column):
            there = np.flatnonzero((split == "test") & (column == 1))
            column[there[wanted:]] = 0
            return column

        column = with_labels(release, change).records["label_edema"]
        return Release(release.records.with_columns(label_edema=column), release.arrays, prompts=release.prompts)

    told = measure_utility(rare(20), QUICK)
    assert told.details["positives"]["edema"] == 20
    for few in (1, 19):
        left_out = measure_utility(rare(few), QUICK)
        for metric in ("auroc", "sensitivity", "zero-shot auroc"):
            own = {row.at.get("label"): row.value for row in left_out.estimates if row.metric == metric}
            assert "edema" not in own
            assert own.pop(None) == pytest.approx(np.mean(list(own.values())))
        assert "edema (test)" in outcome(left_out, "linear probe").reason


def test_never_and_always_have_an_interval_too():
    """Redraws of a sensitivity of nought are all nought: that is not how sure it is."""
    utility = measure_utility(made(0.0, prevalence=0.2), UtilityConfig(redraws=200, strengths=(10.0,)))
    never = [row for row in utility.estimates if row.metric == "sensitivity" and row.value == 0]
    always = [row for row in utility.estimates if row.metric == "specificity" and row.value == 1]
    assert never
    assert always
    assert all(row.low == 0 < row.high < 1 for row in never)
    assert all(0 < row.low < row.high == 1 for row in always)


def test_what_a_release_does_not_hold_is_not_run():
    utility = measure_utility(made(prompts=False, text=False), QUICK)
    assert outcome(utility, "zero-shot").outcome == "not-run"
    assert outcome(utility, "label retrieval").outcome == "not-run"
    assert {row.metric for row in utility.estimates} == {"auroc", "accuracy", "sensitivity", "specificity"}


def test_prompts_of_another_space_are_not_asked():
    release = made()
    image = np.ascontiguousarray(release.image[:, :10])
    utility = measure_utility(Release(release.records, {"image": image}, prompts=release.prompts), QUICK)
    assert "not in one space" in outcome(utility, "zero-shot").reason


def test_labels_are_asked_by_their_name_and_not_by_their_place():
    release = made(3.0, prevalence=0.45)
    names = [name for name in release.records.columns if name.startswith("label_")]
    others = [name for name in release.records.columns if name not in names]
    shuffled = Release(release.records.select(*others, *reversed(names[3:])), release.arrays, prompts=release.prompts)
    one, other = measure_utility(release, QUICK), measure_utility(shuffled, QUICK)
    for name in names[3:]:
        label = name.removeprefix("label_")
        assert only(one, "zero-shot auroc", label).value == only(other, "zero-shot auroc", label).value
        assert only(one, "zero-shot auroc", label).value > 0.85


def test_patients_who_recur_widen_the_interval():
    release = made(1.0, images=6)
    copies = np.repeat(np.arange(0, len(release), 6), 6)  # all of a patient's images are the first
    release = Release(release.records, {name: array[copies] for name, array in release.arrays.items()})
    by_patient = measure_utility(release, QUICK)
    by_record = measure_utility(release, UtilityConfig(resample="record", redraws=200))
    one, other = only(by_patient, "auroc"), only(by_record, "auroc")
    assert one.value == other.value
    assert one.sd > 1.8 * other.sd
    assert any("as published" in limit for limit in by_record.limits)


def test_a_release_without_patients_says_so():
    release = made()
    utility = measure_utility(Release(release.records.drop("patient_id"), release.arrays), QUICK)
    assert any("names no patients" in limit for limit in utility.limits)
    assert only(utility, "auroc").patients == only(utility, "auroc").n


def test_the_same_release_and_seed_give_the_same_result(monkeypatch):
    release = made(1.0)
    one = measure_utility(release, QUICK)
    monkeypatch.setenv("LEADAPRON_THREADS", "1")
    other = measure_utility(release, QUICK)
    assert one.estimates == other.estimates
    assert one.outcomes == other.outcomes
    assert all(one.evidence(name).equals(other.evidence(name)) for name in ("records", "strengths"))
    third = measure_utility(release, UtilityConfig(redraws=200, seed=1))
    assert only(third, "auroc").value == only(one, "auroc").value
    assert only(third, "auroc").low != only(one, "auroc").low


def drop(column):
    return lambda release: Release(release.records.drop(column), release.arrays)


def replaced(**columns):
    return lambda release: Release(release.records.with_columns(**columns), release.arrays)


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (drop(list(LABEL_COLUMNS)), "no labels"),
        (replaced(split=pl.lit("test")), "split 'train'"),
        (replaced(split=pl.lit("train")), "split 'test'"),
        (replaced(patient_id=pl.lit("everybody")), "stand in another one"),
        (replaced(label_edema=pl.lit(2)), "unknown label in row 0"),
        (replaced(label_edema=pl.lit("yes")), "not numeric"),
        (lambda release: Release(release.records, {"text": release.text}), "image embeddings"),
        (
            lambda release: Release(
                release.records.with_columns(
                    patient_id=pl.when(pl.col("split") == "test").then(pl.lit("one")).otherwise("patient_id")
                ),
                release.arrays,
            ),
            "one patient",
        ),
        (replaced(**{f"label_{number}": pl.lit(1) for number in range(50)}), "too many labels"),
    ],
)
def test_a_release_that_cannot_be_measured_is_refused(broken, said):
    with pytest.raises(DataError, match=said):
        measure_utility(broken(made()), QUICK)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"resample": "image"}, "resample: input should be 'patient' or 'record'"),
        ({"redraws": 10}, "redraws"),
        ({"strengths": ()}, "strength"),
        ({"strengths": (0.1, -1.0)}, "strength"),
        ({"strengths": (float("nan"),)}, "strength"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(options, said):
    with pytest.raises(ConfigError, match=said):
        UtilityConfig(**options)
