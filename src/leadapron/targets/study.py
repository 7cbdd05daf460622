"""The study: what is trained on whom, written down before the first model, so that all who join do the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron import __version__
from leadapron.attacks.membership.signals import number_patients
from leadapron.engine import atomic_path
from leadapron.engine.once import write_once
from leadapron.engine.ours import is_partial
from leadapron.errors import ConfigError, DataError
from leadapron.release.release_folder import load_npy, read_table
from leadapron.targets.audited import balanced_masks
from leadapron.targets.learner import Learner

FORMAT = 1
CARD, MEMBERS, RECORDS = "study.json", "members.npy", "records.parquet"
MOST_MODELS = 100_000
SPLIT = "split"
"""Stands among the inputs of a study where the source names no split: other sides make other models."""
DAMAGED = "Remove the file and run the same command again."


@dataclass(frozen=True)
class Study:
    """A folder, the ``key`` that says all about it, whose models are whose, and the audited records."""

    folder: Path
    key: Mapping[str, object]
    members: NDArray[np.bool_]
    records: pl.DataFrame

    @property
    def models(self) -> int:
        return len(self.members)

    @property
    def labels(self) -> list[str]:
        labels = self.key["labels"]
        assert isinstance(labels, list)
        return labels

    @property
    def split(self) -> str:
        """How the records came to their sides, where nothing else says so."""
        inputs = self.key["inputs"]
        assert isinstance(inputs, dict)
        return str(inputs.get(SPLIT, ""))

    @property
    def fingerprint(self) -> str:
        """By which a model's file is known to be of this study."""
        return fingerprint_of(self.key)

    def seed_of(self, model: int) -> int:
        """Of its own for every model of every study, and small: it may be handed to somebody's own program."""
        return int(str(self.key["seed"])) * MOST_MODELS + model


def model_of(seed: int) -> int:
    """The model that a seed was made for."""
    return seed % MOST_MODELS


@dataclass(frozen=True)
class Origin:
    """What the models are trained on: the hashes of its files, and whether these were checked when they were read.

    ``made_from`` are ids, the nearest first: of what the models are trained on, and of what that was made from.
    """

    inputs: Mapping[str, str]
    made_from: Sequence[str] = ()
    verified: bool = True


def open_study(
    folder: Path,
    learner: Learner,
    records: pl.DataFrame,
    *,
    kind: str,
    models: int,
    seed: int,
    origin: Origin,
) -> Study:
    """Begin the study in ``folder``, or join it if it is the same; another one is refused.

    Any number of processes may call this at once. The key is there first and decides; the other files follow from it,
    so whoever misses one writes it.
    """
    if models > MOST_MODELS:
        raise ConfigError("too many models", got=models, allowed=f"{MOST_MODELS:,} at most")
    patients, _ = number_patients(records)
    members = balanced_masks(patients, models, seed)
    wanted = as_read_back(
        {
            "leadapron": __version__,
            "format": FORMAT,
            "kind": kind,
            "learner": learner.describe(),
            "answers": learner.answers_are,
            "labels": list(learner.labels),
            "models": models,
            "seed": seed,
            "records": len(records),
            "patients": int(patients.max()) + 1,
            "inputs": dict(origin.inputs),
            "made_from": list(origin.made_from),
            **({} if origin.verified else {"verified": False}),
        }
    )
    card = folder / CARD
    if not card.exists():
        _check_empty(folder)
        text = json.dumps(wanted, indent=1).encode()
        write_once(card, lambda stream: stream.write(text))
    difference = first_difference(_read_key(folder), wanted)
    if difference is not None:
        name, there, asked = difference
        raise ConfigError(
            f"another study is in this folder: {name} is {there!r} there and {asked!r} here",
            where=card,
            fix="Choose another place, remove the folder, or give the settings that it was begun with.",
        )
    _keep(folder, members, records)
    return read_study(folder)


def read_study(folder: Path) -> Study:
    """A study that was begun; the masks are mapped and not loaded."""
    return Study(folder, _read_key(folder), load_npy(folder / MEMBERS), read_table(folder / RECORDS))


def _keep(folder: Path, members: NDArray[np.bool_], records: pl.DataFrame) -> None:
    if not (folder / MEMBERS).exists():
        with atomic_path(folder / MEMBERS, private=True) as path, path.open("wb") as stream:
            np.save(stream, members)
    if not (folder / RECORDS).exists():
        with atomic_path(folder / RECORDS, private=True) as path:
            records.write_parquet(path)
    if not np.array_equal(load_npy(folder / MEMBERS), members):
        raise DataError("not the masks that this study was begun with", where=folder / MEMBERS, fix=DAMAGED)
    if not read_table(folder / RECORDS).equals(records):
        raise DataError("not the records that this study was begun with", where=folder / RECORDS, fix=DAMAGED)


def _check_empty(folder: Path) -> None:
    """What is half-written is another process's that begins the same study at this moment."""
    found = sorted(path.name for path in folder.iterdir() if not is_partial(path)) if folder.is_dir() else []
    if found and not (folder / CARD).exists():
        raise ConfigError(
            "the folder holds something else than a study",
            where=folder,
            got=", ".join(found[:3]),
            allowed="a new or empty folder, or a study to go on with",
        )


def _read_key(folder: Path) -> dict[str, object]:
    try:
        key = json.loads((folder / CARD).read_text())
    except ValueError as error:
        raise DataError(f"the file is not valid JSON ({error})", where=folder / CARD) from error
    if not isinstance(key, dict):
        raise DataError("not a study", where=folder / CARD, got=key)
    return key


def as_read_back(key: Mapping[str, object]) -> dict[str, object]:
    """The key as it comes out of a file: tuples are lists then. What a file cannot hold is an error here."""
    plain: dict[str, object] = json.loads(json.dumps(key, allow_nan=False))
    return plain


def fingerprint_of(key: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()


def first_difference(there: object, wanted: object, name: str = "") -> tuple[str, object, object] | None:
    """The first key whose values differ, with both of them; keys within keys are joined by a dot."""
    if isinstance(there, Mapping) and isinstance(wanted, Mapping):
        for key in [*wanted, *(key for key in there if key not in wanted)]:
            inner = f"{name}.{key}" if name else str(key)
            if found := first_difference(there.get(key), wanted.get(key), inner):
                return found
        return None
    return None if there == wanted else (name, there, wanted)
