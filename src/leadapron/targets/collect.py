"""From the files of all models to the folders that the membership audit reads, and the card of the study."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadapron import __version__
from leadapron.attacks.membership.reading import CARD as SIGNALS_CARD
from leadapron.engine import Progress, atomic_folder, atomic_path, sha256, silent
from leadapron.engine.ours import remove_partials
from leadapron.errors import ConfigError, DataError
from leadapron.targets.learner import FULL, Trained
from leadapron.targets.model_files import model_file, read_model
from leadapron.targets.own_command import clear_commands
from leadapron.targets.study import DAMAGED, MEMBERS, RECORDS, SPLIT, Study

CARD, PROFILE = "targets.json", "profile.npy"
SPREAD = ("auroc", "auroc_train", "epochs", "seconds")
PRIVACY = ("epsilon", "delta", "level", "sigma", "clip", "rate", "steps")

Shape = tuple[int, ...]
Card = Mapping[str, object]


def signals_folder(study: Study, view: str = FULL) -> Path:
    return study.folder / ("signals" if view == FULL else f"signals-{view}")


def collect(study: Study, *, progress: Progress = silent) -> dict[str, object]:
    """The signals of every view, the privacy profile if there is one, and the card, when all models are there.

    Every file is checked each time; signals that are there already are left as they are.
    """
    views: dict[str, Shape] = {}
    cards = []
    for model in range(study.models):
        trained = read_model(study, model)
        views = views or _shapes(trained)
        if _shapes(trained) != views:
            raise DataError(
                "the model was asked in other ways than the first one, or has other outputs",
                where=model_file(study, model),
                got=_shapes(trained),
                allowed=str(views),
                fix=DAMAGED,
            )
        cards.append(trained.card)
        progress("checking models", model + 1, study.models)
    for view, shape in views.items():
        _write_signals(study, view, shape, progress)
    profile = promised_profile(cards)
    if profile is not None:
        with atomic_path(study.folder / PROFILE, private=True) as path, path.open("wb") as stream:
            np.save(stream, profile)
    card = {"leadapron": __version__, "study": dict(study.key), "views": list(views), **summary_of(cards)}
    with atomic_path(study.folder / CARD, private=True) as path:
        path.write_text(json.dumps(card, indent=1))
    clear_commands(study.folder)
    remove_partials(study.folder)
    return card


def _shapes(trained: Trained) -> dict[str, Shape]:
    return {view: array.shape for view, array in sorted(trained.answers.items())}


def _write_signals(study: Study, view: str, shape: Shape, progress: Progress) -> None:
    """A folder for the audit, written a model at a time, so that memory stays small."""
    target = signals_folder(study, view)
    if target.exists():
        return
    try:
        with atomic_folder(target, private=True) as partial:
            for name in (MEMBERS, RECORDS):
                shutil.copyfile(study.folder / name, partial / name)
            file, whole = partial / f"{study.key['answers']}.npy", (study.models, *shape)
            array = np.lib.format.open_memmap(file, mode="w+", dtype=np.float32, shape=whole)
            for model in range(study.models):
                array[model] = read_model(study, model).answers[view]
                array.flush()
                progress(f"collecting {target.name}", model + 1, study.models)
            del array
            card = {"leadapron": __version__, "made_from": study.key["made_from"]}
            card["sha256"] = {path.name: sha256(path) for path in sorted(partial.iterdir())}
            if study.key.get("verified") is False:
                card["source_verified"] = False
            if study.split:
                card[SPLIT] = study.split
            (partial / SIGNALS_CARD).write_text(json.dumps(card, indent=1))
    except (ConfigError, OSError):
        if not target.is_dir():  # else another process has collected the same, and was faster
            raise


def summary_of(cards: Sequence[Card]) -> dict[str, object]:
    """Mean, spread and extremes of what was measured of every model, and the privacy that all have alike."""
    found: dict[str, object] = {name: _spread(name, cards) for name in SPREAD}
    private = cards[0].get("epsilon") is not None
    found["privacy"] = {name: cards[0][name] for name in PRIVACY if name in cards[0]} if private else None
    return found


def promised_profile(cards: Sequence[Card]) -> NDArray[np.float64] | None:
    """Two rows, epsilons and deltas, that hold for every model; None where nothing is promised."""
    profiles = [card.get("profile") for card in cards]
    if all(profile is None for profile in profiles):
        return None
    if any(profile is None for profile in profiles):
        without = profiles.index(None)
        raise DataError(f"some models promise privacy and model {without} does not")
    stacked = np.array(profiles, dtype=np.float64)
    if not (stacked[:, 0] == stacked[0, 0]).all():
        raise DataError("the privacy profiles of the models are at different epsilons")
    return np.stack([stacked[0, 0], stacked[:, 1].max(axis=0)])


def _spread(name: str, cards: Sequence[Card]) -> dict[str, object] | None:
    values = [value for card in cards if isinstance(value := card.get(name), int | float)]
    if not values:
        return None
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    return {
        "mean": float(np.mean(values)),
        "sd": spread,
        "min": float(min(values)),
        "max": float(max(values)),
        "models": values,
    }
