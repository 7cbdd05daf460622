"""The study's folder: begun once, joined by equals, refused to others; and its models' files, whole or refused."""

from __future__ import annotations

import json
import shutil
import threading
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.membership import read_signals
from leadapron.engine.ours import hidden_beside
from leadapron.errors import ConfigError, DataError
from leadapron.targets.collect import collect, promised_profile, summary_of
from leadapron.targets.learner import FULL, SIGNALS, Trained
from leadapron.targets.model_files import finished_models, model_file, read_model
from leadapron.targets.study import Origin, model_of, open_study, read_study
from leadapron.targets.work import train_models
from target_studies import LABELS, Pretender, begin, keep, some_records


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    study = begin(tmp_path_factory.mktemp("study") / "s")
    train_models(study, Pretender())
    return study


@pytest.fixture
def copied(finished, tmp_path):
    shutil.copytree(finished.folder, tmp_path / "copy")
    return read_study(tmp_path / "copy")


# The folder


def test_a_study_is_joined_by_its_equal_and_found_as_it_was(tmp_path):
    study, again = begin(tmp_path / "s"), begin(tmp_path / "s")
    assert again.key == study.key
    assert np.array_equal(again.members, study.members)
    assert again.records.equals(some_records())
    assert {path.name for path in (tmp_path / "s").iterdir()} == {"study.json", "members.npy", "records.parquet"}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"models": 10}, "models is 8 there and 10 here"),
        ({"seed": 1}, "seed is 0 there and 1 here"),
        ({"kind": "mlp"}, "kind is 'pretended' there and 'mlp' here"),
        ({"origin": Origin({"image.npy": "def"})}, "inputs.image.npy is 'abc' there and 'def' here"),
        ({"origin": Origin({"image.npy": "abc", "text.npy": "def"})}, "inputs.text.npy is None there and 'def' here"),
        ({"origin": Origin({})}, "inputs.image.npy is 'abc' there and None here"),
        ({"learner": Pretender(strength=2.0)}, "learner.strength is 1.0 there and 2.0 here"),
    ],
)
def test_another_study_is_refused_by_the_first_key_that_differs(tmp_path, changes, said):
    begin(tmp_path / "s")
    with pytest.raises(ConfigError, match=said):
        begin(tmp_path / "s", **changes)


def test_a_folder_of_something_else_is_refused(tmp_path):
    (tmp_path / "thesis.tex").touch()
    with pytest.raises(ConfigError, match=r"something else than a study; got 'thesis\.tex'"):
        begin(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_with_nothing_but_hidden_files_is_not_empty(tmp_path):
    (tmp_path / ".git").mkdir()
    with pytest.raises(ConfigError, match=r"something else than a study; got '\.git'"):
        begin(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [".git"]


def test_an_empty_folder_will_do_and_so_does_what_a_killed_beginner_left(tmp_path):
    hidden_beside(tmp_path / "study.json").write_text("{")
    assert begin(tmp_path).models == 8


@pytest.mark.parametrize("missing", ["members.npy", "records.parquet"])
def test_who_was_killed_while_beginning_is_helped_out(tmp_path, missing):
    whole = (begin(tmp_path / "s").folder / missing).read_bytes()
    (tmp_path / "s" / missing).unlink()
    begin(tmp_path / "s")
    assert (tmp_path / "s" / missing).read_bytes() == whole


def test_of_many_who_begin_at_once_one_decides(tmp_path):
    for attempt in range(10):
        barrier, outcomes = threading.Barrier(6), []

        def start(seed, barrier=barrier, outcomes=outcomes, folder=tmp_path / str(attempt)):
            barrier.wait()
            try:
                outcomes.append(begin(folder, seed=seed).key["seed"])
            except ConfigError as error:
                outcomes.append(str(error))

        threads = [threading.Thread(target=start, args=(number % 2,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        joined = [outcome for outcome in outcomes if isinstance(outcome, int)]
        assert len(joined) == 3
        assert len(set(joined)) == 1
        assert all("seed is" in outcome for outcome in outcomes if isinstance(outcome, str))
        assert np.array_equal(
            read_study(tmp_path / str(attempt)).members, begin(tmp_path / "x", seed=joined[0]).members
        )
        shutil.rmtree(tmp_path / "x")


def test_other_masks_or_records_than_at_the_beginning_are_refused(tmp_path):
    study = begin(tmp_path)
    np.save(tmp_path / "members.npy", ~np.asarray(study.members))
    with pytest.raises(DataError, match=r"members\.npy: not the masks"):
        begin(tmp_path)
    np.save(tmp_path / "members.npy", ~np.load(tmp_path / "members.npy"))
    some_records().reverse().write_parquet(tmp_path / "records.parquet")
    with pytest.raises(DataError, match=r"records\.parquet: not the records"):
        begin(tmp_path)


def test_a_broken_card_is_refused_by_name(tmp_path):
    (tmp_path / "study.json").write_text("{")
    with pytest.raises(DataError, match=r"study\.json: the file is not valid JSON"):
        begin(tmp_path)


def test_seeds_are_of_their_own_for_every_model_and_study(tmp_path):
    studies = [begin(tmp_path / str(seed), seed=seed) for seed in range(3)]
    seeds = [study.seed_of(model) for study in studies for model in range(8)]
    assert len(set(seeds)) == len(seeds)
    assert [model_of(seed) for seed in seeds] == [*range(8)] * 3


# A model's file


def test_a_model_is_read_back_as_it_was_trained(finished):
    for model in range(8):
        found = read_model(finished, model)
        (expected,) = Pretender().train(finished.members[[model]], [finished.seed_of(model)])
        assert found.card == expected.card
        assert found.answers.keys() == expected.answers.keys()
        assert all(np.array_equal(found.answers[view], expected.answers[view]) for view in found.answers)


def test_a_file_that_is_there_is_never_replaced(copied):
    file = model_file(copied, 3)
    before = file.read_bytes()
    other = Trained({FULL: np.ones((60, 2), dtype=np.float32)}, {})
    assert keep(copied, 3, other) is False
    assert file.read_bytes() == before
    assert not list(file.parent.glob(".*")), "nothing is left over"


def test_without_hard_links_files_are_whole_and_kept_too(copied, monkeypatch):
    def refuse(*_):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr("os.link", refuse)
    model_file(copied, 3).unlink()
    trained = Pretender().train(copied.members[[3]], [copied.seed_of(3)])[0]
    assert keep(copied, 3, trained) is True
    assert keep(copied, 3, Trained({FULL: np.ones((60, 2))}, {})) is False
    assert np.array_equal(read_model(copied, 3).answers[FULL], trained.answers[FULL])


def test_half_written_files_are_no_models(copied):
    hidden_beside(model_file(copied, 9)).write_bytes(b"PK")
    assert finished_models(copied) == set(range(8))


def test_every_flipped_byte_is_refused_by_name_or_harmless(copied):
    file = model_file(copied, 5)
    whole, right = file.read_bytes(), read_model(copied, 5)
    rng, refused = np.random.default_rng(0), []
    for at in rng.integers(0, len(whole), 300):
        broken = bytearray(whole)
        broken[at] ^= 1 << int(rng.integers(8))
        file.write_bytes(bytes(broken))
        try:
            found = read_model(copied, 5)
        except DataError as error:
            refused.append(str(error))
        else:  # a date in the archive, or the like
            assert found.card == right.card
            assert all(np.array_equal(found.answers[view], right.answers[view]) for view in right.answers)
    assert len(refused) > 200
    for said in refused:
        assert str(file) in said
        assert "Remove the file and run the same command again." in said


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
def test_a_file_that_was_cut_short_is_refused_by_name(copied, share):
    file = model_file(copied, 5)
    file.write_bytes(file.read_bytes()[: int(share * file.stat().st_size)])
    with pytest.raises(DataError, match=r"00005\.npz: the model's file is damaged"):
        collect(copied)
    assert not (copied.folder / "signals").exists()


def test_a_model_under_another_number_or_of_another_study_is_refused(copied, tmp_path):
    shutil.copyfile(model_file(copied, 2), model_file(copied, 5))
    with pytest.raises(DataError, match=r"00005\.npz: the model was trained on others than its masks say"):
        read_model(copied, 5)
    other = begin(tmp_path / "other", seed=1)
    train_models(other, Pretender())
    shutil.copyfile(model_file(other, 5), model_file(copied, 5))
    with pytest.raises(DataError, match=r"00005\.npz: the model is of another study"):
        read_model(copied, 5)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e300])
def test_numbers_that_are_none_are_refused_with_model_and_row(tmp_path, bad):
    study = begin(tmp_path)
    logits = np.zeros((60, 2))
    logits[17, 1] = bad
    with pytest.raises(DataError, match=r"model 4 .*'full'; got 'row 17 of the audited records'"):
        keep(study, 4, Trained({FULL: logits}, {}))
    assert finished_models(study) == set()


@pytest.mark.parametrize("shape", [(59, 2), (60, 3), (60,), (60, 2, 1)])
def test_answers_of_another_shape_are_refused(tmp_path, shape):
    with pytest.raises(DataError, match=r"answers of model 4 .*60 records x 2 labels"):
        keep(begin(tmp_path), 4, Trained({FULL: np.zeros(shape)}, {}))


def test_whole_records_must_be_asked_about(tmp_path):
    with pytest.raises(DataError, match="model 4 was not asked about whole records; got 'cropped'"):
        keep(begin(tmp_path), 4, Trained({"cropped": np.zeros((60, 2))}, {}))


# Collecting


def test_the_signals_are_what_the_models_said(copied):
    card = collect(copied)
    for name, factor in (("signals", 1), ("signals-cropped", 0.5)):
        read = read_signals(copied.folder / name)
        assert np.array_equal(read.members, copied.members)
        assert read.records["record_id"].to_list() == some_records()["record_id"].to_list()
        for model in range(8):
            (expected,) = Pretender().train(copied.members[[model]], [copied.seed_of(model)])
            assert np.array_equal(read.stored[model], np.float32(factor) * expected.answers[FULL])
    assert card == json.loads((copied.folder / "targets.json").read_text())
    values = [0.5 + model / 1e6 for model in range(8)]
    assert card["auroc"]["mean"] == pytest.approx(np.mean(values))
    assert card["auroc"]["sd"] == pytest.approx(np.std(values, ddof=1))
    assert (card["auroc"]["min"], card["auroc"]["max"]) == (values[0], values[-1])
    assert card["privacy"] is None
    assert not (copied.folder / "profile.npy").exists()


def test_collecting_again_changes_nothing(copied):
    collect(copied)
    before = {path: (path.stat().st_ino, path.read_bytes()) for path in copied.folder.glob("signals*/*")}
    assert len(before) == 10
    collect(copied)
    assert {path: (path.stat().st_ino, path.read_bytes()) for path in copied.folder.glob("signals*/*")} == before


def test_several_may_collect_at_once(copied):
    barrier, errors = threading.Barrier(4), []

    def run():
        barrier.wait()
        try:
            collect(copied)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(read_signals(copied.folder / "signals")) == 60
    assert not list(copied.folder.glob(".*"))


def test_plain_signals_are_collected_as_such(tmp_path):
    class Sure(Pretender):
        def _one(self, members, seed):
            return Trained({FULL: members + np.random.default_rng(seed).normal(size=len(members))}, {})

    learner = Sure(answers_are=SIGNALS, labels=())
    study = begin(tmp_path, learner)
    train_models(study, learner)
    collect(study)
    assert read_signals(tmp_path / "signals").stored.shape == (8, 60)


def test_a_promise_is_kept_for_the_audit(tmp_path):
    class Private(Pretender):
        def _one(self, members, seed):
            spent = {"epsilon": 1.0, "delta": 1e-5, "level": "patient", "profile": [[0.0, 1.0], [0.5, seed / 1e3]]}
            return replace(super()._one(members, seed), card=spent)

    study = begin(tmp_path, Private())
    train_models(study, Private())
    card = collect(study)
    assert card["privacy"] == {"epsilon": 1.0, "delta": 1e-5, "level": "patient"}
    assert np.load(tmp_path / "profile.npy").tolist() == [[0.0, 1.0], [0.5, 0.007]], "what holds for every model"


def test_promises_of_some_models_only_are_refused():
    promised = {"profile": [[0.0, 1.0], [0.5, 0.1]]}
    with pytest.raises(DataError, match="model 1 does not"):
        promised_profile([promised, {}])
    with pytest.raises(DataError, match="different epsilons"):
        promised_profile([promised, {"profile": [[0.0, 2.0], [0.5, 0.1]]}])


def test_what_no_model_says_is_not_summed_up():
    assert summary_of([{"auroc": None}, {}]) == dict.fromkeys(("auroc", "auroc_train", "epochs", "seconds", "privacy"))


def test_classes_need_an_output_each(tmp_path):
    records = some_records().drop(LABELS).with_columns(label=pl.Series(np.arange(60) % 3))
    said = {"kind": "x", "models": 8, "seed": 0, "origin": Origin({})}
    study = open_study(tmp_path, Pretender(labels=()), records, **said)
    assert keep(study, 0, Trained({FULL: np.zeros((60, 3))}, {}))
    for outputs in (1, 2):
        with pytest.raises(DataError, match="60 records x 3 classes"):
            keep(study, 1, Trained({FULL: np.zeros((60, outputs))}, {}))
