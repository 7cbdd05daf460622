"""A shared space for two backbones that were never aligned: regularised canonical correlation, in closed form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from leadapron.encoders.alignment_strength import Strength, choose_strength
from leadapron.encoders.encoder import Floats, Heads
from leadapron.encoders.paired_axes import Doubles, PairedAxes, pair_axes
from leadapron.release import Layer, Projection


@dataclass(frozen=True)
class Alignment:
    """Heads, and how strongly their covariances were shrunk."""

    heads: Heads
    strength: Strength


def fit_alignment(image: Floats, text: Floats, patients: Sequence[str], dimension: int) -> Alignment:
    """The linear maps under which paired features agree best, each direction weighted by how well it agrees.

    How much the covariances are shrunk is decided by held-out ones of these ``patients``.
    """
    with threadpool_limits(1, user_api="blas"):  # so that rounding is the same with any number of threads
        strength = choose_strength(image, text, patients, dimension)
        return Alignment(heads_at(pair_axes(image, text), strength.shrinkage, dimension), strength)


def heads_at(axes: PairedAxes, shrinkage: float, dimension: int) -> Heads:
    image, text = axes.maps(shrinkage, dimension)
    # A direction may as well point the other way; its largest entry decides, not the rounding of the features.
    sign = np.sign(image[np.abs(image).argmax(axis=0), np.arange(image.shape[1])])
    return Heads(_centred_map(image * sign, axes.image_mean), _centred_map(text * sign, axes.text_mean))


def _centred_map(directions: Doubles, mean: Doubles) -> Projection:
    """The features, less their mean, along the directions: the mean goes into the bias."""
    weight = directions.T.astype(np.float32)
    bias = -(weight.astype(np.float64) @ mean)  # of the rounded weights, so that the mean itself is mapped to zero
    return Projection((Layer("linear", {"weight": weight, "bias": bias.astype(np.float32)}),))
