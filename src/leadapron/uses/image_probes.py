"""Probes on images: a logistic head on an encoder's features, learnt from real images and from released ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.cohort.truth import Labels
from leadapron.engine.remembered import content, remembered
from leadapron.errors import DataError
from leadapron.uses.auroc import auroc
from leadapron.uses.image_scores import AGREEMENT, REAL, RELEASED
from leadapron.uses.linear_probe import Probe, fit_probes

Floats = NDArray[np.float32]
Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

STRENGTHS = (1e-1, 1e-2, 1e-3, 1e-4)


@dataclass(frozen=True)
class Rows:
    """Rows of records by side."""

    train: Ints
    validate: Ints
    test: Ints

    @property
    def key(self) -> str:
        return content(self.train, self.validate, self.test)


def probed(released: Floats, real: Floats, labels: Labels, rows: Rows) -> dict[str, Doubles]:
    """Scores of the test records by method. Undefended, all three are one."""
    with threadpool_limits(1, user_api="blas"):
        of_real = remembered(real, ("probe", rows.key, content(labels.truth)), lambda: _learn(real, labels, rows))
        scores = {REAL: of_real.logits(real[rows.test])}
        if released is real:
            return {RELEASED: scores[REAL], AGREEMENT: scores[REAL], **scores}
        of_released = _learn(released, labels, rows)
        scores[RELEASED] = of_released.logits(real[rows.test])
        scores[AGREEMENT] = of_real.logits(released[rows.test])
        return scores


def _learn(features: Floats, labels: Labels, rows: Rows) -> Probe:
    """The strength is chosen on images of the kind that is learnt from: who receives released ones has no others."""
    probes = fit_probes(features[rows.train], labels.rows(rows.train), STRENGTHS)
    held = labels.rows(rows.validate)
    judged = np.flatnonzero(held.both_classes()) if len(rows.validate) else np.zeros(0, dtype=np.int64)
    if not len(judged):
        return probes[len(probes) // 2]
    means = [auroc(probe.logits(features[rows.validate]), held)[judged].mean() for probe in probes]
    return probes[int(np.argmax(means))]


def learnable(labels: Labels, rows: Rows, where: str) -> Labels:
    """The labels with both classes among training and test records."""
    kept = np.flatnonzero(labels.rows(rows.train).both_classes() & labels.rows(rows.test).both_classes())
    if not len(kept):
        got, allowed = ", ".join(labels.names) or "no labels", "a label with both classes in train and test"
        raise DataError("no finding can be learnt and judged", where=where, got=got, allowed=allowed)
    return labels.columns(kept)
