"""What every defence of vectors shares: the sides it finds, what it is fitted on, and the release that it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from leadapron.defences.guarantee import Guarantee
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release
from leadapron.release.fitting import ELSEWHERE, OTHER, Fitting, fitted_to
from leadapron.release.heads import SIDES
from leadapron.release.rows import unit

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]


def vectors_of(release: Release) -> dict[str, Floats]:
    """The embeddings of each side that the release has, at length one. Features are not among them."""
    found = {side: unit(release.arrays[side]) for side in SIDES if side in release.arrays}
    if not found:
        raise DataError(
            "there are no embeddings to defend",
            where=release.where,
            got=", ".join(release.arrays),
            allowed="image, text",
        )
    return found


def fitting_part(release: Release, fitted_on: Release | None, method: str) -> tuple[Release, tuple[Fitting, ...]]:
    """What a defence learns from, and that it did: another release, or the training patients of this one.

    Through the vectors of another release it also learns from whomever those were fitted on. Its own fit comes last.
    """
    if fitted_on is None:
        if "split" not in release.records.columns:
            raise DataError(
                "a defence that is fitted needs training patients, and the release has no column 'split'",
                where=release.where,
                fix="Fit it on another release instead (--fitted-on).",
            )
        train = release.of_split("train")
        return train, (fitted_to("defence", method, train.records, release.records),)
    for side, rows in vectors_of(release).items():
        if side not in fitted_on.arrays or fitted_on.arrays[side].shape[1] != rows.shape[1]:
            raise ConfigError(
                f"the release to fit on has no {side} embeddings of the same width",
                where=fitted_on.where,
                got=", ".join(f"{name} x {array.shape[1]}" for name, array in fitted_on.arrays.items()),
                allowed=f"{side} x {rows.shape[1]}, from the same encoder",
            )
    behind = (one.for_release(release.records) for one in fitted_on.fitted if one.on != ELSEWHERE)
    return fitted_on, (*behind, fitted_to("defence", method, fitted_on.records, release.records, on=OTHER))


def whole_number(strength: float, what: str, *, least: int, most: int, reason: str) -> int:
    """A strength that counts something."""
    if not (least <= strength <= most and float(strength).is_integer()):
        raise ConfigError(
            f"not a number of {what}", where="--strength", got=strength, allowed=f"{least} to {most}, {reason}"
        )
    return int(strength)


def defended(
    release: Release,
    vectors: Mapping[str, Floats],
    prompts: Callable[[Floats], Floats] | None,
    *,
    method: str,
    strength: float,
    guarantee: Guarantee,
    facts: Mapping[str, object],
    fitted: tuple[Fitting, ...] = (),
) -> Release:
    """The release with new vectors, without the features and heads from which the old ones could be made again.

    ``prompts`` is what became of texts, as a function of their vectors at length one; None leaves the prompts alone.
    ``fitted`` is what the defence itself adds to what was fitted before.
    """
    said: dict[str, object] = {"kind": "vectors", "method": method, "strength": float(strength), **facts}
    if "defence" in release.card:  # one after the other: the card tells all of them
        said["before"] = release.card["defence"]
    said["guarantee"] = guarantee.as_dict()
    asked = {}
    if "text" in release.prompts:
        at_length_one = unit(release.prompts["text"])
        asked["text"] = prompts(at_length_one) if prompts else at_length_one
    card = {**release.card, "defence": said}
    return replace(release, arrays=dict(vectors), card=card, heads={}, prompts=asked, fitted=(*release.fitted, *fitted))
