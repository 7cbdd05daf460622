"""A worker: claims models, trains them, leaves their files, until none is left to train."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from leadapron.engine import Progress, silent
from leadapron.engine.private import private_folder
from leadapron.engine.processes import run_processes
from leadapron.errors import ConfigError
from leadapron.targets.learner import Learner
from leadapron.targets.model_files import finished_models, models_folder, write_model
from leadapron.targets.queue import Queue, sweep
from leadapron.targets.study import Study, as_read_back, first_difference, read_study

POLL = 2.0
STAGE = "training models"


def work(study: Study, learner: Learner, *, most: int | None = None, progress: Progress = silent) -> int:
    """Train what nobody else does, and wait for the others: at the end all models are there. How many were ours?

    ``most`` is how many models are claimed at once, if fewer than the learner likes. Whatever ends the work early,
    its claims are free again: at once if this process can still say so, and else as soon as it is found to be gone.
    """
    _check_learner(study, learner)
    sweep(private_folder(models_folder(study)))
    trained = 0
    with open_queue(study) as queue:
        sweep(study.folder / "claims")
        while True:
            finished = len(finished_models(study))
            progress(STAGE, finished, study.models)
            if finished == study.models:
                return trained
            if not (claims := queue.take(min(learner.together, most or learner.together))):
                time.sleep(POLL)
                continue
            models = [claim.model for claim in claims]
            seeds = [study.seed_of(model) for model in models]
            for claim, model in zip(
                claims, learner.train(study.members[models], seeds, progress=progress), strict=True
            ):
                if queue.holds(claim):
                    trained += write_model(study, claim.model, model)
                queue.finish(claim)


def work_in_processes(
    study: Study, recipe: Callable[[], Learner], together: int, jobs: int, *, progress: Progress = silent
) -> int:
    """The same in several processes; ``recipe`` makes the learner in each of them. How many came to the end?"""
    share = min(together, -(-study.models // jobs))
    task = partial(_work_elsewhere, study.folder, recipe, share)
    return run_processes(task, jobs, watch=lambda: progress(STAGE, len(finished_models(study)), study.models))


def open_queue(study: Study) -> Queue:
    return Queue(study.folder / "claims", study.models, partial(finished_models, study))


def _work_elsewhere(folder: Path, recipe: Callable[[], Learner], most: int) -> None:
    work(read_study(folder), recipe(), most=most)


def _check_learner(study: Study, learner: Learner) -> None:
    """A process on another machine may have other libraries, and its learner be another one."""
    difference = first_difference(study.key["learner"], as_read_back(learner.describe()))
    if difference is not None:
        name, there, here = difference
        raise ConfigError(f"the learner is not that of the study: {name} is {there!r} there and {here!r} here")
