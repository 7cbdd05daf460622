"""What the cards of all models say together: how good they are, what they cost, what they promise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import DataError

Card = Mapping[str, object]
SPREAD = ("auroc", "auroc_train", "epochs", "seconds")
PRIVACY = ("epsilon", "delta", "level", "sigma", "clip", "rate", "steps")


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
