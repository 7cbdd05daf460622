"""The writer that needs nothing but NumPy: an image is mapped among reports, and the nearest training report is copied.

A linear map leads from the features of a frozen encoder to the words of reports (weighted by rarity, as some numbers
each). It says no sentence of its own, so it is the baseline, and what it writes is somebody's report.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError
from leadapron.reports.report_vectors import report_vectors
from leadapron.writing.image_memory import ImageMemory
from leadapron.writing.scores.finding_f1 import FindingF1
from leadapron.writing.writer import Bytes, Pairs, Trained, Writer, WriterSettings, WriterSpec

Doubles = NDArray[np.float64]

NUMBERS = 128
"""Of a report."""
STRENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0)
"""Of the penalty, relative to the variance of a feature; one is chosen on held-out patients."""
USUAL = 0.1
FOLDS = 5
"""Parts of the patients, each held out in turn."""
UNUSED = ("epochs", "batch", "learning_rate", "longest")


@dataclass(frozen=True)
class LinearMap:
    """From features to the place among reports."""

    centre: Doubles
    scale: Doubles
    weights: Doubles
    mean: Doubles

    def __call__(self, features: Doubles) -> Doubles:
        placed: Doubles = (features - self.centre) / self.scale @ self.weights + self.mean
        return placed


@dataclass(frozen=True)
class RidgeWriter:
    """The reports that it knows, where they lie, and the map that leads there."""

    memory: ImageMemory
    leads: LinearMap
    reports: tuple[str, ...]
    places: Doubles

    def write(self, images: Bytes, *, begin: str = "", progress: Progress = silent) -> list[str]:
        """With ``begin``, the nearest of the reports that start so; nothing but these words where none does."""
        known = [row for row, report in enumerate(self.reports) if report.startswith(begin)]
        if not known:
            return [begin] * len(images)
        sought = self.leads(self.memory.features(images, progress=progress).astype(np.float64))
        return [self.reports[known[row]] for row in nearest(sought, self.places[known])]


@dataclass(frozen=True)
class RidgeTrainer:
    memory: ImageMemory

    def untrained(self) -> Writer | None:
        """It knows no report before it has learnt."""
        return None

    def train(
        self,
        pairs: Pairs,
        *,
        seed: int,
        checkpoint: Path | None = None,  # noqa: ARG002 (it takes a second)
        progress: Progress = silent,
    ) -> Trained:
        features = self.memory.features(pairs.images, progress=progress).astype(np.float64)
        places = report_vectors(pairs.reports, NUMBERS).astype(np.float64)
        strength = _chosen(features, places, pairs, seed)
        writer = RidgeWriter(self.memory, fit_map(features, places, (strength,))[0], pairs.reports, places)
        return Trained(writer, notes=(f"The strength of the ridge is {strength:g}, chosen on held-out patients.",))


def _open(_name: str, settings: WriterSettings) -> RidgeTrainer:
    if given := [name for name in UNUSED if getattr(settings, name) is not None]:
        option = f"--{given[0].replace('_', '-')}"
        raise ConfigError("the writer ridge has no such setting", where=option, fix="Leave it out.")
    return RidgeTrainer(ImageMemory(settings.encoder, settings.device))


def fit_map(features: Doubles, places: Doubles, strengths: tuple[float, ...]) -> list[LinearMap]:
    """The ridge of every strength, by one decomposition."""
    centre, scale, mean = features.mean(axis=0), features.std(axis=0), places.mean(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    rows = (features - centre) / scale
    values, vectors = np.linalg.eigh(rows.T @ rows)
    across = vectors.T @ (rows.T @ (places - mean))
    fitted = []
    for strength in strengths:
        shrunk = across / (np.maximum(values, 0.0) + strength * len(rows))[:, None]
        fitted.append(LinearMap(centre, scale, vectors @ shrunk, mean))
    return fitted


def _chosen(features: Doubles, places: Doubles, pairs: Pairs, seed: int) -> float:
    """The strength with which most findings are right in what is written for held-out patients."""
    names, owner = np.unique(pairs.patients, return_inverse=True)
    if len(names) < FOLDS:
        return USUAL
    fold = np.random.default_rng(seed).permutation(len(names))[owner] % FOLDS
    score, reports = FindingF1(), np.array(pairs.reports, dtype=object)
    sums = np.zeros((len(STRENGTHS), score.statistics(["."], ["."]).shape[1]))
    for number in range(FOLDS):
        out = fold == number
        for row, leads in enumerate(fit_map(features[~out], places[~out], STRENGTHS)):
            written = reports[~out][nearest(leads(features[out]), places[~out])]
            sums[row] += score.statistics(list(written), list(reports[out])).sum(axis=0)
    return STRENGTHS[int(np.argmax(score.value(sums)))]


def nearest(sought: Doubles, places: Doubles) -> NDArray[np.int64]:
    """The row of ``places`` in the most similar direction; the first of equals."""
    found: NDArray[np.int64] = np.argmax(_unit(sought) @ _unit(places).T, axis=1)
    return found


def _unit(rows: Doubles) -> Doubles:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    turned: Doubles = rows / np.where(lengths > 0, lengths, 1.0)
    return turned


RIDGE = WriterSpec("copies the nearest training report, found by a linear map; needs no torch", _open)
