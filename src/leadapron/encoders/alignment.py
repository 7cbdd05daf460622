"""A shared space for two backbones that were never aligned: regularised canonical correlation, in closed form."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from leadapron.encoders.encoder import Floats, Heads
from leadapron.release import Layer, Projection

SHRINKAGE = 0.1
"""Share of a covariance that is replaced by a multiple of the identity: few pairs, many dimensions."""


def fit_alignment(image: Floats, text: Floats, dimension: int) -> Heads:
    """The linear maps under which paired features agree best, each direction weighted by how well it agrees."""
    image_mean, text_mean = image.mean(axis=0), text.mean(axis=0)
    x, y = (image - image_mean).astype(np.float64), (text - text_mean).astype(np.float64)
    x_whiten, y_whiten = _whitener(x), _whitener(y)
    left, agreement, right = linalg.svd(x_whiten.T @ (x.T @ y / len(x)) @ y_whiten, full_matrices=False)
    kept = min(dimension, len(agreement))
    # A direction may as well point the other way; its largest entry decides, not the rounding of the features.
    sign = np.sign(left[np.abs(left[:, :kept]).argmax(axis=0), np.arange(kept)])
    weight = np.sqrt(agreement[:kept])
    return Heads(
        image=_centred_map(x_whiten @ left[:, :kept] * (sign * weight), image_mean),
        text=_centred_map(y_whiten @ right[:kept].T * (sign * weight), text_mean),
    )


def _centred_map(directions: NDArray[np.float64], mean: Floats) -> Projection:
    """The features, less their mean, along the directions: the mean goes into the bias."""
    weight = directions.T.astype(np.float32)
    bias = -(weight.astype(np.float64) @ mean)  # of the rounded weights, so that the mean itself is mapped to zero
    return Projection((Layer("linear", {"weight": weight, "bias": bias.astype(np.float32)}),))


def _whitener(centred: NDArray[np.float64]) -> NDArray[np.float64]:
    """The symmetric inverse root of the shrunk covariance."""
    covariance = centred.T @ centred / len(centred)
    level = np.trace(covariance) / len(covariance) or 1.0  # features that never vary agree with nothing
    values, vectors = linalg.eigh((1 - SHRINKAGE) * covariance + SHRINKAGE * level * np.eye(len(covariance)))
    root: NDArray[np.float64] = (vectors / np.sqrt(values)) @ vectors.T
    return root
