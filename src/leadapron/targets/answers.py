"""What a training gave, held against what was asked for, before it is kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.targets.audited import CLASS
from leadapron.targets.learner import FULL, LOGITS, Trained
from leadapron.targets.study import Study


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
