"""Flower's simulation gives the weights of the in-process engine, bit for bit, also after a kill."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import federated_data as fed
from federation_processes import environment, wait_until_gone
from leadapron.federated import Machine, federate, hospitals_beside, read_run
from leadapron.federated.federate import deal_into
from leadapron.federated.run_card import GLOBAL, read_arrays, round_file

pytestmark = pytest.mark.study

FLOWER = Machine(engine="flower", device="cpu")


@pytest.fixture(autouse=True)
def _flower():
    pytest.importorskip("ray", reason="not run: Flower's simulation is not installed")


def weights(run):
    return [one.weights for one in run.rounds]


@pytest.mark.parametrize("method", ["car-mfl", "creamfl"])
def test_the_simulation_gives_the_same_weights_as_the_engine_in_one_process(tmp_path, method):
    told = []
    here = fed.run(fed.gathered(), tmp_path / "here", method=method)
    there = federate(
        fed.gathered(),
        tmp_path / "there",
        fed.plan(method=method),
        machine=FLOWER,
        tell=lambda _run, last: told.append(last.weights),
    )
    assert (here.engine, there.engine) == ("in-process", "flower")
    assert weights(there) == weights(here) == told
    assert there.test == here.test


@pytest.mark.parametrize("secure", [False, True])
def test_a_hospital_that_fails_is_left_out_with_name_and_reason_and_the_rest_goes_on(tmp_path, secure):
    plan, out = fed.plan(secure=secure), tmp_path / "run"
    folder = deal_into(hospitals_beside(out), plan, fed.gathered())
    card = folder / "hospital-01" / "federation.json"
    changed = json.loads(card.read_text())
    changed["plan"]["epochs"] = 7
    card.write_text(json.dumps(changed))
    run = federate(fed.gathered(), out, plan, machine=FLOWER)
    for one in run.rounds:
        assert list(one.left_out) == ["hospital-01"]
        assert "hospital-01 has another version of the plan" in one.left_out["hospital-01"]
        assert sorted(one.losses) == ["hospital-00", "hospital-02", "hospital-03"]


def test_secure_aggregation_agrees_with_the_open_mean_and_keeps_no_update(tmp_path):
    given = {"secure": True, "clients": "2:1:1", "rounds": 2}
    here = fed.run(fed.gathered(), tmp_path / "here", **given)
    there = fed.run(fed.gathered(), tmp_path / "there", FLOWER, **given)
    one, other = (read_arrays(round_file(tmp_path / name, 2, GLOBAL)) for name in ("here", "there"))
    for name, array in one.items():
        np.testing.assert_allclose(other[name], array, rtol=0, atol=1e-5, err_msg=name)
    assert weights(here) != weights(there)  # whole numbers are summed, so the last bits differ
    assert sorted(path.stem for path in (tmp_path / "there" / "rounds" / "0001").iterdir() if path.suffix) == [
        "global",
        "public",
    ]
    assert there.rounds[0].messages == 8 * len(there.members)


SCRIPT = """
import sys
from pathlib import Path
import federated_data as fed
from leadapron.federated import Machine
if __name__ == "__main__":
    fed.run(fed.gathered(), Path(sys.argv[1]), Machine(engine="flower", device="cpu"), rounds=4)
"""


def test_a_simulation_that_is_killed_goes_on_and_leaves_no_process_behind(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    out = tmp_path / "run"
    around = environment(tmp_path)
    around["PYTHONPATH"] += os.pathsep + str(Path(fed.__file__).parent)
    killed = subprocess.Popen([sys.executable, tmp_path / "script.py", out], env=around)
    while not (out / "rounds" / "0001").exists():
        assert killed.poll() is None
        time.sleep(0.1)
    killed.send_signal(signal.SIGKILL)
    killed.wait()
    wait_until_gone(tmp_path)
    assert len(read_run(out).rounds) < 4
    resumed = fed.run(fed.gathered(), out, FLOWER, rounds=4)
    assert weights(resumed) == weights(fed.run(fed.gathered(), tmp_path / "whole", rounds=4))
