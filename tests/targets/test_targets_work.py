"""The models of a study: each trained once, whoever is killed or refuses, and the same signals in the end."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import target_studies
from leadapron.engine import silent
from leadapron.engine.crew import Processes
from leadapron.engine.executors import Here, Part
from leadapron.errors import ConfigError, DataError, PartDoneError
from leadapron.targets.collect import collect
from leadapron.targets.learner import Trained
from leadapron.targets.model_files import finished_models, model_file
from leadapron.targets.work import train_models
from target_studies import Pretender, begin, recipe


def signals_in(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.glob("signals*/*"))}


def trained_in(log: Path) -> Counter[int]:
    return Counter(int(line) for line in log.read_text().splitlines())


@pytest.fixture(scope="module")
def quiet(tmp_path_factory) -> dict[str, bytes]:
    """The signals of a study that nobody has disturbed."""
    study = begin(tmp_path_factory.mktemp("quiet"))
    train_models(study, Pretender())
    collect(study)
    return signals_in(study.folder)


@pytest.mark.parametrize("together", [1, 3, 50])
def test_groups_of_any_size_give_the_same_signals(tmp_path, together, quiet):
    study = begin(tmp_path / "s")
    train_models(study, Pretender(together=together, log=tmp_path / "log"))
    assert trained_in(tmp_path / "log") == Counter(range(8))
    collect(study)
    assert signals_in(study.folder) == quiet


def test_processes_and_parts_give_the_same_signals(tmp_path, quiet):
    study, log = begin(tmp_path / "s"), tmp_path / "log"
    for number, executor in ((2, Here()), (1, Processes(2))):
        with pytest.raises(PartDoneError, match=rf"part {number} of 2 is done"):
            train_models(study, Pretender(log=log), Part(number, 2, executor), recipe(study, log))
    assert trained_in(log) == Counter(range(8))
    train_models(study, Pretender(log=log))
    collect(study)
    assert signals_in(study.folder) == quiet


def test_progress_counts_models(tmp_path):
    seen = []
    train_models(begin(tmp_path), Pretender(), progress=lambda *what: seen.append(what))
    assert seen == [("training models", done, 8) for done in range(9)]


def test_work_that_is_done_is_not_done_again_and_what_was_removed_is(tmp_path):
    study, log = begin(tmp_path), tmp_path / "log"
    train_models(study, Pretender())
    train_models(study, Pretender(log=log))
    assert not log.exists()
    model_file(study, 4).unlink()
    train_models(study, Pretender(log=log))
    assert trained_in(log) == Counter([4])


def test_a_learner_of_other_settings_is_refused(tmp_path):
    with pytest.raises(ConfigError, match=r"strength is 1\.0 there and 3\.0 here"):
        train_models(begin(tmp_path), Pretender(strength=3.0))


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, DataError])
def test_what_ends_the_work_early_keeps_what_is_finished(tmp_path, error):
    class Failing(Pretender):
        def train(self, members, seeds, *, progress=silent):
            if seeds[0] >= 4:
                raise error("no more")
            return super().train(members, seeds, progress=progress)

    study = begin(tmp_path)
    with pytest.raises(error):
        train_models(study, Failing(together=2))
    assert finished_models(study) == {0, 1, 2, 3}


def test_answers_that_are_refused_keep_those_before_them(tmp_path):
    class Diverging(Pretender):
        def _one(self, members, seed):
            answer = super()._one(members, seed)
            return Trained({"full": answer.answers["full"] / (seed != 2)}, {})

    study = begin(tmp_path)
    with pytest.raises(DataError, match="model 2 gave a number"), pytest.warns(RuntimeWarning):
        train_models(study, Diverging(together=4))
    assert finished_models(study) == {0, 1}


def test_who_comes_back_after_a_long_stop_changes_nothing(tmp_path):
    """In the middle of its training another one trains its models, and finishes."""
    study, inodes = begin(tmp_path), {}

    class Stopped(Pretender):
        def train(self, members, seeds, *, progress=silent):
            trained = super().train(members, seeds, progress=progress)
            if not inodes:
                train_models(study, Pretender())
                inodes.update({model: model_file(study, model).stat().st_ino for model in range(8)})
            return trained

    train_models(study, Stopped(together=3))
    assert {model: model_file(study, model).stat().st_ino for model in range(8)} == inodes


KILLED_WHILE_WRITING = """
import os, signal, sys
from pathlib import Path
import numpy as np
from target_studies import worker

def cut(stream, **arrays):
    whole(stream, **arrays)
    stream.truncate(100)
    stream.flush()
    os.kill(os.getpid(), signal.SIGKILL)

whole, np.savez = np.savez, cut
worker(Path(sys.argv[1]), Path(sys.argv[1]) / "log", 0.0)
"""


def test_killed_in_the_middle_of_writing_leaves_nothing_that_counts(tmp_path, quiet):
    study = begin(tmp_path)
    here = Path(target_studies.__file__).parent
    killed = subprocess.run([sys.executable, "-c", KILLED_WHILE_WRITING, tmp_path], cwd=here, check=False)
    assert killed.returncode == -signal.SIGKILL
    (half,) = (tmp_path / "models").iterdir()
    assert half.name.startswith(".00000.npz.")
    assert finished_models(study) == set()
    (tmp_path / "log").unlink(missing_ok=True)
    train_models(study, Pretender())
    assert not half.exists()
    collect(study)
    assert signals_in(study.folder) == quiet
