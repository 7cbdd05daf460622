"""A trained network as plain data: ``network.safetensors`` and ``card.json``, as ``leadapron train identity`` has it.

A defence of a model needs its tensors and not the code that runs them, so torch is not needed either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file

from leadapron import __version__
from leadapron.engine import atomic_folder, sha256
from leadapron.engine.hashes import check_hashes
from leadapron.errors import DataError

WEIGHTS, CARD = "network.safetensors", "card.json"
CHANGED = "Train the model again, or pass --no-verify to take it as it is."


@dataclass(frozen=True)
class Model:
    """Tensors by name, and the card of what they are and how they came about."""

    tensors: Mapping[str, NDArray[Any]]
    card: Mapping[str, object] = field(default_factory=dict)
    where: str = "model"

    def __post_init__(self) -> None:
        if not self.tensors:
            raise DataError("there is no tensor in it", where=self.where)


def read_model(folder: Path, *, verify: bool = True) -> Model:
    """A model with its card, in which ``sha256`` holds the hash of its file as it is."""
    if not (folder / CARD).is_file() or not (folder / WEIGHTS).is_file():
        raise DataError("this is not the folder of a model", where=folder, allowed=f"{WEIGHTS} and {CARD}")
    try:
        card = json.loads((folder / CARD).read_text())
        recorded = {WEIGHTS: card["sha256"]}
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"the card cannot be read ({error})", where=folder / CARD) from error
    if verify:
        check_hashes(folder, recorded, [WEIGHTS], where=folder / CARD, fix=CHANGED)
    try:
        tensors = load_file(folder / WEIGHTS)
    except (SafetensorError, OSError) as error:
        raise DataError(f"the tensors cannot be read ({error})", where=folder / WEIGHTS) from error
    return Model(tensors, {**card, "sha256": {WEIGHTS: sha256(folder / WEIGHTS)}}, str(folder))


def write_model(model: Model, folder: Path, *, overwrite: bool = False) -> None:
    """The folder, whole or not at all, for its owner's eyes alone: a model may have learnt patients by heart."""
    with atomic_folder(folder, overwrite=overwrite, private=True) as partial:
        save_file({name: np.asarray(tensor, order="C") for name, tensor in model.tensors.items()}, partial / WEIGHTS)
        card = {**model.card, "leadapron": __version__, "sha256": sha256(partial / WEIGHTS)}
        (partial / CARD).write_text(json.dumps(card, indent=1))
