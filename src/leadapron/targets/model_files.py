"""One file a model: what it says of every record, who it was trained on, its card, and the study that it is of."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.once import write_once
from leadapron.errors import DataError
from leadapron.targets.answers import checked_answers
from leadapron.targets.learner import Trained
from leadapron.targets.study import DAMAGED, Study

VIEW = "answers."
BROKEN = (OSError, ValueError, KeyError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error)
"""What the readers of archives raise on one that is cut short or has other bytes in it."""


def models_folder(study: Study) -> Path:
    return study.folder / "models"


def model_file(study: Study, model: int) -> Path:
    return models_folder(study) / f"{model:05d}.npz"


def finished_models(study: Study) -> set[int]:
    """The models that are there. Listing the folder makes a network file system look anew."""
    folder = models_folder(study)
    names = os.listdir(folder) if folder.is_dir() else []  # noqa: PTH208
    return {int(name.removesuffix(".npz")) for name in names if name.removesuffix(".npz").isdecimal()}


def write_model(study: Study, model: int, trained: Trained) -> bool:
    """Whether this call made the file; one that is there is never replaced."""
    answers = checked_answers(study, model, trained)
    arrays: dict[str, NDArray[np.generic]] = {f"{VIEW}{view}": array for view, array in answers.items()}
    arrays["members"] = np.packbits(study.members[model])
    arrays["card"] = np.array(json.dumps(dict(trained.card), allow_nan=False))
    arrays["study"] = np.array(study.fingerprint)
    return write_once(model_file(study, model), lambda stream: np.savez(stream, **arrays))  # type: ignore[arg-type]


def read_model(study: Study, model: int) -> Trained:
    """What ``write_model`` wrote; anything else is refused by name."""
    file = model_file(study, model)
    try:
        arrays = _read(file)
        members, card = arrays.pop("members"), json.loads(str(arrays.pop("card")))
        key = str(arrays.pop("study"))
        answers = {name.removeprefix(VIEW): array.astype(np.float32) for name, array in arrays.items()}
    except BROKEN as error:
        raise DataError(f"the model's file is damaged ({error})", where=file, fix=DAMAGED) from error
    if key != study.fingerprint:
        raise DataError("the model is of another study", where=file, fix=DAMAGED)
    if not np.array_equal(members, np.packbits(study.members[model])):
        raise DataError("the model was trained on others than its masks say", where=file, fix=DAMAGED)
    trained = Trained(answers, card)
    try:
        checked_answers(study, model, trained)
    except DataError as error:
        raise DataError(f"{error} {DAMAGED}", where=file) from error
    return trained


def _read(file: Path) -> dict[str, NDArray[np.generic]]:
    with zipfile.ZipFile(file) as archive:
        if (wrong := archive.testzip()) is not None:
            raise ValueError(f"other bytes than were written in {wrong}")
    with np.load(file, allow_pickle=False) as arrays:
        return {name: arrays[name] for name in arrays.files}
