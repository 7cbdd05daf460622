"""A run that was killed goes on after its last whole round and ends with the same bits."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

import leadapron
from command_line import run as command
from federated_data import gathered, plan, release, run
from leadapron.federated import hospitals_beside, read_run, round_state, run_card
from leadapron.federated.coordinator import Coordinator
from leadapron.federated.federate import deal_into
from leadapron.federated.federation_folder import SERVER
from leadapron.federated.fusion_model import fingerprint
from leadapron.federated.hospital import Hospital
from leadapron.federated.round_state import keep_state, read_state
from leadapron.release import write_release

OPTIONS = ("--clients", "1:1:1", "--public", "8", "--epochs", "1", "--width", "4", "--rounds", "12", "--device", "cpu")


class Killed(BaseException):
    """The power went off."""


def hashes(found) -> list[str]:
    return [one.weights for one in found.rounds]


@contextlib.contextmanager
def killed_at(monkeypatch, write: int):
    """The ``write``-th file that is to be written is not, and nothing happens any more."""
    count = 0
    plain = round_state.atomic_path

    @contextlib.contextmanager
    def counting(target, **given):
        nonlocal count
        count += 1
        if count == write:
            raise Killed
        with plain(target, **given) as path:
            yield path

    with monkeypatch.context() as patch:
        patch.setattr(round_state, "atomic_path", counting)
        patch.setattr(run_card, "atomic_path", counting)
        yield lambda: count


@pytest.mark.parametrize("method", ["car-mfl", "creamfl", "local-only"])
def test_wherever_a_run_is_killed_the_same_command_ends_with_the_same_weights(tmp_path, monkeypatch, method):
    found, given = gathered(), {"method": method, "clients": "1:0:1", "rounds": 3}
    with killed_at(monkeypatch, 0) as count:
        whole = run(found, tmp_path / "whole", **given)
        writes = count()
    assert writes > 3 * 4
    for write in range(1, writes + 1, 3 if method == "car-mfl" else 7):
        out = tmp_path / f"run-{write}"
        with killed_at(monkeypatch, write), pytest.raises(Killed):
            run(found, out, **given)
        again = run(found, out, **given)
        assert (hashes(again), again.best) == (hashes(whole), whole.best)
        assert again.test == whole.test


def test_kill_9_in_the_middle_of_a_run_costs_a_round_at_most(tmp_path):
    folder = tmp_path / "release"
    write_release(release(), folder)
    out = tmp_path / "killed"
    source = Path(leadapron.__file__).parents[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "leadapron", "train", "federated", str(folder), "--out", str(out), *OPTIONS],
        env=os.environ | {"PYTHONPATH": str(source)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not (out / "rounds/0003/global.npz").exists():
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    assert process.wait() == -signal.SIGKILL
    done = len(read_run(out).rounds)
    assert 0 < done < 12
    assert command("train", "federated", folder, "--out", out, *OPTIONS).code == 0
    assert command("train", "federated", folder, "--out", tmp_path / "whole", *OPTIONS).code == 0
    killed, whole = read_run(out), read_run(tmp_path / "whole")
    assert hashes(killed) == hashes(whole)
    assert killed.test == whole.test


def test_a_finished_run_is_read_and_not_trained_again(tmp_path, monkeypatch):
    found = gathered()
    first = run(found, tmp_path / "run")
    monkeypatch.setattr(Hospital, "answer", None)
    assert run(found, tmp_path / "run") == first


def test_a_run_that_was_removed_can_be_made_again_with_the_same_bits(tmp_path):
    """The hospitals' folders are still there, with the states of the run that was given up."""
    found = gathered()
    first = run(found, tmp_path / "run", rounds=6)
    shutil.rmtree(tmp_path / "run")
    assert hospitals_beside(tmp_path / "run").exists()
    assert hashes(run(found, tmp_path / "run", rounds=6)) == hashes(first)


def test_a_hospital_that_is_asked_twice_gives_the_same_answer(tmp_path):
    for method in ("car-mfl", "creamfl", "local-only"):
        folder = deal_into(tmp_path / method, plan(method=method), gathered())
        coordinator = Coordinator(folder / SERVER, tmp_path / f"{method}-run")
        hospitals = {one.name: Hospital(folder / one.name) for one in coordinator.run.members}
        for number in (1, 2):
            request = coordinator.request(number)
            answers = {name: one.answer(request) for name, one in hospitals.items()}
            for name, one in hospitals.items():
                for asked in (one, Hospital(folder / name)):
                    again = asked.answer(request)
                    assert fingerprint(again.arrays) == fingerprint(answers[name].arrays)
                    assert again.loss == answers[name].loss
            coordinator.takes(request, answers, {})


def test_with_partial_participation_a_hospital_goes_on_from_the_round_in_which_it_was_last_asked(tmp_path):
    found = gathered()
    whole = run(found, tmp_path / "whole", participation=0.5, rounds=6)
    asked = [set(one.losses) for one in whole.rounds]
    assert {len(names) for names in asked} == {2}
    assert set().union(*asked) == {f"hospital-{at:02d}" for at in range(4)}
    assert len({tuple(sorted(names)) for names in asked}) > 1
    assert whole.rounds[0].messages == 4

    folder = deal_into(tmp_path / "federation", plan(participation=0.5, rounds=6), found)
    while True:  # everything is started anew for every round
        coordinator = Coordinator(folder / SERVER, tmp_path / "anew")
        if (number := coordinator.next_round) is None:
            break
        request = coordinator.request(number)
        names = coordinator.participants(number)
        coordinator.takes(request, {name: Hospital(folder / name).answer(request) for name in names}, {})
    assert hashes(coordinator.run) == hashes(whole)


def held(place: Path) -> list[str]:
    return sorted(path.stem for path in (place / "state").glob("round-*.pt"))


def test_the_states_of_the_last_rounds_are_kept_and_read_by_their_number(tmp_path):
    for number in range(1, 7):
        keep_state(tmp_path, number, "key", {"adam": torch.tensor([number])})
    assert held(tmp_path) == ["round-0004", "round-0005", "round-0006"]
    assert read_state(tmp_path, 5, "key")["adam"] == 5
    assert read_state(tmp_path, 9, "key")["adam"] == 6
    assert read_state(tmp_path, 3, "key") == {}
    assert read_state(tmp_path, 6, "another key") == {}


def test_a_round_that_is_done_anew_ends_what_came_after_it(tmp_path):
    for number in (27, 28, 29, 30, 1):
        keep_state(tmp_path, number, "key", {"adam": torch.tensor([number])})
    assert held(tmp_path) == ["round-0001"]
    assert read_state(tmp_path, 1, "key")["adam"] == 1


def test_a_state_is_private_and_one_that_is_cut_short_or_holds_code_is_not_opened(tmp_path):
    keep_state(tmp_path, 1, "key", {"adam": torch.tensor([1])})
    keep_state(tmp_path, 2, "key", {"adam": torch.tensor([2])})
    file = tmp_path / "state/round-0002.pt"
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    file.write_bytes(file.read_bytes()[:50])
    assert read_state(tmp_path, 2, "key")["adam"] == 1
    torch.save({"key": "key", "state": {"adam": Path("code")}}, file)
    assert read_state(tmp_path, 2, "key")["adam"] == 1
