"""Probes as targets: gradients against slow ones, models that do not see each other, and what they learn by heart."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.membership import MembershipConfig, audit_membership, build_signals
from leadapron.cohort.truth import Labels
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release
from leadapron.targets.learner import FULL
from leadapron.targets.probes import ProbeConfig, probes_of
from leadapron.targets.probes.probe_batches import Shuffled
from leadapron.targets.probes.probe_stack import AdamW, learning_rate, row_lengths
from leadapron.uses.auroc import auroc
from leadapron.uses.linear_probe import learn
from leadapron.uses.three_sides import read_sides
from probe_models import SHAPES, audited, dealt, network, protection, slow_gradients, summed, traced
from utility_releases import made, with_labels

QUICK = ProbeConfig(hidden=8, epochs=3, batch=16)
BARE = ProbeConfig(
    epochs=15, batch=16, learning_rate=5e-3, weight_decay=0, schedule=False, early_stopping=False, augment=False
)


@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_and_their_lengths_are_those_of_a_slow_loop(shape):
    flat, inputs, truth = network(shape)
    slow = slow_gradients(shape, flat, inputs, truth)
    given, slopes = traced(shape, flat, inputs, truth)
    np.testing.assert_allclose(row_lengths(given, slopes), np.linalg.norm(slow, axis=2), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(summed(shape, given, slopes), slow.sum(axis=1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("shape", SHAPES)
def test_gradients_are_those_of_torch(shape):
    torch = pytest.importorskip("torch")
    flat, inputs, truth = network(shape, models=1, rows=20, seed=1)
    sizes = [(given + 1) * out for given, out in zip(shape.widths[:-1], shape.widths[1:], strict=True)]

    def loss(parameters, row, signs):
        values = row[:-1]
        for at, part in enumerate(torch.split(parameters, sizes)):
            matrix = part.view(-1, shape.widths[at + 1])
            values = values @ matrix[:-1] + matrix[-1]
            values = torch.relu(values) if at < len(sizes) - 1 else values
        return (torch.nn.functional.softplus(-signs * values) * signs.abs()).sum()

    per_row = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    theirs = per_row(torch.tensor(flat[0]), torch.tensor(inputs[0]), torch.tensor(truth[0])).numpy()
    given, slopes = traced(shape, flat, inputs, truth)
    np.testing.assert_allclose(row_lengths(given, slopes)[0], np.linalg.norm(theirs, axis=1), rtol=1e-5)
    np.testing.assert_allclose(summed(shape, given, slopes)[0], theirs.sum(axis=0), atol=1e-5)


def test_adam_is_that_of_torch():
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(0)
    start = rng.standard_normal((1, 9), dtype=np.float32)
    ours, theirs = start.copy(), torch.nn.Parameter(torch.tensor(start))
    optimiser, reference = AdamW(ours, np.full(9, 0.1, np.float32)), torch.optim.AdamW([theirs], weight_decay=0.1)
    for step in range(20):
        gradient, rate = rng.standard_normal((1, 9), dtype=np.float32), 0.01 * (1 + step % 3)
        optimiser.step(gradient, rate)
        reference.param_groups[0]["lr"] = rate
        theirs.grad = torch.tensor(gradient)
        reference.step()
    np.testing.assert_allclose(ours, theirs.detach().numpy(), atol=1e-5)


def test_the_learning_rate_rises_falls_and_ends_near_zero():
    rates = [learning_rate(0.1, step, 100, schedule=True) for step in range(100)]
    assert max(rates) == pytest.approx(0.1)
    assert rates[:10] == sorted(rates[:10])
    assert rates[10:] == sorted(rates[10:], reverse=True)
    assert 0 < rates[-1] < 1e-3
    assert {learning_rate(0.1, step, 100, schedule=False) for step in range(100)} == {0.1}


@pytest.mark.parametrize("kind", ["linear", "mlp"])
@pytest.mark.parametrize("level", [None, "record", "patient"])
def test_a_model_is_the_same_to_the_last_bit_alone_and_among_others(kind, level, monkeypatch):
    monkeypatch.setenv("LEADAPRON_THREADS", "2")
    release = made(patients=60)
    learner, members = probes_of(release, replace(QUICK, kind=kind, views=("some-features",))), dealt(release, 10)
    if level is not None:
        learner = replace(learner, course=replace(learner.course, protection=protection(learner.course.data, level)))
    together = learner.train(members, list(range(100, 110)))
    for at in (0, 3, 9):
        (alone,) = learner.train(members[[at]], [100 + at])
        for view in (FULL, "some-features"):
            assert np.array_equal(alone.answers[view], together[at].answers[view])
        assert alone.card["auroc"] == together[at].card["auroc"]
    other_seed, other_members = learner.train(members[[0, 1]], [7, 100])
    assert not np.array_equal(other_seed.answers[FULL], together[0].answers[FULL])
    assert not np.array_equal(other_members.answers[FULL], together[0].answers[FULL])


def test_what_a_model_must_not_see_does_not_reach_it():
    """Records that are not members, with their labels turned round and their embeddings moved, change nothing."""
    release = made(patients=60)
    (member,) = dealt(release, 8)[:1]
    others = np.flatnonzero((release.records["split"] == "train").to_numpy())[~member]
    records = release.records.with_columns(
        pl.when(pl.int_range(pl.len()).is_in(others)).then(1 - pl.col(name)).otherwise(pl.col(name)).alias(name)
        for name in release.records.columns
        if name.startswith("label_")
    )
    turned = Release(records, release.arrays)
    mine, theirs = (probes_of(each, QUICK).train(member[None], [5])[0].answers[FULL] for each in (release, turned))
    assert np.array_equal(mine, theirs)


def audit_of(release, config, models=64, never_saw=False):
    members = dealt(release, models)
    learner = probes_of(release, config)
    trained = learner.train(members, list(range(models)))
    logits = np.stack([model.answers[FULL] for model in trained])
    claimed = dealt(release, models, seed=99) if never_saw else members
    columns = ["record_id", "patient_id", *learner.labels]
    signals = build_signals(logits, claimed, audited(release).select(columns), logits=True)
    return audit_membership(signals, MembershipConfig(targets=4))


@pytest.fixture(scope="module")
def mislabelled():
    """One training patient in fifteen has labels that say the contrary: a model has to learn them by heart."""
    release = made(3.0, patients=300, images=1, labels=("label_edema", "label_pneumonia", "label_fracture"))
    number = release.records["patient_id"].str.slice(1).cast(pl.Int64).to_numpy()
    wrong = (number % 15 == 0) & (release.records["split"] == "train").to_numpy()
    return with_labels(release, lambda _, column: np.where(wrong, 1 - column, column)), wrong


def test_patients_learnt_by_heart_are_found(mislabelled):
    release, wrong = mislabelled
    whose = pl.DataFrame({"record_id": release.records["record_id"], "wrong": wrong})
    table = audit_of(release, BARE).evidence("records").join(whose, on="record_id")
    by_heart, others = (table.filter(pl.col("wrong") == side)["auc"] for side in (True, False))
    assert len(by_heart) == 20
    assert by_heart.mean() > 0.95
    assert others.mean() < by_heart.mean() - 0.1


def test_models_that_never_saw_the_patients_tell_nothing(mislabelled):
    found = audit_of(mislabelled[0], BARE, never_saw=True).evidence("records")
    assert abs(found["auc"].mean() - 0.5) < 0.02
    assert found.select((pl.col("low") < 0.5) & (pl.col("high") > 0.5)).to_series().mean() > 0.9


def test_counter_measures_hold_learning_by_heart_back(mislabelled):
    guarded = replace(BARE, augment=True, early_stopping=True, schedule=True, weight_decay=0.05)
    means = [audit_of(mislabelled[0], config, 16).evidence("records")["auc"].mean() for config in (BARE, guarded)]
    assert means[1] < means[0] - 0.02


def test_early_stopping_keeps_the_best_epoch():
    """Without a schedule a run of fewer epochs is the beginning of a longer one."""
    release = made(signal=1.0, patients=60)
    config, members = replace(BARE, epochs=12, early_stopping=True), dealt(release, 8)[:1]
    (stopped,) = probes_of(release, config).train(members, [3])
    ends, losses = [], []
    for epochs in range(1, 13):
        (model,) = probes_of(release, replace(config, epochs=epochs, early_stopping=False)).train(members, [3])
        ends.append(model.answers[FULL])
        (best,) = probes_of(release, replace(config, epochs=epochs)).train(members, [3])
        losses.append(best.card["validation_loss"])
    best = stopped.card["best_epoch"]
    assert losses == sorted(losses, reverse=True)  # the best so far
    assert losses[best - 1] == stopped.card["validation_loss"]
    assert losses[best - 2] > losses[best - 1]
    assert 1 < best < 12
    assert np.array_equal(stopped.answers[FULL], ends[best - 1])


def test_batches_hold_members_each_once_a_round():
    members = np.arange(50) % 3 == 0
    batches = Shuffled(members, 5, np.random.default_rng(0))
    rows = np.concatenate([batches.draw() for _ in range(17 * 4)])
    assert (np.bincount(rows, minlength=50)[members] == 20).all()
    assert set(rows) == set(np.flatnonzero(members))
    assert set(rows[:17]) == set(rows[17:34])
    assert rows[:17].tolist() != rows[17:34].tolist()
    with pytest.raises(DataError, match="no member"):
        Shuffled(np.zeros(4, dtype=bool), 5, np.random.default_rng(0))


def test_some_features_are_known_and_the_rest_is_the_mean_of_held_out_patients():
    release = made(patients=60)
    data = probes_of(release, QUICK).course.data
    rows = data.known_in_part(0)
    known = (rows == data.audited.inputs).all(axis=0)
    assert known.sum() == data.width // 2 + 1  # and the constant one
    held_out = np.concatenate([data.validate.inputs, data.test.inputs])
    np.testing.assert_allclose(rows[:, ~known], np.tile(held_out.mean(axis=0)[~known], (len(rows), 1)), atol=1e-6)
    assert (data.known_in_part(1) != rows).any()
    learner = probes_of(release, replace(QUICK, views=("some-features",)))
    (model,) = learner.train(dealt(release, 8)[:1], [0])
    assert set(model.answers) == {FULL, "some-features"}
    assert not np.allclose(model.answers[FULL], model.answers["some-features"])


def test_it_is_as_good_as_the_probe_of_the_utility_on_phantom_patients(tmp_path):
    from leadapron.encoders import Weights, encode, find_encoder
    from leadapron.phantoms import Dials, build_clinic

    encoder = find_encoder("phantom-reports")
    pixels = build_clinic(Dials(patients=150, seed=3)).pixels()
    release = encode(pixels, "phantom-reports", encoder, encoder.load(Weights()), tmp_path)
    sides = read_sides(release)
    learnt = learn(release, sides, (1.0, 0.1, 0.01))
    test = sides.labels.rows(sides.test)
    truth = test.truth[:, [test.names.index(name) for name in learnt.labels]]
    theirs = np.nanmean(auroc(learnt.probe.logits(release.image[sides.test]), Labels(learnt.labels, truth)))
    for kind in ("linear", "mlp"):
        learner = probes_of(release, ProbeConfig(kind=kind))
        members = np.ones((1, len(sides.train)), dtype=bool)
        (model,) = learner.train(members, [0])
        assert learner.labels == tuple(f"label_{name}" for name in learnt.labels)
        assert model.card["auroc"] > theirs - 0.04
        assert model.card["auroc_train"] > model.card["auroc"] - 0.02
        assert model.answers[FULL].shape == (len(sides.train), len(learner.labels))
        assert model.answers[FULL].dtype == np.float32


def test_unknown_labels_teach_nothing():
    """What stands behind an unknown label cannot matter; what an uncertain one says does not either."""
    release = made(patients=60)
    hidden = np.random.default_rng(0).random(len(release)) < 0.3
    unknown, uncertain = (
        with_labels(release, lambda _, column, value=value: np.where(hidden, value, column.astype(np.float64)))
        for value in (np.nan, -1.0)
    )
    members = dealt(release, 8)[:1]
    both = [probes_of(each, QUICK).train(members, [0])[0].answers[FULL] for each in (unknown, uncertain)]
    assert np.array_equal(*both)
    assert not np.array_equal(both[0], probes_of(release, QUICK).train(members, [0])[0].answers[FULL])


def test_a_label_of_one_class_is_left_out_and_named():
    release = made(patients=60)
    all_healthy = Release(release.records.with_columns(label_edema=pl.lit(0, pl.Int8)), release.arrays)
    learner = probes_of(all_healthy, QUICK)
    assert "label_edema" in release.records.columns
    assert set(learner.labels) == {name for name in release.records.columns if name.startswith("label_")} - {
        "label_edema"
    }
    assert learner.describe()["labels"] == list(learner.labels)


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"kind": "tree"}, "--kind"),
        ({"level": "ward"}, "--level"),
        ({"views": ("cropped",)}, "some-features"),
        ({"views": ("some-features", "some-features")}, "twice"),
        ({"hidden": 0}, "--hidden"),
        ({"learning_rate": float("nan")}, "--learning-rate"),
        ({"weight_decay": -0.1}, "--weight-decay"),
        ({"epsilon": 0.0}, "--epsilon"),
        ({"delta": 1e-5}, "delta without an epsilon"),
        ({"seed": -1}, "--seed"),
    ],
)
def test_options_that_do_not_fit_are_refused(wrong, named):
    with pytest.raises(ConfigError, match=named):
        ProbeConfig(**wrong)


def test_releases_that_do_not_fit_are_refused():
    release = made(patients=60)
    no_validate = Release(release.records.with_columns(pl.col("split").replace("validate", "test")), release.arrays)
    with pytest.raises(ConfigError, match="--no-early-stopping"):
        probes_of(no_validate, QUICK)
    probes_of(no_validate, replace(QUICK, early_stopping=False))
    first = release.records["patient_id"][0]
    torn = Release(
        release.records.with_columns(
            patient_id=pl.when(pl.col("split") == "test").then(pl.lit(first)).otherwise("patient_id")
        ),
        release.arrays,
    )
    with pytest.raises(DataError, match=r"stand on another side, too \(1 do\); got 'row 0'"):
        probes_of(torn, QUICK)
    with pytest.raises(DataError, match="split"):
        probes_of(Release(release.records.drop("split"), release.arrays), QUICK)
    with pytest.raises(DataError, match="models x audited records"):
        probes_of(release, QUICK).train(np.ones((2, 5), dtype=bool), [0, 1])


def test_training_needs_no_torch():
    code = "import sys; import leadapron.targets.probes; assert not {'torch', 'dp_accounting'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)
