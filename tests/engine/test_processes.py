"""Several processes at one task: they share the cores, refuse with their own words, and end with their parent."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

import process_tasks
from leadapron.engine.processes import run_processes
from leadapron.errors import LeadapronError


def wait_until(true) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_one_that_refuses_ends_all_with_its_words(tmp_path):
    with pytest.raises(LeadapronError, match=r"^here: this will not do\.$"):
        run_processes(partial(process_tasks.refuse_or_wait, tmp_path), 2, watch=lambda: None)
    assert (tmp_path / "cleaned up").exists()


@pytest.mark.parametrize("in_background", [False, True], ids=["in front", "in the background of a script"])
def test_processes_end_when_their_parent_is_killed(tmp_path, in_background):
    code = (
        f"import signal; {in_background} and signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
        "import functools, pathlib, sys, process_tasks; from leadapron.engine.processes import run_processes\n"
        "task = functools.partial(process_tasks.wait_for_ever, pathlib.Path(sys.argv[1]))\n"
        "run_processes(task, 1, watch=lambda: None)"
    )
    here = Path(process_tasks.__file__).parent
    with subprocess.Popen([sys.executable, "-c", code, tmp_path], cwd=here, stdout=subprocess.PIPE) as parent:
        wait_until((tmp_path / "waiting").exists)
        parent.kill()
        parent.communicate(timeout=30)  # until all have ended that could write there
    assert (tmp_path / "cleaned up").exists() is not in_background


def test_processes_share_the_cores_and_the_environment_is_as_before(tmp_path, monkeypatch):
    monkeypatch.setenv("LEADAPRON_THREADS", "6")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert run_processes(partial(process_tasks.note_threads, tmp_path), 2, watch=lambda: None) == 2
    assert [path.read_text() for path in tmp_path.iterdir()] == ["3 3 3 3"] * 2
    assert os.environ["LEADAPRON_THREADS"] == "6"
    assert "OMP_NUM_THREADS" not in os.environ
