"""A server and two hospitals in processes of their own, over TLS, give the weights of one process, also after kills."""

from __future__ import annotations

import json
import shutil
import signal

import pytest

import federated_data as fed
from federation_processes import NAMES, Deployment
from leadapron.federated import read_run
from leadapron.federated.flower.node_keys import write_hospital_keys
from leadapron.federated.run_card import MODEL, read_arrays

pytestmark = pytest.mark.study

PLAN = {"clients": "1:0:1", "minimum": 2}


@pytest.fixture
def deployment(tmp_path):
    pytest.importorskip("flwr", reason="not run: Flower is not installed")
    made = []

    def deploy(**given):
        made.append(Deployment(tmp_path / "deployed", fed.plan(**given)))
        return made[0]

    yield deploy
    made[0].wait_until_gone()


def test_a_deployment_gives_the_weights_of_one_process_although_every_place_is_killed(deployment, tmp_path):
    places = deployment(**PLAN, rounds=4)
    server, first, second = places.server(), *(places.hospital(name) for name in NAMES)

    places.wait_for_round(1, server)
    second.send_signal(signal.SIGKILL)
    code, said = places.ended(server)
    assert code == 3, said
    assert "too few hospitals answered (hospital-01: it" in said
    places.ended(second)

    server, second = places.server(), places.hospital(NAMES[1])
    places.wait_for_round(2, server)
    server.send_signal(signal.SIGKILL)
    places.ended(server)

    code, said = places.ended(places.server())
    assert code == 0, said
    assert [places.ended(hospital)[0] for hospital in (first, second)] == [0, 0]

    run, plain = read_run(places.out), fed.run(fed.gathered(), tmp_path / "plain", **PLAN, rounds=4)
    assert run.engine == "flower deployment"
    assert [one.weights for one in run.rounds] == [one.weights for one in plain.rounds]
    assert run.test == plain.test
    best = read_arrays(tmp_path / "plain" / MODEL)
    for name in NAMES:
        got = read_arrays(places.folder / name / MODEL)
        assert all((got[part] == array).all() for part, array in best.items())


def test_a_wrong_key_and_another_plan_are_told_at_the_hospital_and_at_the_server(deployment, tmp_path):
    places = deployment(**PLAN)
    keys = places.root / "hospital-00-keys"
    write_hospital_keys(tmp_path / "other", NAMES[0])
    shutil.copy(tmp_path / "other" / "hospital-00.key", keys)
    card = places.folder / NAMES[1] / "federation.json"
    card.write_text(json.dumps(json.loads(card.read_text()) | {"plan": fed.plan(**PLAN, epochs=9).model_dump()}))

    server = places.server("--patience", "40")
    first, second = (places.hospital(name) for name in NAMES)
    code, said = places.ended(first)
    assert code == 2, said
    assert f"{keys / 'hospital-00.key'}: the server does not know this hospital's key" in said

    code, said = places.ended(server)
    assert code == 3, said
    assert "hospital-00: it is not connected" in said
    assert "hospital-01 has another version of the plan than the server" in said
    second.terminate()
    code, said = places.ended(second)
    assert code == 130, said
    assert "not answered: " in said
    assert "another version of the plan" in said
