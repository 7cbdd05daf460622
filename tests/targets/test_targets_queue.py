"""The queue: who takes what, from whom it may be taken over, and what is left when processes are killed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from leadapron.engine.ours import hidden_beside
from leadapron.targets.queue import STALE, Queue, clock_of, myself, sweep

ELSEWHERE = {"host": "elsewhere", "machine": "another", "pid": 1, "started": 1, "token": "theirs"}


def nothing() -> set[int]:
    return set()


def queue_in(folder: Path, models: int = 3, finished=nothing, **settings) -> Queue:
    folder.mkdir(exist_ok=True)
    return Queue(folder, models, finished, **settings)


def claim_of(folder: Path, said: object, name: str = "00000.0", *, age: float = 0.0) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    path.write_text(said if isinstance(said, str) else json.dumps(said))
    then = clock_of(folder) - age
    os.utime(path, (then, then))
    return path


def taken(queue: Queue, most: int = 9) -> list[tuple[int, int]]:
    return [(claim.model, claim.generation) for claim in queue.take(most)]


def test_every_model_is_given_once_and_no_more_than_asked_for(tmp_path):
    one, other = queue_in(tmp_path), queue_in(tmp_path)
    assert taken(one, 2) == [(0, 0), (1, 0)]
    assert taken(other) == [(2, 0)]
    assert taken(one) == []


def test_what_is_finished_is_nobodys(tmp_path):
    assert taken(queue_in(tmp_path, finished=lambda: {0, 2})) == [(1, 0)]


def test_what_is_given_back_can_be_taken_again_at_once(tmp_path):
    one = queue_in(tmp_path)
    one.release(one.take(9))
    assert taken(queue_in(tmp_path)) == [(0, 0), (1, 0), (2, 0)]


def test_leaving_gives_back_what_is_not_finished(tmp_path):
    done = set()
    with queue_in(tmp_path, finished=lambda: done) as queue:
        queue.take(2)
        done.add(0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["00000.0"]


def test_only_its_own_claim_is_given_back(tmp_path):
    """After a takeover and a release, the same name may be another's."""
    one = queue_in(tmp_path, models=1)
    (claim,) = one.take(1)
    claim_of(tmp_path, ELSEWHERE)
    one.release([claim])
    assert (tmp_path / "00000.0").exists()
    assert not one.holds(claim)


# Whose claims may be taken over


def test_a_fresh_claim_of_another_host_is_left_alone(tmp_path):
    claim_of(tmp_path, ELSEWHERE, age=STALE - 20)
    assert taken(queue_in(tmp_path, models=1)) == []


def test_an_old_claim_of_another_host_is_taken_over(tmp_path):
    claim_of(tmp_path, ELSEWHERE, age=STALE + 20)
    assert taken(queue_in(tmp_path, models=1)) == [(0, 1)]
    assert taken(queue_in(tmp_path, models=1)) == [], "the new claim is fresh"


def test_the_same_process_number_on_another_host_says_nothing(tmp_path):
    claim_of(tmp_path, {**ELSEWHERE, "pid": 2**22 - 3})
    assert taken(queue_in(tmp_path, models=1)) == []


def test_the_highest_generation_counts_and_not_the_last_in_the_list(tmp_path):
    for generation in range(10):
        claim_of(tmp_path, ELSEWHERE, f"00000.{generation}", age=STALE + 20)
    claim_of(tmp_path, ELSEWHERE, "00000.10")
    assert taken(queue_in(tmp_path, models=1)) == []
    claim_of(tmp_path, ELSEWHERE, "00000.10", age=STALE + 20)
    assert taken(queue_in(tmp_path, models=1)) == [(0, 11)]


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="process times are read from /proc")


@needs_proc
def test_a_killed_process_of_this_machine_loses_its_claims_at_once_even_unburied(tmp_path):
    code = (
        "import sys, time; from pathlib import Path\n"
        "from leadapron.targets.queue import Queue\n"
        "Queue(Path(sys.argv[1]), 3, set).take(2); print('taken', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, tmp_path], stdout=subprocess.PIPE)
    try:
        assert process.stdout.readline() == b"taken\n"
        assert taken(queue_in(tmp_path, models=2)) == [], "it lives"
        process.kill()
        while Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
            time.sleep(0.01)
        assert taken(queue_in(tmp_path, models=2)) == [(0, 1), (1, 1)], "dead, though nobody has waited for it"
    finally:
        process.kill()
        process.communicate()


@needs_proc
def test_a_process_number_that_was_given_anew_is_not_the_holder(tmp_path):
    me = myself()
    claim_of(tmp_path, {**me, "token": "mine"})
    assert taken(queue_in(tmp_path, models=1)) == []
    claim_of(tmp_path, {**me, "started": int(str(me["started"])) - 1, "token": "mine"})
    assert taken(queue_in(tmp_path, models=1)) == [(0, 1)]


@pytest.mark.parametrize("said", ["", "{", "[1]"])
def test_a_claim_whose_maker_was_killed_before_writing_is_judged_by_its_age(tmp_path, said):
    claim_of(tmp_path, said)
    assert taken(queue_in(tmp_path, models=1)) == []
    claim_of(tmp_path, said, age=STALE + 1)
    assert taken(queue_in(tmp_path, models=1)) == [(0, 1)]


def test_a_heartbeat_keeps_a_claim_and_ends_with_it(tmp_path):
    with queue_in(tmp_path, models=2, heartbeat=0.02) as queue:
        held, given_up = queue.take(2)
        queue.finish(given_up)
        before = held.path.stat().st_mtime_ns
        os.utime(held.path, (1, 1))
        deadline = time.monotonic() + 5
        while held.path.stat().st_mtime_ns < before and time.monotonic() < deadline:
            time.sleep(0.01)
        assert held.path.stat().st_mtime_ns >= before
        assert given_up.path.stat().st_mtime == 0


# Races


@pytest.mark.parametrize("stale", [False, True])
def test_of_many_who_try_at_once_one_wins(tmp_path, stale):
    takers = 6
    for attempt in range(150):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        if stale:
            claim_of(folder, ELSEWHERE, age=STALE + 20)
        queues, barrier = [queue_in(folder, models=1) for _ in range(takers)], threading.Barrier(takers)
        won: list[tuple[int, int]] = []

        def race(queue, barrier=barrier, won=won):
            barrier.wait()
            won.extend(taken(queue))

        threads = [threading.Thread(target=race, args=(queue,)) for queue in queues]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert won == [(0, int(stale))]


def test_who_finished_just_before_the_takeover_is_noticed(tmp_path):
    """The holder was thought to be gone, but its model is there when the new claim has been made."""
    claim_of(tmp_path, ELSEWHERE, age=STALE + 20)
    answers = iter([set(), {0}])
    assert taken(queue_in(tmp_path, models=1, finished=lambda: next(answers))) == []
    assert [path.name for path in tmp_path.iterdir()] == ["00000.0"], "the new claim is given back"


def test_who_was_stopped_for_long_holds_its_claim_no_more(tmp_path):
    stopped, other = queue_in(tmp_path, models=1), queue_in(tmp_path, models=1)
    (claim,) = stopped.take(1)
    assert stopped.holds(claim)
    os.utime(claim.path, (1, 1))
    (new,) = other.take(1)
    assert other.holds(new)
    assert not stopped.holds(claim)


# Leftovers


def test_old_half_written_files_are_removed_and_nothing_else(tmp_path):
    """Every hidden file of that age was removed: .git, .env, whatever lay there."""
    old, new, folder, busy = (
        hidden_beside(tmp_path / name) for name in ("old.npz", "new.npz", "signals", "signals-cropped")
    )
    theirs = [tmp_path / name for name in ("old.npz", ".env", ".old.partial", ".a.12345678.leadapron-old")]
    for path in (old, new, *theirs, folder / "inside", busy / "inside", tmp_path / ".git" / "HEAD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")
    for path in (old, *theirs, folder / "inside", folder, busy, tmp_path / ".git" / "HEAD", tmp_path / ".git"):
        os.utime(path, (1, 1))
    sweep(tmp_path)
    assert set(tmp_path.iterdir()) == {new, busy, *theirs, tmp_path / ".git"}
    assert (tmp_path / ".git" / "HEAD").exists()


def test_the_clock_is_that_of_the_files(tmp_path):
    (tmp_path / "a").touch()
    before = (tmp_path / "a").stat().st_mtime
    now = clock_of(tmp_path)
    (tmp_path / "b").touch()
    assert before <= now <= (tmp_path / "b").stat().st_mtime
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]
