"""Every method on one small federation, and the order of quality where there must be one."""

from __future__ import annotations

import numpy as np
import pytest

import leadapron as la
from federated_data import CPU, gathered, plan, release, run
from leadapron.errors import DataError
from leadapron.federated import METHODS, Plan, federate
from leadapron.release import write_release


@pytest.mark.parametrize("method", METHODS.names())
def test_every_method_runs_and_the_same_seed_gives_the_same_bits(tmp_path, method):
    one, same = (run(gathered(), tmp_path / name, method=method) for name in ("one", "same"))
    assert [found.weights for found in one.rounds] == [found.weights for found in same.rounds]
    assert one.test == same.test
    other = run(gathered(), tmp_path / "other", method=method, seed=1)
    assert one.rounds[-1].weights != other.rounds[-1].weights
    alone = method in ("public-only", "centralised")
    assert len(one.members) == (0 if alone else 4)
    assert one.rounds[0].messages == (0 if alone else 8)
    assert METHODS.find(method).line


@pytest.mark.parametrize("pairing", ["refined", "nearest", "labels", "random", "cross-modal"])
def test_every_pairing_runs_and_trains_other_weights(tmp_path, pairing):
    found = run(gathered(), tmp_path / "run", pairing=pairing, rounds=1, clients="1:1:0")
    zeros = run(gathered(), tmp_path / "zeros", method="mfedavg-public", rounds=1, clients="1:1:0")
    assert found.rounds[0].weights != zeros.rounds[0].weights


def test_alpha_by_validation_is_written_down(tmp_path):
    found = run(gathered(), tmp_path / "run", alpha_by_validation=True)
    assert all(set(one.chosen) == {"alpha"} for one in found.rounds)


def test_hospitals_are_better_together_than_the_public_set_alone(tmp_path):
    """Twenty public patients are too few against this much noise; five hundred at hospitals are not."""
    found = gathered(900, width=24, noise=5.0)
    given = {"clients": "4:0:1", "public": 20, "rounds": 12, "epochs": 3, "width": 16, "learning_rate": 5e-3}
    methods = ("public-only", "local-only", "mfedavg-public", "no-missing", "centralised")
    area = {
        name: federate(found, tmp_path / name, Plan(method=name, **given), machine=CPU).tested("both").value
        for name in methods
    }
    assert area["centralised"] > area["public-only"] + 0.05
    assert area["no-missing"] > area["public-only"] + 0.05
    assert area["no-missing"] > area["mfedavg-public"] - 0.01
    assert area["centralised"] > area["local-only"]


def test_labels_that_say_nothing_are_learnt_by_nobody(tmp_path):
    found = gathered(600)
    shuffled = found.truth[np.random.default_rng(1).permutation(len(found.truth))]
    null = type(found)(**{**vars(found), "truth": shuffled})
    area = run(null, tmp_path / "run", rounds=4).tested("both")
    assert abs(area.value - 0.5) < 0.12
    assert area.low < 0.5 < area.high


def test_the_front_door_takes_a_folder_or_a_release(tmp_path):
    drawn = release()
    write_release(drawn, tmp_path / "release")
    options = plan().model_dump(exclude={"groups"})
    one = la.federate(drawn, out=tmp_path / "one", machine=CPU, **options)
    other = la.federate(str(tmp_path / "release"), out=str(tmp_path / "other"), machine=CPU, **options)
    assert [found.weights for found in one.rounds] == [found.weights for found in other.rounds]


def test_a_release_without_patients_or_labels_is_told():
    drawn = release()
    for column, message in (
        ("patient_id", "there is no column 'patient_id'"),
        ("label_", "there are no labels to learn"),
    ):
        kept = [name for name in drawn.records.columns if not name.startswith(column)]
        with pytest.raises(DataError, match=message):
            la.federate(type(drawn)(drawn.records.select(kept), drawn.arrays), out="nowhere")
