"""Workers: each model trained once, whoever is killed, stopped or interrupted, and the same signals in the end."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import process_tasks
import target_studies
from leadapron.engine import silent
from leadapron.engine.processes import run_processes
from leadapron.errors import ConfigError, DataError, LeadapronError
from leadapron.targets import work as work_module
from leadapron.targets.collect import collect
from leadapron.targets.learner import Trained
from leadapron.targets.model_files import finished_models, model_file
from leadapron.targets.work import work, work_in_processes
from target_studies import Pretender, Watched, begin, claims_in, worker


@pytest.fixture(autouse=True)
def impatient(monkeypatch):
    monkeypatch.setattr(work_module, "POLL", 0.05)


def signals_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("signals*/*"))}


def trained_in(log: Path) -> Counter[int]:
    return Counter(int(line) for line in log.read_text().splitlines())


@pytest.mark.parametrize("together", [1, 3, 50])
def test_groups_of_any_size_give_the_same_signals(tmp_path, together):
    alone, grouped = begin(tmp_path / "a"), begin(tmp_path / "b")
    assert work(alone, Pretender()) == 8
    assert work(grouped, Pretender(together=together, log=tmp_path / "log")) == 8
    assert trained_in(tmp_path / "log") == Counter(range(8))
    collect(alone)
    collect(grouped)
    assert signals_in(alone.folder) == signals_in(grouped.folder)


def test_progress_counts_models(tmp_path):
    seen = []
    work(begin(tmp_path), Pretender(), progress=lambda *what: seen.append(what))
    assert seen == [("training models", done, 8) for done in range(9)]


def test_work_that_is_done_is_not_done_again(tmp_path):
    study = begin(tmp_path)
    work(study, Pretender())
    assert work(study, Pretender(log=tmp_path / "log")) == 0
    assert not (tmp_path / "log").exists()


def test_a_model_whose_file_is_removed_is_trained_again_at_once(tmp_path):
    study = begin(tmp_path)
    work(study, Pretender())
    model_file(study, 4).unlink()
    assert work(study, Pretender(log=tmp_path / "log")) == 1
    assert trained_in(tmp_path / "log") == Counter([4])


def test_a_learner_of_other_settings_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"strength is 1\.0 there and 3\.0 here"):
        work(begin(tmp_path), Pretender(strength=3.0))


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, DataError])
def test_what_ends_the_work_early_frees_the_claims(tmp_path, error):
    class Failing(Pretender):
        def train(self, members, seeds, *, progress=silent):
            if seeds[0] >= 4:
                raise error("no more")
            return super().train(members, seeds, progress=progress)

    study = begin(tmp_path)
    with pytest.raises(error):
        work(study, Failing(together=2))
    assert finished_models(study) == {0, 1, 2, 3}
    assert claims_in(tmp_path) == [f"{model:05d}.0" for model in range(4)], "a note of who trained which"


def test_answers_that_are_refused_free_the_claims_too(tmp_path):
    class Diverging(Pretender):
        def _one(self, members, seed):
            answer = super()._one(members, seed)
            return Trained({"full": answer.answers["full"] / (seed != 2)}, {})

    study = begin(tmp_path)
    with pytest.raises(DataError, match="model 2 gave a number"), pytest.warns(RuntimeWarning):
        work(study, Diverging(together=4))
    assert finished_models(study) == {0, 1}
    assert claims_in(tmp_path) == ["00000.0", "00001.0"]


def test_who_comes_back_after_a_long_stop_does_not_publish_again(tmp_path):
    """In the middle of its training the others find it stale, train its models, and finish."""
    study = begin(tmp_path)
    inodes = {}

    class Stopped(Pretender):
        def train(self, members, seeds, *, progress=silent):
            trained = super().train(members, seeds, progress=progress)
            for name in claims_in(tmp_path):
                os.utime(tmp_path / "claims" / name, (1, 1))
            assert work(study, Pretender()) == 8
            inodes.update({model: model_file(study, model).stat().st_ino for model in range(8)})
            return trained

    assert work(study, Stopped(together=3)) == 0
    assert {model: model_file(study, model).stat().st_ino for model in range(8)} == inodes
    assert "00000.1" in claims_in(tmp_path)


def test_what_others_train_is_waited_for_and_taken_over_when_they_are_gone(tmp_path):
    study = begin(tmp_path)
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "00003.0").write_text('{"host": "elsewhere", "machine": "another", "pid": 1}')
    waited = []

    def watch(_stage, done, _total):
        waited.append(done)
        if waited.count(7) == 3:  # nothing else is left, and it was waited for
            os.utime(tmp_path / "claims" / "00003.0", (1, 1))

    assert work(study, Pretender(log=tmp_path / "log"), progress=watch) == 8
    assert waited.count(7) >= 3
    assert trained_in(tmp_path / "log") == Counter(range(8))


# Killed for real


@pytest.fixture
def forks(monkeypatch):
    """Processes that are forked from one which has everything loaded, so that many can be killed in a short time."""
    monkeypatch.setenv("PYTHONPATH", str(Path(target_studies.__file__).parent), prepend=os.pathsep)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["target_studies"])
    return context


@pytest.mark.study
def test_two_processes_killed_again_and_again_train_every_model_once(tmp_path, forks):
    models, kills, rng = 40, 12, random.Random(5)
    quiet = begin(tmp_path / "quiet", models=models)
    work(quiet, Pretender())
    collect(quiet)
    study, log = begin(tmp_path / "killed", models=models), tmp_path / "log"
    first_seen: dict[int, tuple[int, int]] = {}

    def start():
        process = forks.Process(target=worker, args=(study.folder, log, 0.1))
        process.start()
        return process

    def look() -> None:
        for model in finished_models(study):
            status = model_file(study, model).stat()
            assert first_seen.setdefault(model, (status.st_ino, status.st_size)) == (status.st_ino, status.st_size)

    start_one = start()
    wait_until(lambda: log.exists())  # all is loaded
    processes = [start_one, start()]
    killed_at_work = 0
    try:
        for _ in range(kills):
            time.sleep(rng.uniform(0.05, 0.25))
            look()
            victim = processes.pop(rng.randrange(2))
            killed_at_work += victim.is_alive()
            victim.kill()
            victim.join()
            processes.append(start())
        for process in processes:
            process.join(60)
        assert [process.exitcode for process in processes] == [0, 0]
    finally:
        for process in processes:
            process.kill()
    look()
    assert killed_at_work >= 5, "else little was tested"
    assert finished_models(study) == set(range(models))
    assert not list(study.folder.glob("again-*")), "a model that was there was never trained again"
    counts = trained_in(log)
    assert set(counts) == set(range(models))
    # Who is killed between the end of a training and its file has trained for nothing; no other model is done twice.
    assert sum(counts.values()) - models <= killed_at_work
    collect(study)
    assert signals_in(study.folder) == signals_in(quiet.folder)


def wait_until(true) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def killed_while_writing(folder: Path, log: Path) -> None:
    def cut(stream, **arrays):
        whole(stream, **arrays)
        stream.truncate(100)
        stream.flush()
        os.kill(os.getpid(), signal.SIGKILL)

    whole, np.savez = np.savez, cut
    worker(folder, log, 0.0)


def test_killed_in_the_middle_of_writing_leaves_nothing_that_counts(tmp_path, forks):
    study = begin(tmp_path)
    process = forks.Process(target=killed_while_writing, args=(tmp_path, tmp_path / "log"))
    process.start()
    process.join(60)
    assert process.exitcode == -signal.SIGKILL
    (half,) = (tmp_path / "models").iterdir()
    assert half.name.startswith(".00000.npz.")
    assert finished_models(study) == set()
    os.utime(half, (1, 1))
    assert work(study, Pretender()) == 8
    assert not half.exists()
    assert claims_in(tmp_path)[:2] == ["00000.0", "00000.1"]


# Several processes by one command


@dataclass(frozen=True)
class Mortal(Watched):
    """The first that comes to train kills its process."""

    def train(self, members, seeds, *, progress=silent):
        try:
            (self.folder / "killed").mkdir()
        except FileExistsError:
            return super().train(members, seeds, progress=progress)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


def test_processes_share_the_work_and_a_killed_one_leaves_it_to_the_other(tmp_path):
    study = begin(tmp_path / "s", models=12)
    recipe = partial(Mortal, log=tmp_path / "log", folder=study.folder, together=50)
    seen = []
    assert work_in_processes(study, recipe, 50, 2, progress=lambda *what: seen.append(what)) == 1
    assert trained_in(tmp_path / "log") == Counter(range(12))
    assert {stage for stage, _, _ in seen} == {"training models"}
    assert not list(study.folder.glob("again-*"))
    assert len([name for name in claims_in(study.folder) if name.endswith(".1")]) == 6, "its share was taken over"


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
