"""From release to release: what every method makes of it, what it says of it, and what it refuses."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from unittest import mock

import numpy as np
import polars as pl
import pytest

from leadapron.defences.apply_defence import apply_defence
from leadapron.defences.heads import CONTROLS, METHODS, HeadsConfig, controls_of
from leadapron.defences.heads import head_training as checkpoints
from leadapron.defences.heads.head_defences import PRIVATE
from leadapron.defences.heads.methods import find_method
from leadapron.defences.heads.network import has_batch_norm
from leadapron.errors import ConfigError, DataError, MissingExtraError
from leadapron.privacy.poisson_sampling import round_up
from leadapron.release import Release, read_release, write_release
from leadapron.release.fitting import fitted_to
from leadapron.release.patient_sets import PatientSet
from tiny_heads import every_layer, tiny_release

QUICK = {"batch": 9, "epochs": 2, "sigma": 3.0, "seed": 0}
UNSAID = {"entropy": {"sigma": None}, "prototype": {"sigma": None}, "untrained": {}, "norm_swap_only": {}}


@pytest.fixture(scope="module")
def release():
    return tiny_release(patients=80)


@pytest.fixture(scope="module")
def bank():
    return tiny_release(patients=30, seed=1, prefix="q")


def defend_heads(release, config):
    """With its card; the method is that of the configuration."""
    return apply_defence(PRIVATE, release, config)


def config(method, **options):
    return HeadsConfig(method=method, **{**QUICK, **UNSAID.get(method, {}), **options})


def with_batch_norm(release):
    return replace(release, heads=every_layer(), prompts={}, arrays=features_only(release))


def features_only(release):
    return {name: array for name, array in release.arrays.items() if name.endswith("_features")}


@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_a_whole_release_without_features(method, release, bank):
    source = with_batch_norm(release) if method == "norm_swap_only" else release
    defended = defend_heads(source, config(method, bank=bank))
    assert set(defended.arrays) == {"image", "text"}
    assert defended.records.equals(source.records)
    for side in ("image", "text"):
        np.testing.assert_allclose(np.linalg.norm(defended.arrays[side], axis=1), 1, atol=1e-5)
        np.testing.assert_allclose(
            defended.arrays[side], defended.heads[side](source.arrays[f"{side}_features"]), atol=1e-5
        )
    assert (defended.text[0] == defended.text[1]).all()  # the same words before, the same row after
    if source.prompts:
        assert set(defended.prompts) == {"text"}
        np.testing.assert_allclose(
            defended.prompts["text"], defended.heads["text"](source.prompts["text_features"]), atol=1e-5
        )
    card = defended.card["defence"]
    json.dumps(card, allow_nan=False)
    assert (card["group"], card["method"]) == ("heads", method)
    assert defended.card["alignment"] == source.card["alignment"]
    guarantee = card["guarantee"]
    assert guarantee["kind"] == ("differential privacy" if method == "noise_only" else "none")  # the noise was seeded


def test_the_heads_move_where_something_is_trained_and_nowhere_else(release, bank):
    for method in METHODS:
        if method == "norm_swap_only":
            continue
        defended = defend_heads(release, config(method, bank=bank))
        if METHODS[method].start == "released":
            assert heads_equal(defended, release) != METHODS[method].trains, method


def test_only_the_split_train_is_trained_on(release, bank):
    """Whatever the other splits hold, the heads come out the same, bit by bit."""
    other = {name: array.copy() for name, array in release.arrays.items()}
    held_out = (release.records["split"] != "train").to_numpy()
    for name in ("image_features", "text_features"):
        other[name][held_out] = other[name][held_out][::-1] * 3
    changed = replace(release, arrays=other)
    for method in ("private", "prototype", "replication", "entropy"):
        one, two = (defend_heads(source, config(method, bank=bank)) for source in (release, changed))
        assert heads_equal(one, two), method


def heads_equal(one: Release, two: Release) -> bool:
    return all(
        np.array_equal(mine.tensors[name], theirs.tensors[name])
        for side in ("image", "text")
        for mine, theirs in zip(one.heads[side].layers, two.heads[side].layers, strict=True)
        for name in mine.tensors
    )


def test_the_same_seed_gives_the_same_heads_and_secret_noise_never(release, bank):
    seeded = [defend_heads(release, config("private", seed=seed, bank=bank)) for seed in (3, 3, 4)]
    assert heads_equal(seeded[0], seeded[1])
    assert not heads_equal(seeded[0], seeded[2])
    secret = [defend_heads(release, config("private", seed=None, bank=bank)) for _ in range(2)]
    assert not heads_equal(*secret)


# ---------------------------------------------------------------- what is promised


def guarantee_of(release, bank=None, **options):
    return defend_heads(release, HeadsConfig(**options, bank=bank)).card["defence"]["guarantee"]


def test_a_private_run_keeps_its_epsilon_and_says_so(release, bank):
    guarantee = guarantee_of(release, bank, epsilon=0.5, delta=1e-3, batch=9, epochs=2)
    assert (guarantee["kind"], guarantee["unit"], guarantee["delta"]) == ("differential privacy", "patient", 1e-3)
    assert 0.495 < guarantee["epsilon"] <= 0.5
    details = guarantee["details"]
    assert details["epsilon_by_renyi"] > guarantee["epsilon"]
    assert details["noise"].startswith("ChaCha20")
    assert details["units"] == 50  # of 48: the exact number is nowhere told
    assert details["sampling_rate"] == 9 / 50
    for left_out, bound in details["linkage_bound"].items():
        assert float(left_out) <= bound <= math.exp(guarantee["epsilon"]) * float(left_out) + 1e-3 + 2e-3
    for word in ("not trained on", "backbones", "started from", "embeddings"):
        assert word in guarantee["statement"]


def test_by_record_the_unit_is_a_record(release, bank):
    guarantee = guarantee_of(release, bank, sigma=3.0, level="record", batch=9, epochs=1)
    assert guarantee["unit"] == "record"
    assert guarantee["details"]["units"] == round_up(int((release.records["split"] == "train").sum()))


def test_a_bank_that_has_to_be_fitted_is_paid_for(release, bank):
    options = {"epsilon": 0.5, "delta": 1e-3, "batch": 9, "epochs": 2}
    public, fitted = guarantee_of(release, bank, **options), guarantee_of(release, None, **options)
    assert fitted["epsilon"] <= 0.5
    assert fitted["details"]["sigma"] > public["details"]["sigma"]
    assert fitted["details"]["bank_sigma"] > 0
    assert public["details"]["bank_sigma"] is None


def test_the_replication_claims_and_does_not_promise(release):
    guarantee = guarantee_of(release, method="replication", epsilon=2.0, batch=9, epochs=2)
    assert (guarantee["kind"], guarantee["epsilon"], guarantee["unit"]) == ("none", None, None)
    assert 1.97 < guarantee["details"]["epsilon_claimed"] <= 2.0
    assert "epsilon" not in guarantee["details"]
    assert "not a guarantee" in guarantee["statement"]
    assert "17 times" in guarantee["statement"]


def test_noise_from_a_seed_promises_nothing(release, bank):
    guarantee = guarantee_of(release, bank, sigma=2.0, batch=9, epochs=1, seed=0)
    assert (guarantee["kind"], guarantee["epsilon"]) == ("none", None)
    secret = guarantee_of(release, bank, sigma=2.0, batch=9, epochs=1)
    assert guarantee["details"]["epsilon_with_secure_noise"] == pytest.approx(secret["epsilon"], rel=0.01)


def test_noise_alone_gives_nothing_away(release):
    guarantee = guarantee_of(release, method="noise_only", sigma=1.0, batch=9, epochs=1)
    assert (guarantee["kind"], guarantee["epsilon"], guarantee["delta"]) == ("differential privacy", 0.0, 0.0)


def test_prototypes_are_private_where_epsilon_is_given_and_only_there(release):
    plain = defend_heads(release, HeadsConfig(method="prototype", epochs=2)).card["defence"]
    private = defend_heads(release, HeadsConfig(method="prototype", epsilon=0.5, batch=9, epochs=2)).card["defence"]
    assert (plain["guarantee"]["kind"], plain["facts"]["trained"]["decorrelation"]) == ("none", 0.2)
    assert private["guarantee"]["epsilon"] <= 0.5
    assert (plain["strength"], private["strength"]) == (None, 0.5)
    given = defend_heads(release, config("private", sigma=2.0)).card["defence"]
    assert given["strength"] is None  # it said the default epsilon, which nobody had asked for
    assert (private["facts"]["trained"]["decorrelation"], private["facts"]["trained"]["unit"]) == (None, "patient")


# ---------------------------------------------------------------- methods and controls


def test_controls_switch_off_one_thing_each():
    for name in ("private", "replication"):
        method = find_method(name)
        for control in CONTROLS:
            changed = find_method(name, control)
            same = replace(changed, summary=method.summary)
            assert same.loss == method.loss
            assert (same.level, same.batch, same.epochs) == (method.level, method.batch, method.epochs)
            assert same != method or (control == "norm_kept" and name == "private")  # which keeps them anyway
    assert not find_method("private", "nonprivate").clips
    assert find_method("private", "clip_only").clips
    assert not find_method("private", "clip_only").adds_noise
    assert all(method.summary for method in METHODS.values())


def test_controls_that_say_something_new():
    with_norm, without = every_layer(), {"text": every_layer()["text"]}
    assert controls_of(find_method("replication"), with_norm) == CONTROLS
    assert set(CONTROLS) - set(controls_of(find_method("private"), with_norm)) == {"norm_kept"}
    assert "norm_kept" not in controls_of(find_method("replication", swaps_norms=False), with_norm)
    assert "norm_swap_only" not in controls_of(find_method("private"), without)
    assert controls_of(find_method("entropy"), with_norm) == ("untrained", "norm_swap_only", "norm_kept")
    assert controls_of(find_method("untrained"), with_norm) == ()


def test_the_norm_swap_is_done_where_it_was_published_and_nowhere_else(release):
    source = with_batch_norm(release)
    assert has_batch_norm(defend_heads(source, config("private")).heads)
    for method in ("replication", "entropy", "norm_swap_only"):
        assert not has_batch_norm(defend_heads(source, config(method)).heads)
    for asked in (config("norm_swap_only"), config("replication", norms="keep"), config("private", norms="swap")):
        with pytest.raises(ConfigError, match="no batch norm"):
            defend_heads(release, asked)


def test_the_norms_stay_or_go_as_asked_and_a_control_of_norms_knows_better(release):
    source = with_batch_norm(release)
    assert has_batch_norm(defend_heads(source, config("replication", norms="keep")).heads)
    assert not has_batch_norm(defend_heads(source, config("private", norms="swap")).heads)
    for control, stays in (("noise_only", False), ("norm_kept", True), ("norm_swap_only", False), ("untrained", True)):
        heads = defend_heads(source, config("replication", norms="swap", control=control)).heads
        assert has_batch_norm(heads) == stays, control


def test_frozen_statistics_stay_what_they_were(release):
    source = with_batch_norm(release)
    before, after = (
        next(layer for layer in heads["image"].layers if layer.kind == "norm").tensors
        for heads in (source.heads, defend_heads(source, config("replication", control="norm_kept")).heads)
    )
    for name in ("mean", "variance", "eps"):
        np.testing.assert_array_equal(before[name], after[name])
    assert not np.array_equal(before["weight"], after["weight"])


def test_a_control_of_another_method_is_that_method_without(release):
    defended = defend_heads(release, config("replication", control="clip_only"))
    card = defended.card["defence"]
    assert (card["method"], card["control_of"]) == ("clip_only", "replication")
    trained = card["facts"]["trained"]
    assert (trained["sigma"], trained["clip"], trained["unit"]) == (
        0.0,
        1.5,
        "record",
    )


@pytest.mark.parametrize("start", ["linear", "mlp", "biovil-t"])
def test_fresh_heads_where_there_are_none(start, release):
    bare = Release(release.records, features_only(release))
    defended = defend_heads(bare, config("private", start=start, dimension=12))
    assert defended.image.shape == (len(release), 12)
    assert [layer.kind for layer in defend_heads(bare, config("untrained")).heads["image"].layers] == ["linear"]
    with pytest.raises(ConfigError, match="no heads to start from"):
        defend_heads(bare, config("private", start="released"))


def fitted_on(release, split, part="alignment"):
    seen = release.records.filter(pl.col("split") == split)
    return replace(release, fitted=(fitted_to(part, "canonical correlation", seen, release.records),))


def test_heads_that_were_fitted_on_the_patients_are_no_start_for_a_promise(release):
    source = fitted_on(release, "train")
    with pytest.raises(ConfigError, match=r"the alignment \(canonical correlation\) was fitted on these very patients"):
        defend_heads(source, config("private"))
    fresh = defend_heads(source, config("private", start="linear"))
    assert fresh.heads["image"].layers[0].kind == "linear"
    assert [one.part for one in fresh.fitted] == ["defence"]  # what was fitted of the old heads went with them
    defend_heads(source, config("replication"))  # promises nothing anyway
    with pytest.raises(ConfigError, match="not fitted on them"):
        defend_heads(fitted_on(release, "train", "encoder"), config("private", start="linear"))
    defend_heads(fitted_on(release, "test"), config("private"))  # others than those who are protected


def test_noise_alone_on_fitted_heads_promises_nothing(release):
    """It used to be called private at an epsilon of 0, though the heads hardly moved from those that were fitted."""
    options = {"method": "noise_only", "sigma": 1.0, "batch": 9, "epochs": 1}
    guarantee = guarantee_of(fitted_on(release, "train"), **options)
    assert (guarantee["kind"], guarantee["unit"], guarantee["epsilon"], guarantee["delta"]) == ("none", *[None] * 3)
    for said in (guarantee["statement"], guarantee["details"]["refused"]):
        assert "fitted on these very patients" in said
    assert guarantee_of(fitted_on(release, "test"), **options)["epsilon"] == 0
    missing = fitted_on(release, "test")
    unknown = replace(missing.fitted[0], patients=PatientSet(missing.fitted[0].patients.id))
    guarantee = guarantee_of(replace(missing, fitted=(unknown,)), **options)
    assert guarantee["kind"] == "none"
    assert ".patients-not-for-release.json" in guarantee["statement"]


@pytest.mark.study
def test_neighbours_have_the_same_card(release, bank):
    """One patient more or less is nowhere to be read: no accountant covers the number of patients or of records."""
    train = release.records.filter(pl.col("split") == "train")
    patient = train.group_by("patient_id").len().sort("len", "patient_id")["patient_id"][0]
    rows = (release.records["patient_id"] != patient).to_numpy()
    neighbour = replace(
        release,
        records=release.records.filter(pl.Series(rows)),
        arrays={name: array[rows] for name, array in release.arrays.items()},
    )
    for options in ({"epsilon": 0.5}, {"epsilon": 0.5, "level": "record"}, {"method": "prototype", "epsilon": 0.5}):
        cards = [
            json.dumps(defend_heads(source, HeadsConfig(epochs=1, **options, bank=bank)).card)
            for source in (release, neighbour)
        ]
        assert cards[0] == cards[1]


@pytest.mark.parametrize(("count", "told"), [(1, 10), (10, 10), (48, 50), (101, 110), (999, 1000), (13053, 14000)])
def test_a_number_is_told_rounded_up(count, told):
    assert round_up(count) == told


def test_what_heads_were_trained_on_is_written_down(release, bank):
    for method in METHODS:
        if method == "norm_swap_only":
            continue
        found = defend_heads(release, config(method, bank=bank)).fitted
        own = [one for one in found if one.on == "this release"]
        learns = METHODS[method].trains and METHODS[method].uses_data
        assert [one.splits for one in own] == ([("train",)] if learns else [])
        if learns:
            train, others = (set(release.of_splits(names).records["patient_id"]) for names in (["train"], ["test"]))
            assert set(own[0].patients.among(train | others)) == train
        strangers = [one for one in found if one.on == "another release"]
        assert len(strangers) == (learns and METHODS[method].loss == "bank")
        assert all(one.splits == () and one.patients.among(bank.records["patient_id"]) for one in strangers)


# ---------------------------------------------------------------- prototypes work


def test_prototypes_keep_the_findings_and_loosen_the_pairs():
    """On pairs of held-out patients: labels are read off as well as before, and pairs are found less often."""
    source = tiny_release(patients=600, widths={"image": 40, "text": 36}, dimension=32, findings=3)
    contrast = defend_heads(source, HeadsConfig(method="nonprivate", epochs=30, learning_rate=3e-3, seed=0))
    drawn = defend_heads(source, HeadsConfig(method="prototype", decorrelation=0.0, seed=0))
    defended = defend_heads(source, HeadsConfig(method="prototype", seed=0))
    assert recall_at_1(contrast) > 0.5
    assert recall_at_1(drawn) < 0.2 * recall_at_1(contrast)
    assert label_error(drawn) < label_error(contrast)
    assert recall_at_1(defended) < 0.5 * recall_at_1(drawn)  # decorrelation takes more away, and costs something
    guessing = source.of_split("test").records.select("^label_.*$").to_numpy().var(axis=0).mean()
    assert label_error(defended) < 0.8 * guessing


def recall_at_1(release):
    held = release.of_split("test")
    scores = held.image @ held.text.T
    return (scores.argmax(axis=1) == np.arange(len(held))).mean()


def label_error(release):
    """Mean squared error of a linear regression from image embedding to labels."""
    sides = [release.of_split(split) for split in ("train", "test")]
    labels = [side.records.select("^label_.*$").to_numpy().astype(float) for side in sides]
    rows = [np.hstack([side.image, np.ones((len(side), 1))]).astype(float) for side in sides]
    weights = np.linalg.lstsq(rows[0].T @ rows[0] + 1e-3 * np.eye(rows[0].shape[1]), rows[0].T @ labels[0])[0]
    return ((rows[1] @ weights - labels[1]) ** 2).mean()


# ---------------------------------------------------------------- interrupted runs


class KilledError(Exception):
    pass


@pytest.mark.parametrize("method", ["private", "entropy", "prototype"])
def test_an_interrupted_run_goes_on_to_the_same_heads(method, release, bank, tmp_path):
    chosen = config(method, epochs=4, bank=bank)
    kept = chosen.model_copy(update={"work": tmp_path})
    whole = defend_heads(release, chosen)
    keep = checkpoints.Checkpoint.keep

    def keep_and_die(self, *arguments):
        keep(self, *arguments)
        if arguments[-1] == 2:
            raise KilledError

    with mock.patch.object(checkpoints.Checkpoint, "keep", keep_and_die), pytest.raises(KilledError):
        defend_heads(release, kept)
    epochs = []

    def count(self, *arguments):
        epochs.append(arguments[-1])
        keep(self, *arguments)

    with mock.patch.object(checkpoints.Checkpoint, "keep", count):
        resumed = defend_heads(release, kept)
    assert epochs == [3, 4]
    assert heads_equal(whole, resumed)


def test_a_checkpoint_of_another_run_or_a_broken_one_is_not_used(release, bank, tmp_path):
    file = tmp_path / "heads.npz"
    defend_heads(release, config("private", bank=bank, work=tmp_path))
    other = config("private", temperature=0.2, bank=bank)
    kept = other.model_copy(update={"work": tmp_path})
    assert heads_equal(defend_heads(release, kept), defend_heads(release, other))
    file.write_bytes(file.read_bytes()[:100])
    plain = defend_heads(release, config("private", bank=bank))
    assert heads_equal(defend_heads(release, config("private", bank=bank, work=tmp_path)), plain)


# ---------------------------------------------------------------- what is refused


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"epsilon": 1e-7}, "cannot be reached"),
        ({"epsilon": 0.0}, "epsilon: "),
        ({"epsilon": 1.0, "sigma": 1.0}, "not both"),
        ({"sigma": -1.0}, "sigma: "),
        ({"sigma": 0.1}, "not worth the name"),
        ({"sigma": 1.0, "delta": 0.1}, "1 / patients"),
        ({"sigma": 1.0, "batch": 10_000}, "fewer training patients than a batch"),
        ({"batch": 0}, "batch: "),
        ({"epochs": -1}, "epochs: "),
        ({"clip": 0.0}, "clip: "),
        ({"temperature": math.inf}, "temperature: "),
        ({"learning_rate": math.nan}, "learning_rate: "),
        ({"method": "privat"}, "did you mean 'private'"),
        ({"level": "study"}, "level: "),
        ({"start": "conv"}, "start: "),
        ({"entropy": "up"}, "entropy: "),
        ({"entropy_weight": -0.1}, "entropy_weight: "),
        ({"control": "placebo"}, "control"),
        ({"method": "entropy", "epsilon": 1.0}, "adds no noise"),
        ({"method": "replication", "sigma": 1.0, "level": "patient"}, "single records"),
    ],
)
def test_options_that_make_no_sense(options, words, release, bank):
    with pytest.raises(ConfigError, match=words):
        defend_heads(release, HeadsConfig(**options, bank=bank))


def test_a_release_without_features_is_refused(release):
    bare = replace(release, arrays={side: release.arrays[side] for side in ("image", "text")})
    with pytest.raises(DataError, match="--with-features"):
        defend_heads(bare, config("private"))


def test_a_bank_that_does_not_fit_is_refused(release):
    with pytest.raises(ConfigError, match="patient ids"):
        defend_heads(release, config("private", bank=tiny_release(patients=10, seed=3)))
    narrow = tiny_release(patients=10, seed=3, prefix="q", widths={"image": 8, "text": 20})
    with pytest.raises(DataError, match="another backbone"):
        defend_heads(release, config("private", bank=narrow))


def test_what_is_not_installed_is_named(release):
    with mock.patch.dict("sys.modules", {"dp_accounting": None}):
        with pytest.raises(MissingExtraError, match=r"leadapron\[train\]") as missing:
            defend_heads(release, HeadsConfig(epsilon=1.0, batch=9, epochs=1))
        assert "dp-accounting" in str(missing.value)
    with mock.patch.dict("sys.modules", {"cryptography": None}), pytest.raises(MissingExtraError, match="cryptography"):
        defend_heads(release, HeadsConfig(sigma=1.0, batch=9, epochs=1))


# ---------------------------------------------------------------- as a folder


def test_a_defended_release_is_written_and_read(release, bank, tmp_path):
    defended = defend_heads(release, config("private", bank=bank))
    write_release(defended, tmp_path / "out")
    read = read_release(tmp_path / "out")
    np.testing.assert_array_equal(read.image, defended.image)
    assert heads_equal(read, defended)
    assert read.card["defence"]["guarantee"] == defended.card["defence"]["guarantee"]
