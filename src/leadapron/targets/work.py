"""The models of a study as pieces of work: a model is a file, made from its number, its mask and its seed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from leadapron.engine import Progress, silent
from leadapron.engine.executors import Executor, Here
from leadapron.engine.pieces import Made, Make, Piece, Plain, Recipe, Work
from leadapron.engine.private import private_folder
from leadapron.errors import ConfigError
from leadapron.targets.learner import Learner
from leadapron.targets.model_files import model_arrays, model_file, models_folder
from leadapron.targets.study import Study, as_read_back, first_difference, read_study
from leadapron.targets.target_kinds import Request, learner_of, request_of

STAGE = "training models"


def train_models(
    study: Study,
    learner: Learner,
    executor: Executor = Here(),  # noqa: B008 (frozen, and it holds nothing)
    recipe: Recipe | None = None,
    *,
    progress: Progress = silent,
) -> None:
    """Until all models are there. With a ``recipe`` processes that share nothing but files can train them, too."""
    _check_learner(study, learner)
    private_folder(models_folder(study))
    pieces = tuple(Piece(model_file(study, model).absolute(), model) for model in range(study.models))
    here = partial(_models, study, learner, progress)
    executor.run(Work(STAGE, pieces, here, recipe, learner.together), progress=progress)


def recipe_of(request: Request) -> Recipe:
    return Recipe(f"{__name__}:trainer", request.plain())


def trainer(config: Mapping[str, Plain]) -> Make:
    """Trains the models of a study that others have opened."""
    request = request_of(config)
    study, learner = read_study(request.folder), learner_of(request)
    _check_learner(study, learner)
    return partial(_models, study, learner, silent)


def _models(study: Study, learner: Learner, progress: Progress, numbers: Sequence[Plain]) -> Iterator[Made]:
    models = [number for number in numbers if isinstance(number, int)]
    seeds = [study.seed_of(model) for model in models]
    for model, trained in zip(models, learner.train(study.members[models], seeds, progress=progress), strict=True):
        yield model_arrays(study, model, trained)


def _check_learner(study: Study, learner: Learner) -> None:
    """A process on another machine may have other libraries, and its learner be another one."""
    difference = first_difference(study.key["learner"], as_read_back(learner.describe()))
    if difference is not None:
        name, there, here = difference
        raise ConfigError(f"the learner is not that of the study: {name} is {there!r} there and {here!r} here")
