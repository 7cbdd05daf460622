"""One file per model: what it says of every record, who it was trained on, its card, and the study that it is of."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.targets.audited import CLASS
from leadapron.targets.learner import FULL, LOGITS, Trained
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


def model_arrays(study: Study, model: int, trained: Trained) -> dict[str, NDArray[np.generic]]:
    """What a model's file holds."""
    answers = checked_answers(study, model, trained)
    arrays: dict[str, NDArray[np.generic]] = {f"{VIEW}{view}": array for view, array in answers.items()}
    arrays["members"] = np.packbits(study.members[model])
    arrays["card"] = np.array(json.dumps(dict(trained.card), allow_nan=False))
    arrays["study"] = np.array(study.fingerprint)
    return arrays


def read_model(study: Study, model: int) -> Trained:
    """What ``model_arrays`` gave; anything else is refused by name."""
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


def checked_answers(study: Study, model: int, trained: Trained) -> dict[str, NDArray[np.float32]]:
    """The answers as they are kept; refused where an audit of them would be wrong."""
    if FULL not in trained.answers:
        raise DataError(f"model {model} was not asked about whole records", got=", ".join(trained.answers))
    with np.errstate(over="ignore"):  # too large for the file is infinite, and said so below
        answers = {view: np.asarray(array).astype(np.float32) for view, array in trained.answers.items()}
    for view, array in answers.items():
        _check_shape(study, model, view, array)
        finite = np.isfinite(array).reshape(len(array), -1).all(axis=1)
        if not finite.all():
            raise DataError(
                f"model {model} gave a number that is infinite or none at all, in the view {view!r}",
                got=f"row {int(finite.argmin())} of the audited records",
                fix="Training diverged: try a lower learning rate.",
            )
    return answers


def _check_shape(study: Study, model: int, view: str, array: NDArray[np.float32]) -> None:
    records = len(study.records)
    if study.key["answers"] != LOGITS:
        fits, outputs = array.shape == (records,), ""
    else:
        fits = array.ndim == 2 and len(array) == records
        if study.labels:
            fits, outputs = fits and array.shape[1] == len(study.labels), f" x {len(study.labels)} labels"
        else:
            # One output will do for two classes: it is the logit of the second.
            fewest = int(study.records[CLASS].max()) + 1  # type: ignore[arg-type]
            fits = fits and (array.shape[1] >= max(fewest, 2) or (array.shape[1] == 1 and fewest <= 2))
            outputs = f" x {fewest} classes"
    if not fits:
        raise DataError(
            f"the answers of model {model} have another shape, in the view {view!r}",
            got=array.shape,
            allowed=f"{records} records{outputs}",
        )
