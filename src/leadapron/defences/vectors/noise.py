"""Noise: every released vector is moved by a normal draw of its own, then brought back to length one."""

from __future__ import annotations

import math
import os

import numpy as np
from pydantic import Field
from scipy.special import ndtri

from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.vectors.defended import GROUP, Doubles, Floats, defended, vectors_of
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.privacy import Guarantee, gaussian_epsilon
from leadapron.release import Release
from leadapron.release.fitting import ON_TRUST, why_not_private
from leadapron.release.rows import distinct_rows, unit

DELTA = 1e-5
SENSITIVITY = 2.0
"""Vectors of length one are never farther apart."""
LARGEST_MEANINGFUL = 10.0
"""Above this ε an attacker may be e^10 times surer than before: a number, but no protection."""


class NoiseConfig(Config):
    length: float = Field(
        2.0,
        gt=0,
        description="Length of the noise, where a vector's is 1; more protects more.",
        json_schema_extra={"option": ["--length", "--strength"]},
    )
    seed: int | None = Field(
        None,
        ge=0,
        description="Draw the noise from a seed, for experiments: who knows it takes the noise off. "
        "[default: secret noise]",
        json_schema_extra={"on_card": False},
    )


def noise(release: Release, config: NoiseConfig, _progress: Progress) -> tuple[Release, DefenceCard]:
    """Normal noise about ``length`` times as long as the vector (which has length one), then length one again.

    The standard deviation of a coordinate is length / √dimensions: it depends on nothing in the data. Noise is drawn
    once for every image and once for every distinct text, so that equal texts stay equal. The prompts are public
    sentences and stay as they are.

    Without a ``seed`` the operating system's randomness is used, as a release should. With one, whoever learns the seed
    can take the noise off again; the card does not hold it.
    """
    seed = config.seed
    vectors = vectors_of(release)
    noised = {}
    for place, (side, rows) in enumerate(vectors.items()):
        first, number = distinct_rows(rows) if side == "text" else (np.arange(len(rows)),) * 2
        sigma = config.length / math.sqrt(rows.shape[1])
        draw = _normal((len(first), rows.shape[1]), None if seed is None else [seed, place])
        noised[side] = unit((rows[first] + sigma * draw).astype(np.float32))[number]
    drawn = "the operating system's randomness" if seed is None else "a seed, which is not written down here"
    guarantee = _guarantee(release, vectors, config.length, secret=seed is None)
    return defended(release, noised, None, NOISE.card(config, guarantee, noise_drawn_from=drawn))


def _normal(shape: tuple[int, int], seed: list[int] | None) -> Doubles:
    if seed is not None:
        return np.random.default_rng(seed).standard_normal(shape)
    bits = np.frombuffer(os.urandom(8 * shape[0] * shape[1]), dtype=np.uint64) >> np.uint64(11)
    normal: Doubles = ndtri((bits + 0.5) / 2.0**53).reshape(shape)
    return normal


NOISE = Defence(
    "noise", "move every vector by normal noise", "release", NoiseConfig, noise, group=GROUP, strength="length"
)


def _guarantee(release: Release, vectors: dict[str, Floats], length: float, *, secret: bool) -> Guarantee:
    if "image" not in vectors:
        return Guarantee("none", statement="No guarantee: equal texts stay equal, so noise hides no text among texts.")
    sigma = length / math.sqrt(vectors["image"].shape[1])
    # What was fitted on these patients, or grouped them, carries one patient into the vectors of others.
    if why := why_not_private(release.fitted, release.records):
        return Guarantee("none", statement=f"No guarantee: {why}.", details={"sigma": sigma, "refused": why})
    epsilon = gaussian_epsilon(DELTA, SENSITIVITY, sigma)
    details: dict[str, object] = {
        "sigma": sigma,
        "sensitivity": SENSITIVITY,
        "epsilon_of_an_image": epsilon,
        "delta": DELTA,
    }
    images = ""
    if "patient_id" in release.records.columns:
        most = int(release.records["patient_id"].value_counts()["count"].to_numpy().max())
        together = gaussian_epsilon(DELTA, SENSITIVITY * math.sqrt(most), sigma)
        details |= {"most_images_of_a_patient": most, "epsilon_of_all_images_of_that_patient": together}
        images = f" For the patient with the most images ({most}) it is ε = {together:.3g} for all of them together."
    promise = f"ε = {epsilon:.3g}, δ = {DELTA:g} for each image vector by itself (local differential privacy)"
    limits = (
        f"{images} The texts are not covered: noise is drawn once for each distinct text, so it shows which reports "
        "are the same, and an attacker who holds the reports encodes them without noise. Nor is the table of records "
        f"beside the vectors. {ON_TRUST} The proof is for real numbers; floating-point numbers are only near to them."
    )
    if not secret:
        why = "the noise was drawn from a seed, and whoever learns the seed takes it off again. Secret noise would give"
        return Guarantee("none", statement=f"No guarantee: {why} {promise}.", details=details)
    if epsilon > LARGEST_MEANINGFUL:
        why = f"the noise gives {promise}, which is too weak to mean anything (above {LARGEST_MEANINGFUL:g})"
        return Guarantee("none", statement=f"No guarantee worth the name: {why}.{limits}", details=details)
    statement = f"Proved: {promise}, against anybody, whatever they know.{limits}"
    return Guarantee("differential privacy", "record", epsilon, DELTA, statement, details)
