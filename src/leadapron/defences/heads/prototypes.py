"""Heads that keep what the findings need and drop what a pair alone shares.

Each finding gets a direction of the shared space, fixed beforehand, and there is one more that all share. A record's
prototype points to the sum of the directions of its findings and the common one. Image and text are both drawn to the
prototype of their labels, and never to each other: what the two share beyond the labels is not asked for. The share of
an embedding outside of these directions is cut off, in training and afterwards.

That much is a sum over examples and can be trained privately. What then still links a pair is how the errors of both
sides agree, as when a severe case is seen and said to be severe. Training that is not private also holds down the
correlation of the residuals, which is what is left of either side when the labels have explained what they can.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort import LABEL_COLUMNS
from leadapron.defences.heads.extras import Tensor, need
from leadapron.defences.heads.network import Network
from leadapron.errors import ConfigError, DataError
from leadapron.release import Layer, Projection, Release

PURPOSE = "training heads"
DIRECTIONS_SEED = 14
RIDGE = 1e-2
Floats = NDArray[np.float32]


class Prototypes:
    """The objective: every example's distance from its prototype, and the correlation of residuals."""

    def __init__(self, release: Release, dimension: int, decorrelation: float) -> None:
        torch = need("torch", PURPOSE)
        values = labels_of(release)
        known = np.isin(values, (0.0, 1.0))
        count = len(values)
        ones = np.ones((count, 1), dtype=np.float32)
        self._labels = torch.from_numpy(np.hstack([np.where(known, values, 0).astype(np.float32), ones]))
        self._known = torch.from_numpy(np.hstack([known.astype(np.float32), ones]))
        self._directions = torch.from_numpy(directions(values.shape[1] + 1, dimension))
        self._decorrelation = decorrelation

    def prepare(self, _network: Network, _step: int) -> None: ...

    def __call__(self, image: Tensor, text: Tensor, rows: NDArray[np.int64]) -> Tensor:
        functional = need("torch.nn.functional", PURPOSE)
        labels, known = self._labels[rows], self._known[rows]
        prototypes = functional.normalize(labels, dim=1)
        sides = [embedding @ self._directions.T for embedding in (image, text)]
        losses = 2 - sum((functional.normalize(side * known, dim=1) * prototypes).sum(1) for side in sides)
        if self._decorrelation:
            losses = losses + self._decorrelation * residual_correlation(sides[0], sides[1], labels)
        return losses


def residual_correlation(image: Tensor, text: Tensor, labels: Tensor) -> Tensor:
    """Σ of the squared correlations between both sides' coordinates, once the labels are regressed out of them."""
    torch, functional = need("torch", PURPOSE), need("torch.nn.functional", PURPOSE)
    gram = labels.T @ labels + RIDGE * torch.eye(labels.shape[1])
    fit = labels @ torch.linalg.solve(gram, labels.T)
    residuals = []
    for side in (image, text):
        rows = functional.normalize(side, dim=1)
        residuals.append(functional.normalize(rows - fit @ rows, dim=0))
    return (residuals[0].T @ residuals[1]).square().sum()


def labels_of(release: Release) -> Floats:
    """The findings that the release knows, a column each; NaN where a record's is unknown."""
    columns = [column for column in LABEL_COLUMNS if column in release.records.columns]
    if not columns:
        raise DataError(
            "prototypes need labels, and the release has no column of a finding",
            where=release.where,
            got=", ".join(release.records.columns),
            allowed="one or more of " + ", ".join(LABEL_COLUMNS),
        )
    return release.records.select(columns).cast(pl.Float32).fill_null(float("nan")).to_numpy()


def directions(count: int, dimension: int) -> Floats:
    """Orthogonal directions of length one, the same for everybody."""
    if count > dimension:
        raise ConfigError(
            "the shared space is too narrow for a direction a finding",
            where="prototype",
            got=f"{dimension} dimensions",
            allowed=f"{count} or more",
        )
    normals = np.random.default_rng(DIRECTIONS_SEED).standard_normal((dimension, count))
    return np.ascontiguousarray(np.linalg.qr(normals)[0].T, dtype=np.float32)


def cut_off(heads: Mapping[str, Projection], findings: int) -> dict[str, Projection]:
    """The heads with their last layer turned into the directions of the findings: nothing else comes out."""
    kept = directions(findings + 1, heads["image"].outputs)
    projector = kept.T @ kept
    return {side: _cut(head, projector) for side, head in heads.items()}


def _cut(head: Projection, projector: Floats) -> Projection:
    last = head.layers[-1]
    if last.kind != "linear":
        return Projection((*head.layers, Layer("linear", {"weight": projector})))
    turned = {name: np.ascontiguousarray(projector @ tensor) for name, tensor in last.tensors.items()}
    return Projection((*head.layers[:-1], Layer("linear", turned)))
