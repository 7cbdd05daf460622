"""What every defence of vectors shares: the sides it finds, what it is fitted on, and the release that it returns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from leadapron.defences.defence import DefenceCard
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, with_split
from leadapron.release.fitting import ELSEWHERE, OTHER, Fitting, fitted_to
from leadapron.release.heads import SIDES
from leadapron.release.rows import unit

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

GROUP = "vectors"
FITTED_ON = Field(
    None,
    description="Another release of the same encoder to fit on. [default: the training patients of this one]",
)


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


def fitting_part(
    release: Release, fitted_on: Release | None, method: str
) -> tuple[Release, Release, tuple[Fitting, ...]]:
    """The release, what a defence of it learns from, and that it did: another release, or its own training patients.

    If those are not named, the release is returned with a split that names them. Through the vectors of another release
    the defence also learns from whomever those were fitted on. Its own fit comes last.
    """
    if fitted_on is None:
        release = with_split(release)
        train = release.of_split("train")
        return release, train, (fitted_to("defence", method, train.records, release.records),)
    for side, rows in vectors_of(release).items():
        if side not in fitted_on.arrays or fitted_on.arrays[side].shape[1] != rows.shape[1]:
            raise ConfigError(
                f"the release to fit on has no {side} embeddings of the same width",
                where=fitted_on.where,
                got=", ".join(f"{name} x {array.shape[1]}" for name, array in fitted_on.arrays.items()),
                allowed=f"{side} x {rows.shape[1]}, from the same encoder",
            )
    behind = (one.for_release(release.records) for one in fitted_on.fitted if one.on != ELSEWHERE)
    return release, fitted_on, (*behind, fitted_to("defence", method, fitted_on.records, release.records, on=OTHER))


def check_at_most(directions: int, most: int, reason: str) -> None:
    if directions > most:
        what, allowed = "there are not so many directions", f"1 to {most}, {reason}"
        raise ConfigError(what, where="directions", got=directions, allowed=allowed)


def defended(
    release: Release,
    vectors: Mapping[str, Floats],
    prompts: Callable[[Floats], Floats] | None,
    card: DefenceCard,
    fitted: tuple[Fitting, ...] = (),
) -> tuple[Release, DefenceCard]:
    """The release with new vectors, without the features and heads from which the old ones could be made again.

    ``prompts`` is what became of texts, as a function of their vectors at length one; None leaves the prompts alone.
    ``fitted`` is what the defence itself adds to what was fitted before.
    """
    asked = {}
    if "text" in release.prompts:
        at_length_one = unit(release.prompts["text"])
        asked["text"] = prompts(at_length_one) if prompts else at_length_one
    changed = replace(release, arrays=dict(vectors), heads={}, prompts=asked, fitted=(*release.fitted, *fitted))
    return changed, card
