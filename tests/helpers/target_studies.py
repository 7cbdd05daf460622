"""Small studies and learners that train nothing: their answers follow from mask and seed, so every run must agree."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl

from leadapron.engine import silent
from leadapron.engine.pieces import Recipe, write_piece
from leadapron.targets.learner import FULL, LOGITS, Trained
from leadapron.targets.model_files import model_arrays, model_file, models_folder
from leadapron.targets.study import Origin, Study, model_of, open_study, read_study
from leadapron.targets.work import _models, train_models

LABELS = ("label_edema", "label_nodule")


def some_records(patients: int = 30, images: int = 2) -> pl.DataFrame:
    who = np.repeat(np.arange(patients), images)
    table = {"record_id": [f"r{at}" for at in range(len(who))], "patient_id": [f"p{number}" for number in who]}
    return pl.DataFrame({**table, LABELS[0]: who % 2, LABELS[1]: np.arange(len(who)) % 2})


@dataclass(frozen=True)
class Pretender:
    """Every training that comes to its end leaves a line in ``log``."""

    log: Path | None = None
    seconds: float = 0.0
    together: int = 1
    strength: float = 1.0
    answers_are: str = LOGITS
    labels: Sequence[str] = LABELS

    def train(self, members, seeds, *, progress=silent):  # noqa: ARG002
        time.sleep(self.seconds)
        trained = [self._one(row, seed) for row, seed in zip(members, seeds, strict=True)]
        if self.log is not None:
            for seed in seeds:
                with self.log.open("a") as stream:
                    stream.write(f"{model_of(seed)}\n")
        return trained

    def _one(self, members, seed):
        noise = np.random.default_rng(seed).normal(size=(len(members), len(self.labels)))
        logits = (noise + self.strength * members[:, None]).astype(np.float32)
        return Trained({FULL: logits, "cropped": logits / 2}, {"auroc": 0.5 + seed / 1e6, "seconds": 0.0})

    def describe(self):
        return {"strength": self.strength, "sizes": (3, 4)}


def begin(folder: Path, learner=None, *, models: int = 8, seed: int = 0, **changes) -> Study:
    said = {"kind": "pretended", "models": models, "seed": seed, "origin": Origin({"image.npy": "abc"}), **changes}
    return open_study(folder, learner or Pretender(), some_records(), **said)


def keep(study: Study, model: int, trained: Trained) -> bool:
    """As the work does it. Whether the file was made."""
    models_folder(study).mkdir(exist_ok=True)
    return write_piece(model_file(study, model), model_arrays(study, model, trained))


def pretending(config):
    """A recipe's maker; every process that is started by it makes the same models as the others."""
    study = read_study(Path(config["folder"]))
    learner = Pretender(Path(config["log"]), config["seconds"])
    return partial(_models, study, learner, silent)


def recipe(study: Study, log: Path, seconds: float = 0.0) -> Recipe:
    return Recipe("target_studies:pretending", {"folder": str(study.folder), "log": str(log), "seconds": seconds})


def worker(folder: Path, log: Path, seconds: float) -> None:
    """The main of a process that is made to be killed."""
    train_models(read_study(folder), Pretender(log=log, seconds=seconds))
