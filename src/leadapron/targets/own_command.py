"""Targets trained by somebody's own program: it is given who is in the model, and writes what the model says."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import log_softmax

from leadapron.cohort.labels import label_names
from leadapron.cohort.truth import labels_of
from leadapron.engine import Progress, atomic_path, silent
from leadapron.engine.ours import hidden_beside, remove_partials
from leadapron.engine.private import private_folder
from leadapron.errors import ConfigError, DataError, did_you_mean
from leadapron.release.release_folder import load_npy
from leadapron.targets.audited import CLASS
from leadapron.targets.learner import FULL, LOGITS, Learner, Trained, macro_auroc
from leadapron.targets.study import model_of

PLACES = ("mask", "records", "logits", "seed", "model")
NEEDED = ("mask", "logits")
WHERE = "--command"
LAST_LINES = 5
COMMANDS = "command"
"""Where in a study's folder the commands find and leave their files."""


def command_of(template: str, records: pl.DataFrame, folder: Path) -> Learner:
    """What runs ``template`` once a model, without a shell, on the audited ``records``; ``folder`` is the study's.

    What has to be written is a .npy file of logits, records by outputs, in the order of ``records.parquet``.
    """
    if CLASS not in records.columns and not label_names(records):
        raise DataError(
            "there are no labels, and logits without them say nothing of the true one",
            got=", ".join(records.columns),
            allowed="a column label, or one column label_* an output",
        )
    return _Command(template, parsed(template), records, folder.absolute())


def clear_commands(folder: Path) -> None:
    """Remove what killed commands have left in the study's folder, when all models are there."""
    if (commands := folder / COMMANDS).is_dir():
        remove_partials(commands)
        with suppress(OSError):  # somebody keeps other things there
            commands.rmdir()


@dataclass(frozen=True)
class _Command:
    template: str
    words: tuple[str, ...]
    records: pl.DataFrame
    folder: Path

    @property
    def together(self) -> int:
        return 1

    @property
    def answers_are(self) -> str:
        return LOGITS

    @property
    def labels(self) -> Sequence[str]:
        return label_names(self.records)

    def train(self, members: NDArray[np.bool_], seeds: Sequence[int], *, progress: Progress = silent) -> list[Trained]:  # noqa: ARG002
        return [self._run(row, seed) for row, seed in zip(members, seeds, strict=True)]

    def describe(self) -> dict[str, object]:
        """The words of the command; what lies behind them is not known, and a change of it not noticed."""
        return {"command": self.template}

    def _run(self, members: NDArray[np.bool_], seed: int) -> Trained:
        model = model_of(seed)
        # A name of its own: another process may be at the same model.
        place = private_folder(hidden_beside(self.folder / COMMANDS / f"{model:05d}"))
        try:
            mask = self.records.select("record_id").with_columns(member=pl.Series(members))
            with atomic_path(place / "mask.parquet", private=True) as path:
                mask.write_parquet(path)
            values = {
                "mask": place / "mask.parquet",
                "records": self.folder / "records.parquet",
                "logits": place / "logits.npy",
                "seed": seed,
                "model": model,
            }
            began = time.perf_counter()
            _call(filled(self.words, values), place / "said.txt", model)
            seconds = time.perf_counter() - began
            logits = _logits(place / "logits.npy", model, place / "said.txt")
            return Trained({FULL: logits}, {**self._diagnosis(logits, members), "seconds": seconds})
        finally:
            shutil.rmtree(place, ignore_errors=True)

    def _diagnosis(self, logits: NDArray[np.float32], members: NDArray[np.bool_]) -> dict[str, object]:
        """How good the model is for those whom it has not seen; nobody knows of other patients here."""
        signs = self._signs(logits.shape[-1])
        if logits.shape != signs.shape:  # wrong, and refused later
            return {"auroc": None}
        if not self.labels and logits.shape[1] > 1:  # only differences between the classes of a record mean something
            logits = log_softmax(logits, axis=1)
        return {
            "auroc": macro_auroc(logits[~members], signs[~members]),
            "auroc_train": macro_auroc(logits[members], signs[members]),
        }

    def _signs(self, outputs: int) -> NDArray[np.int8]:
        """1, -1, or 0 for unknown, of every label, or of every class against the others."""
        if self.labels:
            return labels_of(self.records, str(self.folder)).signs
        classes = np.arange(outputs) if outputs > 1 else np.ones(1)
        return np.where(self.records[CLASS].to_numpy()[:, None] == classes, 1, -1).astype(np.int8)


def _call(words: list[str], said: Path, model: int) -> None:
    try:
        with said.open("wb") as stream:
            code = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream, check=False).returncode
    except OSError as error:
        raise ConfigError(
            f"the command cannot be started ({error.strerror})", where="--command", got=words[0]
        ) from error
    if code:
        raise DataError(f"the command failed on model {model} with exit code {code}{_last_words(said)}")


def _logits(file: Path, model: int, said: Path) -> NDArray[np.float32]:
    """As records by outputs. The shape is checked with those of all learners."""
    if not file.is_file():
        raise DataError(f"the command ended well on model {model} but wrote no {{logits}}{_last_words(said)}")
    try:
        logits = np.array(load_npy(file))
    except DataError as error:
        raise DataError(f"what the command wrote for model {model} is not a .npy file of numbers ({error})") from error
    if logits.dtype.kind not in "fiu":
        raise DataError(f"the command wrote no numbers for model {model}", got=str(logits.dtype), allowed="floats")
    return logits[:, None] if logits.ndim == 1 else logits


def _last_words(said: Path) -> str:
    lines = [line.strip() for line in said.read_text(errors="replace").splitlines() if line.strip()]
    return f"; its last words: {' | '.join(lines[-LAST_LINES:])}" if lines else ""


def parsed(template: str) -> tuple[str, ...]:
    """The words of a command, checked: known places only, and those that no training can do without."""
    try:
        words = tuple(shlex.split(template))
    except ValueError as error:
        raise ConfigError(f"the command cannot be taken apart ({error})", where=WHERE, got=template) from error
    if not words:
        raise ConfigError("there is no command", where=WHERE, got=template)
    there = [name for word in words for name in re.findall(r"\{(\w+)\}", word)]
    for name in there:
        if name not in PLACES:
            raise ConfigError("unknown place to fill in", where=WHERE, got=name, allowed=did_you_mean(name, PLACES))
    for name in NEEDED:
        if name not in there:
            raise ConfigError(f"the command has no {{{name}}}", where=WHERE, got=template)
    return words


def filled(words: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """The words to run; a path with spaces stays one word."""
    return [re.sub(r"\{(\w+)\}", lambda place: str(values[place[1]]), word) for word in words]
