"""What is added up in secret gives the mean that the server would have taken of what it sees."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import federated_data as fed
from leadapron.errors import ConfigError, DataError
from leadapron.federated.coordinator import Coordinator, TooFewAnswersError
from leadapron.federated.federate import deal_into
from leadapron.federated.federation_folder import SERVER
from leadapron.federated.hidden_updates import Summed, hidden, revealed
from leadapron.federated.hospital import PATIENTS, Hospital
from leadapron.federated.methods import METHODS
from leadapron.federated.run_card import GLOBAL, read_arrays, round_file


@pytest.fixture
def dealt(tmp_path):
    """Two servers of the same federation, and what its hospitals answer in the first round."""

    def make(**given):
        plan = fed.plan(**given)
        folder = deal_into(tmp_path / "fed", plan, fed.gathered(80))
        servers = [Coordinator(folder / SERVER, tmp_path / name) for name in ("open", "secret")]
        hospitals = [Hospital(folder / member.name) for member in servers[0].run.members]
        request = servers[0].request(1)
        servers[1].request(1)
        return plan, servers, hospitals, request, {one.name: one.answer(request) for one in hospitals}

    return make


def vectors_of(plan, server, hospitals, request, answers):
    method, weighing = METHODS.find(plan.method), server.weighing(1)
    return [
        hidden(
            replace(answer, arrays={name: array for name, array in answer.arrays.items() if name != PATIENTS}),
            request.arrays,
            weighing.weights(method, plan, hospital.station.holds, answer.records),
            8.0,
        )
        for hospital, answer in zip(hospitals, answers.values(), strict=True)
    ]


def only_patients(answers):
    return {name: replace(answer, arrays={PATIENTS: answer.arrays[PATIENTS]}) for name, answer in answers.items()}


@pytest.mark.parametrize(
    "given",
    [
        {"method": "car-mfl"},
        {"method": "car-mfl", "normalise": "softmax", "alpha": 0.5},
        {"method": "car-mfl", "alpha": 0.0, "clients": "3:0:0"},
        {"method": "mfedavg", "public": 0, "clients": "2:2:0"},
        {"method": "mfedavg", "public": 0, "clients": "3:0:0"},
        {"method": "mfedavg-public"},
    ],
    ids=str,
)
def test_the_sum_of_hidden_updates_gives_the_mean_of_the_open_ones(dealt, given, tmp_path):
    plan, (openly, secretly), hospitals, request, answers = dealt(**given)
    openly.takes(request, answers, {})

    vectors = vectors_of(plan, secretly, hospitals, request, answers)
    mean, weights, loss = revealed(np.sum(vectors, axis=0), request.arrays)
    summed = Summed(mean, weights, secretly.weighing(1), loss, 8, 100)
    told = secretly.takes_sum(request, summed, only_patients(answers), {})

    seen, hidden_ = (read_arrays(round_file(tmp_path / name, 1, GLOBAL)) for name in ("open", "secret"))
    for name, array in seen.items():
        np.testing.assert_allclose(hidden_[name], array, rtol=0, atol=1e-6, err_msg=name)
    records = np.array([answer.records for answer in answers.values()])
    losses = np.array([answer.loss for answer in answers.values()])
    assert told.losses[hospitals[0].name] == pytest.approx(np.average(losses, weights=records))
    assert (told.messages, told.bytes_received) == (8, 100)


def test_no_number_of_a_vector_is_larger_than_the_update_itself(dealt):
    plan, (openly, _), hospitals, request, answers = dealt()
    vectors = vectors_of(plan, openly, hospitals, request, answers)
    moved = max(
        np.abs(array - request.arrays[name]).max()
        for answer in answers.values()
        for name, array in answer.arrays.items()
        if name != PATIENTS
    )
    parameters = sum(array.size for array in request.arrays.values())
    assert max(np.abs(vector[:parameters]).max() for vector in vectors) <= moved
    assert max(np.abs(vector[parameters:]).max() for vector in vectors) <= 1.0


@pytest.mark.parametrize("value", [100.0, np.nan])
def test_an_update_that_would_not_fit_is_refused_by_the_hospital_itself(dealt, value):
    plan, (openly, _), hospitals, request, answers = dealt()
    broken = next(iter(answers.values()))
    broken.arrays["classifier.bias"][0] = value
    with pytest.raises(DataError, match="numbers up to 8"):
        vectors_of(plan, openly, hospitals, request, answers)


def test_a_patient_at_two_hospitals_is_found_although_the_updates_are_hidden(dealt):
    plan, (_, secretly), hospitals, request, answers = dealt()
    mean, weights, loss = revealed(
        np.sum(vectors_of(plan, secretly, hospitals, request, answers), axis=0), request.arrays
    )
    seen = only_patients(answers)
    first, second = list(seen)[:2]
    seen[second] = seen[first]
    with pytest.raises(DataError, match=f"a patient of {second} is also in {first}"):
        secretly.takes_sum(request, Summed(mean, weights, secretly.weighing(1), loss, 0, 0), seen, {})


def test_too_few_hospitals_in_the_sum_end_the_run(dealt):
    plan, (_, secretly), hospitals, request, answers = dealt(minimum=4)
    mean, weights, loss = revealed(
        np.sum(vectors_of(plan, secretly, hospitals, request, answers), axis=0), request.arrays
    )
    seen = only_patients(answers)
    lost = seen.popitem()[0]
    with pytest.raises(TooFewAnswersError, match=f"{lost}: it is not connected"):
        secretly.takes_sum(
            request, Summed(mean, weights, secretly.weighing(1), loss, 0, 0), seen, {lost: "it is not connected"}
        )


def test_alpha_is_not_chosen_after_a_secure_sum(tmp_path):
    with pytest.raises(ConfigError, match="alpha_by_validation"):
        fed.run(fed.gathered(), tmp_path / "run", secure=True, alpha_by_validation=True)
    assert not (tmp_path / "run").exists()


def test_a_secure_sum_needs_three_hospitals(tmp_path):
    with pytest.raises(ConfigError, match="got '2 hospitals'; allowed: 3 or more"):
        fed.run(fed.gathered(), tmp_path / "run", secure=True, clients="1:0:1")
    assert not (tmp_path / "run").exists()
