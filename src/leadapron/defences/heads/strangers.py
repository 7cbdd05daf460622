"""The strangers that pairs are told apart from: features of public pairs, or draws from a private fit.

Nobody in a public bank is protected, so it must not hold anybody who is to be. Where there is none, strangers are drawn
from a normal distribution that is fitted privately, by four Gaussian mechanisms, each on all patients at once and each
with an l2 sensitivity of 1 for a whole patient:

1. How long feature rows are. Each patient adds, on either side, 1/√2 to the bin of the power of two that the mean
   length of the patient's rows lies in. The radius of a side is the upper end of the bin below which nine tenths lie.
2. The mean. Rows are clipped to the radius and divided by it and by √2, so that image and text together have length 1
   at most; each patient adds the mean of these rows.
3. The second moments. Each patient adds the mean of the outer products of these rows, a matrix of Frobenius norm 1 at
   most; noise goes to the triangle and is mirrored.
4. How spread out the patients are. Each adds the mean squared length of these rows: one number, of which the noise
   takes far less than of the sum of a noisy diagonal.

Eigenvalues below the edge of the noise's own spectrum say nothing; what remains of the spread is divided evenly over
their directions, which keeps the covariance positive and the strangers about as spread out as the patients.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import ConfigError, DataError
from leadapron.privacy.poisson_sampling import Units
from leadapron.privacy.secret_noise import Noise
from leadapron.release import Release
from leadapron.release.rows import row_lengths

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
FEATURES = ("image_features", "text_features")
MECHANISMS = 4
OCTAVES = np.arange(-40, 41)
COVERED = 0.9
LEAST_SPREAD = 0.05
"""Of the squared length: strangers that are all the same would be none."""
BLOCK = 4096


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
            fix="`leadapron encode --with-features` keeps them. Of data of your own, put image_features.npy and "
            "text_features.npy beside the other arrays.",
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


def private_bank(release: Release, units: Units, size: int, sigma: float, noise: Noise) -> Bank:
    """``size`` strangers; the cost is ``MECHANISMS`` Gaussian mechanisms of noise ``sigma`` on all units."""
    radii = _radii(_noisy(length_counts(release, units), sigma, noise), sigma)
    total, squares = sums(release, units, radii)
    count = units.told
    mean = _noisy(total, sigma, noise) / count
    triangle = np.triu_indices(len(mean))
    noisy = np.zeros_like(squares)
    noisy[triangle] = _noisy(squares[triangle], sigma, noise) / count
    noisy = noisy + np.triu(noisy, 1).T
    length = max(float(_noisy(np.array([np.trace(squares)]), sigma, noise)[0]) / count, LEAST_SPREAD)
    centre = max(float(mean @ mean) - len(mean) * (sigma / count) ** 2, 0.0)  # without what the noise adds to it
    spread = max(length - centre, LEAST_SPREAD * length)
    edge = 2 * sigma * np.sqrt(len(mean)) / count
    values, vectors = spectrum(noisy - np.outer(mean, mean), edge, spread)
    normals = noise.normals(size * len(mean)).reshape(size, -1)
    strangers = mean + (normals * np.sqrt(values)) @ vectors.T
    widths = [release.arrays[name].shape[1] for name in FEATURES]
    image, text = np.split(strangers * np.sqrt(2), [widths[0]], axis=1)
    source = f"{size:,} strangers drawn from a private mean and covariance (sigma {sigma:.3g})"
    return Bank((image * radii[0]).astype(np.float32), (text * radii[1]).astype(np.float32), source)


def _noisy(total: Doubles, sigma: float, noise: Noise) -> Doubles:
    return total + sigma * noise.normals(total.size).reshape(total.shape)


def length_counts(release: Release, units: Units) -> Doubles:
    """Sides x octaves: how many patients' rows are of about this length, each patient with 1/√2 on either side."""
    counts = np.zeros((2, len(OCTAVES)))
    for side, name in enumerate(FEATURES):
        lengths = np.concatenate([row_lengths(rows) for rows in _blocks(release, name, units)])
        mean = np.add.reduceat(lengths, units.starts[:-1]) / np.diff(units.starts)
        octave = np.ceil(np.log2(np.maximum(mean, 2.0 ** OCTAVES[0])))
        places = (np.clip(octave, OCTAVES[0], OCTAVES[-1]) - OCTAVES[0]).astype(np.int64)
        counts[side] = np.bincount(places, minlength=len(OCTAVES)) / np.sqrt(2)
    return counts


def _radii(counts: Doubles, sigma: float) -> list[float]:
    """Of either side, the length that nine tenths of the patients stay below, read off noisy counts."""
    floor = 4 * sigma  # bins that hold nobody must not add up to somebody
    shares = np.where(counts > floor, counts, 0).cumsum(axis=1)
    return [
        float(2.0 ** OCTAVES[int(np.argmax(share >= COVERED * share[-1]))]) if share[-1] > 0 else 1.0
        for share in shares
    ]


def sums(release: Release, units: Units, radii: list[float]) -> tuple[Doubles, Doubles]:
    """Over all units, the mean of a unit's scaled rows, and of their outer products.

    In float64: the rounding of a large sum must not tell neighbours apart where the noise does not.
    """
    weights = np.repeat(1 / np.diff(units.starts), np.diff(units.starts))
    width = sum(release.arrays[name].shape[1] for name in FEATURES)
    total, squares = np.zeros(width), np.zeros((width, width))
    start = 0
    for image, text in zip(*(_blocks(release, name, units) for name in FEATURES), strict=True):
        rows = np.concatenate([_within(image, radii[0]), _within(text, radii[1])], axis=1) / np.sqrt(2)
        weight = weights[start : start + len(rows), None]
        total += (rows * weight).sum(axis=0)
        rows *= np.sqrt(weight)
        squares += rows.T @ rows
        start += len(rows)
    return total, squares


def _blocks(release: Release, name: str, units: Units) -> Iterator[Doubles]:
    """A side's training rows, unit by unit, in pieces."""
    for start in range(0, len(units.rows), BLOCK):
        yield release.arrays[name][units.rows[start : start + BLOCK]].astype(np.float64)


def _within(rows: Doubles, radius: float) -> Doubles:
    """Rows no longer than the radius, in units of it."""
    within: Doubles = rows / np.maximum(row_lengths(rows)[:, None], radius)
    return within


def spectrum(covariance: Doubles, edge: float, spread: float) -> tuple[Doubles, Doubles]:
    """Eigenvalues that the noise does not explain, and the rest of the spread evenly over all other directions."""
    values, vectors = np.linalg.eigh(covariance)
    known = values > edge
    rest = max(spread - float(values[known].sum()), 0.0)
    values = np.where(known, values, rest / max(int((~known).sum()), 1))
    return values, vectors
