"""The strangers that pairs are told apart from: features of public pairs, or draws from a private fit.

Nobody in the bank is protected, so it must not hold anybody who is to be.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import ConfigError, DataError
from leadapron.release import Release

Floats = NDArray[np.float32]
FEATURES = ("image_features", "text_features")


@dataclass(frozen=True)
class Bank:
    """Backbone features of strangers, image and text, and where they come from."""

    image: Floats
    text: Floats
    source: str


def public_bank(bank: Release, release: Release, size: int, seed: int, *, other_ids: bool = False) -> Bank:
    """``size`` pairs of a public release, drawn by the seed.

    ``other_ids`` says that equal patient ids name different people: two hospitals may both have a patient 17.
    """
    check_features(bank)
    for name in FEATURES:
        width, right = bank.arrays[name].shape[1], release.arrays[name].shape[1]
        if width != right:
            raise DataError(
                "the bank was encoded by another backbone",
                where=f"{bank.where}: {name}",
                got=f"{width} features",
                allowed=f"{right}, as in the release",
            )
    if not other_ids:
        _check_patients(bank, release)
    _check_images(bank, release)
    rows = np.random.default_rng(seed).permutation(len(bank))[:size]
    rows.sort()
    image, text = (np.ascontiguousarray(bank.arrays[name][rows]) for name in FEATURES)
    return Bank(image, text, f"{len(rows):,} public pairs")


def check_features(release: Release) -> None:
    """Heads are trained on what the backbones say; a release without that cannot be defended here."""
    missing = [name for name in FEATURES if name not in release.arrays]
    if missing:
        raise DataError(
            f"there are no {' and no '.join(missing)} in it, and heads are trained on them",
            where=release.where,
            got=", ".join(release.arrays),
            allowed=", ".join(FEATURES),
            fix="Encode the cohort again with --with-features.",
        )


def _check_patients(bank: Release, release: Release) -> None:
    if not all("patient_id" in side.records.columns for side in (bank, release)):
        return
    shared = set(bank.records["patient_id"]) & set(release.records["patient_id"])
    if shared:
        raise ConfigError(
            f"the bank shares {len(shared):,} patient ids with the release, and nobody in a bank is protected",
            where=bank.where,
            allowed="patients of another, public data set",
            fix="If these are other people who happen to have the same ids, say so with --bank-has-other-ids.",
        )


def _check_images(bank: Release, release: Release) -> None:
    """A patient may go by another id, but the same picture gives the same features.

    Texts are not compared: reports of normal findings are word for word the same in every hospital.
    """
    private = set(_row_keys(release.arrays["image_features"]))
    shared = [row for row, key in enumerate(_row_keys(bank.arrays["image_features"])) if key in private]
    if len(shared):
        raise ConfigError(
            f"{len(shared):,} images of the bank have the very features of an image of the release",
            where=bank.where,
            got=f"row {shared[0]}",
            allowed="patients of another, public data set",
            fix="Take a bank that shares no patient with the release.",
        )


def _row_keys(rows: Floats) -> list[bytes]:
    """A short key a row: equal for equal rows, and for no others."""
    return [hashlib.blake2b(np.ascontiguousarray(row).data, digest_size=16).digest() for row in rows]
