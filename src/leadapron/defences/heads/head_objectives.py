"""What the heads are trained for: losses of a step's embeddings, example by example.

A loss against strangers is a sum over examples, each of which sees nobody else: only such losses can be trained
privately. Losses within a batch compare its examples with each other.

Prototypes keep what the findings need and drop what a pair alone shares. Each finding gets a direction of the shared
space, fixed beforehand, and there is one more that all share. A record's prototype points to the sum of the directions
of its findings and the common one. Image and text are both drawn to the prototype of their labels, and never to each
other: what the two share beyond the labels is not asked for. The share of an embedding outside of these directions is
cut off, in training and afterwards.

That much is a sum over examples and can be trained privately. What still links a pair then is that either side's error
tells something of the other side, as when a severe case is seen and said to be severe. An attacker who holds the words
encodes them without any defence, so it is not enough that the two embeddings disagree: training that is not private
also holds down the correlation of each embedding with what the *backbone* says of the other side (its principal
components), once the labels have explained what they can of both.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort import LABEL_COLUMNS
from leadapron.defences.heads.network import Network
from leadapron.defences.heads.strangers import Bank
from leadapron.engine.extras import Tensor, need
from leadapron.errors import ConfigError, DataError
from leadapron.privacy.poisson_sampling import Rows, Units
from leadapron.release import Layer, Projection, Release
from leadapron.release.heads import SIDES

PURPOSE = "training heads"
REFRESH = 4
"""Steps between two looks at the bank. It is a function of the heads alone, so it costs time but no privacy."""
DIRECTIONS_SEED = 14
COMPONENTS = 64
RIDGE = 1e-2
BLOCK = 8192
Floats = NDArray[np.float32]


class Objective(Protocol):
    """Scores the pairs of a step; ``rows`` are their places in the release."""

    def prepare(self, network: Network, step: int, /) -> None: ...

    def __call__(self, image: Tensor, text: Tensor, rows: NDArray[np.int64], /) -> Tensor: ...


class AgainstBank:
    """Public-bank InfoNCE."""

    def __init__(self, bank: Bank, temperature: float) -> None:
        torch = need("torch", PURPOSE)
        self._features = {"image": torch.from_numpy(bank.image), "text": torch.from_numpy(bank.text)}
        self._temperature = temperature
        self._embedded: dict[str, Tensor] = {}

    def prepare(self, network: Network, step: int) -> None:
        if step % REFRESH == 0:  # embed() without a tape follows no gradient: neither weights nor features ask for one
            self._embedded = {side: network.embed(side, rows) for side, rows in self._features.items()}

    def __call__(self, image: Tensor, text: Tensor, _rows: NDArray[np.int64]) -> Tensor:
        return bank_infonce(image, text, self._embedded["image"], self._embedded["text"], self._temperature)


class AgainstBatch:
    """In-batch InfoNCE as published, with an entropy term of either sign."""

    def __init__(self, temperature: float, entropy: float = 0.0) -> None:
        self._temperature, self._entropy = temperature, entropy

    def prepare(self, _network: Network, _step: int) -> None: ...

    def __call__(self, image: Tensor, text: Tensor, _rows: NDArray[np.int64]) -> Tensor:
        contrast = batch_infonce(image, text, self._temperature)
        if not self._entropy:
            return contrast
        return contrast + self._entropy * batch_entropy(image, text, self._temperature)


def bank_infonce(image: Tensor, text: Tensor, bank_image: Tensor, bank_text: Tensor, temperature: float) -> Tensor:
    """Each pair against a fixed bank of strangers: row i depends on pair i and the bank, and on no other pair."""
    own = (image * text).sum(1) / temperature
    against_texts = _one_against(own, image @ bank_text.T / temperature)
    against_images = _one_against(own, text @ bank_image.T / temperature)
    return (against_texts + against_images) / 2


def _one_against(own: Tensor, others: Tensor) -> Tensor:
    """−log of the share of the own score among all."""
    torch = need("torch", PURPOSE)
    return torch.logaddexp(own, others.logsumexp(1)) - own


def batch_infonce(image: Tensor, text: Tensor, temperature: float) -> Tensor:
    """Each pair against all others of the batch, as published: row i depends on every pair that was drawn."""
    scores = image @ text.T / temperature
    own = scores.diagonal()
    return (scores.logsumexp(1) + scores.logsumexp(0)) / 2 - own


def batch_entropy(image: Tensor, text: Tensor, temperature: float) -> Tensor:
    """How undecided each image is between the texts of the batch: −Σ p log p of its softmax."""
    scores = (image @ text.T / temperature).log_softmax(1)
    return -(scores.exp() * scores).sum(1)


class Prototypes:
    """The objective: every example's distance from its prototype, and what the backbones know of the other side."""

    def __init__(self, release: Release, units: Units, dimension: int, decorrelation: float) -> None:
        torch = need("torch", PURPOSE)
        values = labels_of(release)
        known = ~np.isnan(values)
        ones = np.ones((len(values), 1), dtype=np.float32)
        self._labels = torch.from_numpy(np.hstack([np.where(known, values, 0).astype(np.float32), ones]))
        self._known = torch.from_numpy(np.hstack([known.astype(np.float32), ones]))
        self._directions = torch.from_numpy(directions(values.shape[1] + 1, dimension))
        self._decorrelation = decorrelation
        self._backbones = {}
        if decorrelation:
            for side in SIDES:
                components = principal_components(release.arrays[f"{side}_features"], units.rows)
                self._backbones[side] = torch.from_numpy(components)

    def prepare(self, _network: Network, _step: int) -> None: ...

    def __call__(self, image: Tensor, text: Tensor, rows: Rows) -> Tensor:
        functional = need("torch.nn.functional", PURPOSE)
        labels, known = self._labels[rows].to(image.device), self._known[rows].to(image.device)
        prototypes = functional.normalize(labels, dim=1)
        directions = self._directions.to(image.device)
        sides = [embedding @ directions.T for embedding in (image, text)]
        losses = 2 - sum((functional.normalize(side * known, dim=1) * prototypes).sum(1) for side in sides)
        for side, other in zip(sides, reversed(SIDES), strict=True):
            if self._decorrelation:
                backbone = self._backbones[other][rows].to(image.device)
                losses = losses + self._decorrelation * residual_correlation(side, backbone, labels)
        return losses


def residual_correlation(embedding: Tensor, backbone: Tensor, labels: Tensor) -> Tensor:
    """Σ of the squared correlations between coordinates of both, once the labels are regressed out of them."""
    torch, functional = need("torch", PURPOSE), need("torch.nn.functional", PURPOSE)
    gram = labels.T @ labels + RIDGE * torch.eye(labels.shape[1], device=labels.device)

    def unexplained(rows: Tensor) -> Tensor:
        return functional.normalize(rows - labels @ torch.linalg.solve(gram, labels.T @ rows), dim=0)

    return (unexplained(functional.normalize(embedding, dim=1)).T @ unexplained(backbone)).square().sum()


def principal_components(features: Floats, training: Rows) -> Floats:
    """The leading components of the training rows' features at unit variance, for these rows; zeros elsewhere."""
    width = features.shape[1]
    total, squares = np.zeros(width), np.zeros((width, width))
    for start in range(0, len(training), BLOCK):
        part = features[training[start : start + BLOCK]].astype(np.float64)
        total += part.sum(axis=0)
        squares += part.T @ part
    mean = total / len(training)
    values, vectors = np.linalg.eigh(squares / len(training) - np.outer(mean, mean))
    there = values > 1e-9 * max(values[-1], 1e-30)
    scaled = (vectors[:, there] / np.sqrt(values[there]))[:, ::-1][:, :COMPONENTS]
    components = np.zeros((len(features), scaled.shape[1]), dtype=np.float32)
    for start in range(0, len(training), BLOCK):
        rows = training[start : start + BLOCK]
        components[rows] = (features[rows] - mean) @ scaled
    return components


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
