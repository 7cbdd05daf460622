"""Signals: exact from logits, read without loading, and refused where an audit of them would be wrong."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from command_line import refusal
from leadapron.attacks.membership import build_signals, read_signals
from membership_data import alternating, change, drawn, put, signals_of


def softmax_logits(seed=0, models=10, classes=4):
    rng = np.random.default_rng(seed)
    who = np.repeat(np.arange(6), 2)
    return 5 * rng.normal(size=(models, 12, classes)), alternating(models, 6)[:, who], who, rng.integers(0, classes, 12)


def test_a_signal_is_the_logit_of_the_true_labels_probability():
    logits, members, who, label = softmax_logits()
    signals = signals_of(logits, members, who, logits=True, label=label)
    p = np.exp(logits) / np.exp(logits).sum(axis=2, keepdims=True)
    true = np.take_along_axis(p, label[None, :, None], axis=2)[:, :, 0]
    rows = np.array([7, 2, 3])
    np.testing.assert_allclose(signals.of(rows), np.log(true / (1 - true))[:, rows].T, rtol=1e-9)


def test_a_margin_of_a_thousand_does_not_saturate():
    logits = np.zeros((8, 4, 2), dtype=np.float32)
    logits[:, :, 1] = np.linspace(-1000, 1000, 8)[:, None]
    who = np.arange(4)
    signals = signals_of(logits, alternating(8, 4), who, logits=True, label=[1, 1, 0, 0])
    np.testing.assert_allclose(signals.of(np.array([0]))[0], np.linspace(-1000, 1000, 8), rtol=1e-6)
    np.testing.assert_allclose(signals.of(np.array([3]))[0], np.linspace(1000, -1000, 8), rtol=1e-6)


def test_a_sigmoid_head_has_a_signal_a_label_whose_sign_is_the_labels():
    rng = np.random.default_rng(1)
    logits, who = rng.normal(size=(9, 5, 2)), np.arange(5)
    labels = {"label_a": [1, 0, None, 1, 0], "label_b": [0, 0, 1, None, 1]}
    signals = signals_of(logits, alternating(9, 5), who, logits=True, **labels)
    by_label = signals.by_label(np.arange(5))
    sign = np.array([[1, -1], [-1, -1], [0, 1], [1, 0], [-1, 1]])
    np.testing.assert_allclose(by_label, logits.transpose(1, 0, 2) * sign[:, None, :], rtol=1e-6)
    np.testing.assert_allclose(signals.of(np.arange(5)), by_label.sum(axis=2))
    single = signals_of(logits[:, :, 0], alternating(9, 5), who, logits=True, label=[1, 0, 0, 1, 1])
    np.testing.assert_allclose(single.of(np.array([1]))[0], -logits[:, 1, 0])


def test_blocks_hold_whole_patients_and_every_record_once(monkeypatch):
    from leadapron.attacks.membership import signals as module

    values, members, who = drawn(40, 10, seed=3)
    shuffle = np.random.default_rng(0).permutation(len(who))
    signals = signals_of(values[:, shuffle], members[:, shuffle], who[shuffle])
    monkeypatch.setattr(module, "AT_ONCE", 10 * 7)
    blocks = list(signals.blocks())
    assert len(blocks) > 5
    assert sorted(np.concatenate(blocks)) == list(range(len(who)))
    seen = [set(signals.patient[block]) for block in blocks]
    assert sum(map(len, seen)) == len(set().union(*seen))
    np.testing.assert_array_equal(signals.of(blocks[2]), values[:, shuffle][:, blocks[2]].T)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "signals"
    place.mkdir()
    values, members, who = drawn(10, 12)
    np.save(place / "signals.npy", values.astype(np.float32))
    np.save(place / "members.npy", members)
    records = {"record_id": [f"r{at}" for at in range(len(who))], "patient_id": [f"p{number}" for number in who]}
    pl.DataFrame(records).write_parquet(place / "records.parquet")
    return place


def test_a_folder_is_mapped_and_not_loaded(folder):
    signals = read_signals(folder)
    assert isinstance(signals.stored, np.memmap)
    assert isinstance(signals.members, np.memmap)
    assert (signals.models, signals.patients) == (12, 10)


def replace_by_logits(classes):
    def work(folder):
        stored = np.load(folder / "signals.npy")
        (folder / "signals.npy").unlink()
        np.save(folder / "logits.npy", np.repeat(stored[:, :, None], classes, axis=2))

    return work


BROKEN = {
    "everywhere": (lambda at: change(at, "members.npy", put(np.s_[:, :], True)), "row 0", "every model"),
    "nowhere": (lambda at: change(at, "members.npy", put(np.s_[:, 3], False)), "row 3", "no model"),
    "untrained": (lambda at: change(at, "members.npy", put(np.s_[4, :], False)), "model 4", "no record"),
    "few": (
        lambda at: [change(at, name, lambda array: array[:7]) for name in ("signals.npy", "members.npy")],
        "signals.npy",
        "too few models",
    ),
    "split": (lambda at: change(at, "members.npy", lambda array: flipped(array)), "model 0, rows", "split"),
    "nan": (lambda at: change(at, "signals.npy", put((5, 2), np.nan)), "model 5, row 2", "not a number"),
    "infinite": (lambda at: change(at, "signals.npy", put((0, 4), -np.inf)), "model 0, row 4", "infinite"),
    "no labels": (replace_by_logits(3), "records.parquet", "without labels"),
    "shapes": (lambda at: change(at, "members.npy", lambda array: array[:, 1:]), "members.npy", "shapes differ"),
    "nothing": (lambda at: (at / "signals.npy").unlink(), "neither", "either signals.npy or logits.npy"),
    "text": (lambda at: (at / "members.npy").write_text("no"), "members.npy", "cannot be read"),
    "numbers": (lambda at: change(at, "members.npy", lambda array: array * 0.5), "members.npy", "true or false"),
    "no table": (lambda at: (at / "records.parquet").unlink(), "records.parquet", "cannot be read"),
}


def flipped(array):
    """The second record of the first patient who has two, on the wrong side in model 0."""
    _, _, who = drawn(10, 12)
    column = int(np.flatnonzero(who[1:] == who[:-1])[0]) + 1
    array[0, column] = ~array[0, column]
    return array


@pytest.mark.parametrize("name", BROKEN)
def test_bad_input_is_refused_by_name(folder, tmp_path, name):
    breaking, *words = BROKEN[name]
    breaking(folder)
    said = refusal("audit", "membership", folder, "--out", tmp_path / "out")
    for word in words:
        assert word in said
    assert not (tmp_path / "out").exists()


def test_labels_that_do_not_fit_are_refused():
    logits, members, who, label = softmax_logits()
    for wrong, words in ((np.where(label == 0, 9, label), "not a class"), ([None, *label[1:]], "not a class")):
        with pytest.raises(Exception, match=words):
            signals_of(logits, members, who, logits=True, label=wrong)
    with pytest.raises(Exception, match="do not match"):
        signals_of(logits, members, who, logits=True, label_a=[0] * 12)
    with pytest.raises(Exception, match=r"column 'label_a' holds an unknown label in row 0 .*got 3\.0"):
        signals_of(logits[:, :, :1], members, who, logits=True, label_a=[3] + [0] * 11)
    with pytest.raises(Exception, match="there twice; got 'rows 0 and 1'"):
        build_signals(logits[:, :, 0], members, pl.DataFrame({"record_id": ["r"] * 12, "patient_id": who}))
