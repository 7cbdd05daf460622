"""The defences of the release itself, by name. A new one is a function and a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from leadapron.defences.vectors.dimensions import dimensions
from leadapron.defences.vectors.microaggregate import microaggregate
from leadapron.defences.vectors.noise import noise
from leadapron.defences.vectors.prototypes import prototypes
from leadapron.defences.vectors.quantise import quantise
from leadapron.defences.vectors.subspace import subspace
from leadapron.errors import ConfigError, did_you_mean
from leadapron.release import Release


class Defend(Protocol):
    """A release in, a new one out; ``fitted_on`` takes the place of the training patients where something is fitted."""

    def __call__(
        self, release: Release, strength: float, *, seed: int | None = None, fitted_on: Release | None = None
    ) -> Release: ...


@dataclass(frozen=True)
class VectorDefence:
    """A defence with one dial."""

    summary: str
    strength: str
    """What the dial means, and which way it turns."""
    default: float
    defend: Defend


VECTOR_DEFENCES: dict[str, VectorDefence] = {
    "subspace": VectorDefence(
        "keep only what a vector says about the labelled findings",
        "directions kept, 1 to the number of labels; fewer protect more",
        8,
        subspace,
    ),
    "prototypes": VectorDefence(
        "release, for each report, a stand-in that many patients share: k-anonymity of reports",
        "patients that share a stand-in at least (k), from 2; more protect more",
        20,
        prototypes,
    ),
    "microaggregate": VectorDefence(
        "release means of groups of patients: k-anonymity",
        "patients in a group at least (k), from 2; more protect more",
        5,
        microaggregate,
    ),
    "noise": VectorDefence(
        "move every vector by normal noise",
        "length of the noise, where a vector's is 1; more protects more",
        2,
        noise,
    ),
    "dimensions": VectorDefence(
        "keep only the first principal directions",
        "directions kept; fewer protect more",
        8,
        dimensions,
    ),
    "quantise": VectorDefence(
        "round every coordinate",
        "bits a coordinate, 1 to 8; fewer protect more",
        1,
        quantise,
    ),
}


def find_vector_defence(name: str) -> VectorDefence:
    if name not in VECTOR_DEFENCES:
        raise ConfigError("unknown defence", where="--method", got=name, allowed=did_you_mean(name, VECTOR_DEFENCES))
    return VECTOR_DEFENCES[name]
