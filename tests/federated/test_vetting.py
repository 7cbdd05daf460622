"""Answers that must not be counted, each with its reason; and rounds that too few answered."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from federated_data import gathered, plan
from leadapron.errors import DataError
from leadapron.federated.coordinator import Coordinator, TooFewAnswersError
from leadapron.federated.federate import deal_into
from leadapron.federated.federation_folder import SERVER
from leadapron.federated.hospital import PATIENTS, Hospital
from leadapron.federated.methods import METHODS
from leadapron.federated.methods.method import Answer
from leadapron.federated.vetting import refused

SENT = {
    "classifier.weight": np.full((3, 4), 2.0, np.float32),
    "image_encoder.steps": np.array(7),
    "image": np.ones((5, 4), np.float32),
}


def why(change=None, *, records: int = 10, loss: float | None = 0.5, method: str = "mfedavg", **arrays) -> str | None:
    answer = Answer({"classifier.weight": SENT["classifier.weight"] * 1.5} | arrays | (change or {}), records, loss)
    return refused(answer, SENT, METHODS.find(method), 10, 3.0)


def test_a_good_answer_counts():
    assert why() is None
    assert why(loss=None) is None
    assert why({"image_encoder.steps": np.array(10**9)}) is None, "a counter has no length"


@pytest.mark.parametrize(
    ("arrays", "reason"),
    [
        (
            {"classifier.weight": np.full((3, 4), np.nan, np.float32)},
            "'classifier.weight' holds a value that is not",
        ),
        (
            {"classifier.weight": np.full((3, 4), np.inf, np.float32)},
            "'classifier.weight' holds a value that is not",
        ),
        ({"classifier.weight": np.ones((4, 3), np.float32)}, "of shape (4, 3), and (3, 4) was sent"),
        ({"classifier.weight": np.ones((3, 4), np.float64)}, "of type float64, and float32 was sent"),
        ({"classifier.weight": np.full((3, 4), "x")}, "of type <U1, and float32 was sent"),
        ({"classifier.bias": np.ones(3, np.float32)}, "an array 'classifier.bias' that was not asked for"),
        ({"classifier.weight": np.full((3, 4), 1e4, np.float32)}, "times as long as what was sent, more than 3"),
    ],
)
def test_a_bad_array_is_named_with_what_is_wrong(arrays, reason):
    assert reason in why(arrays)


def test_the_other_reasons_to_leave_an_answer_out():
    assert refused(Answer({}, 10, 0.5), SENT, METHODS.find("mfedavg"), 10, 3.0) == "it sent nothing"
    assert why(records=0) == "it says that it has 0 records, and 10 were dealt to it"
    assert why(records=10**6) == "it says that it has 1000000 records, and 10 were dealt to it"
    assert why(loss=float("nan")) == "its loss is nan"


def test_the_length_of_an_update_is_measured_from_the_weights_that_were_sent():
    length = np.sqrt(sum(np.square(SENT[name]).sum() for name in ("classifier.weight", "image")))
    for times, counts in ((2.99, True), (3.01, False)):
        step = np.float32(times * length / np.sqrt(12))
        assert (why({"classifier.weight": SENT["classifier.weight"] + step}) is None) is counts


def test_features_are_measured_from_zero():
    answer = {"image": np.ones((5, 4), np.float32)}
    assert refused(Answer(answer, 10, 0.5), SENT, METHODS.find("creamfl"), 10, 3.0) is None
    far = refused(Answer({"image": answer["image"] * 1e6}, 10, 0.5), SENT, METHODS.find("creamfl"), 10, 3.0)
    assert "times as long as what was sent" in far


def federation(tmp_path, **given):
    folder = deal_into(tmp_path / "federation", plan(**given), gathered(80))
    coordinator = Coordinator(folder / SERVER, tmp_path / "run")
    hospitals = {one.name: Hospital(folder / one.name) for one in coordinator.run.members}
    return coordinator, hospitals


def spoilt(answer: Answer) -> Answer:
    bad = {name: one * np.float32("nan") for name, one in answer.arrays.items() if name != PATIENTS}
    return replace(answer, arrays=answer.arrays | bad)


def test_a_bad_answer_is_left_out_with_name_and_reason_and_the_round_goes_on(tmp_path):
    coordinator, hospitals = federation(tmp_path, minimum=2)
    request = coordinator.request(1)
    answers = {name: one.answer(request) for name, one in hospitals.items()}
    answers["hospital-01"] = spoilt(answers["hospital-01"])
    del answers["hospital-02"]
    found = coordinator.takes(request, answers, {"hospital-02": "it did not answer in time"})
    assert set(found.losses) == {"hospital-00", "hospital-03"}
    assert set(found.left_out) == {"hospital-01", "hospital-02"}
    assert "not finite" in found.left_out["hospital-01"]
    assert found.left_out["hospital-02"] == "it did not answer in time"
    assert np.isfinite(coordinator.request(2).arrays["classifier.weight"]).all()
    assert not (tmp_path / "run/rounds/0001/hospital-01.npz").exists()


def test_a_hospital_that_was_dealt_nothing_does_not_count(tmp_path):
    coordinator, hospitals = federation(tmp_path)
    request = coordinator.request(1)
    answers = {"stranger" if name == "hospital-03" else name: one.answer(request) for name, one in hospitals.items()}
    found = coordinator.takes(request, answers, {"hospital-03": "away"})
    assert "and 0 were dealt to it" in found.left_out["stranger"]
    assert len(found.losses) == 3


def test_the_mean_without_an_answer_is_that_of_the_others(tmp_path):
    found = []
    for bad in (True, False):
        coordinator, hospitals = federation(tmp_path / str(bad))
        request = coordinator.request(1)
        answers = {name: one.answer(request) for name, one in hospitals.items() if bad or name != "hospital-01"}
        if bad:
            answers["hospital-01"] = spoilt(answers["hospital-01"])
        found.append(coordinator.takes(request, answers, {} if bad else {"hospital-01": "away"}).weights)
    assert found[0] == found[1]


def test_a_round_that_too_few_answered_is_refused_and_asked_again(tmp_path):
    coordinator, hospitals = federation(tmp_path, minimum=3)
    request = coordinator.request(1)
    answers = {name: one.answer(request) for name, one in hospitals.items()}
    bad = answers | {name: spoilt(answers[name]) for name in ("hospital-00", "hospital-01")}
    with pytest.raises(TooFewAnswersError, match=r"round 1: too few .*hospital-00: .*finite.*got 2; allowed: 3"):
        coordinator.takes(request, bad, {})
    assert coordinator.next_round == 1
    assert not (tmp_path / "run/rounds/0001").exists()
    again = {name: one.answer(request) for name, one in hospitals.items()}
    assert coordinator.takes(request, again, {}).number == 1


@pytest.mark.parametrize("late", [False, True])
def test_a_patient_at_two_hospitals_is_found_by_the_server_also_when_one_joins_late(tmp_path, late):
    coordinator, hospitals = federation(tmp_path, minimum=1)
    twin = hospitals["hospital-00"].station.patients[0]
    other = hospitals["hospital-01"]
    other.station = replace(other.station, patients=np.array([twin, *other.station.patients[1:]]))
    request = coordinator.request(1)
    first = {name: one.answer(request) for name, one in hospitals.items() if not (late and name == "hospital-01")}
    message = rf"hospital-01/records/patients.npy: a patient of hospital-01 is also in hospital-00; .*hash {twin:016x}"
    if not late:
        with pytest.raises(DataError, match=message):
            coordinator.takes(request, first, {})
        return
    coordinator.takes(request, first, {"hospital-01": "away"})
    anew = Coordinator(tmp_path / "federation" / SERVER, tmp_path / "run")  # and after a kill
    request = anew.request(2)
    with pytest.raises(DataError, match=message):
        anew.takes(request, {name: one.answer(request) for name, one in hospitals.items()}, {})


def test_the_hashes_of_patients_are_sent_once_and_are_not_kept_with_the_updates(tmp_path):
    coordinator, hospitals = federation(tmp_path)
    for number in (1, 2):
        request = coordinator.request(number)
        answers = {name: one.answer(request) for name, one in hospitals.items()}
        assert all((PATIENTS in one.arrays) is (number == 1) for one in answers.values())
        coordinator.takes(request, answers, {})
    for file in (tmp_path / "run").rglob("*.npz"):
        with np.load(file) as held:
            assert PATIENTS not in held.files
