"""The measurement of utility at the size of the study: the probe, the redrawn AUROC, and retrieval by label."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import polars as pl
from linkage import bare_product
from scipy.stats import rankdata

from leadapron.cohort import LABEL_COLUMNS
from leadapron.cohort.truth import Labels
from leadapron.release import Release
from leadapron.uses.auroc import Redraws, count_redraws, draw
from leadapron.uses.label_retrieval import label_retrieval
from leadapron.uses.linear_probe import fit_probes
from leadapron.uses.utility_audit import STRENGTHS

STUDY, TRAIN, WIDTH, PATIENTS, REDRAWS = 43_793, 40_000, 128, 12_419, 1000


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def embeddings(count: int, seed: int = 0) -> tuple[np.ndarray, Labels]:
    """Rows of a few strong directions and many weak ones, with labels as rare as real ones along them."""
    rng = np.random.default_rng(seed)
    mixing = np.random.default_rng(99).standard_normal((24, WIDTH))
    rows = rng.standard_normal((count, 24)) @ mixing + 0.3 * rng.standard_normal((count, WIDTH))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    directions = np.random.default_rng(98).standard_normal((WIDTH, len(LABEL_COLUMNS)))
    logits = 3 * rows @ directions + np.linspace(-5, -1, len(LABEL_COLUMNS))
    truth = rng.random(logits.shape) < 1 / (1 + np.exp(-logits))
    return rows.astype(np.float32), Labels(tuple(LABEL_COLUMNS), truth.astype(np.int8))


def ranked_anew(scores: np.ndarray, labels: Labels, redraws: Redraws, row: int) -> list[float]:
    """One redraw as one writes it down: take the records that were drawn, rank them, sum the positives' ranks."""
    drawn = np.repeat(np.arange(len(scores)), redraws.weights[row][redraws.cluster])
    areas = []
    for at in range(len(labels.names)):
        truth = labels.truth[drawn, at] == 1
        positives = truth.sum()
        ranks = rankdata(scores[drawn, at])
        areas.append((ranks[truth].sum() - positives * (positives + 1) / 2) / (positives * (len(truth) - positives)))
    return areas


def rows() -> list[tuple[str, str]]:
    images, labels = embeddings(TRAIN)
    fit_probes(images[:500], labels.rows(np.arange(500)), (1.0,))
    fitted = min(seconds(lambda: fit_probes(images, labels, STRENGTHS)) for _ in range(2))

    test, truth = embeddings(STUDY, 1)
    scores = fit_probes(images, labels, (0.01,))[0].logits(test)
    patient = np.random.default_rng(2).integers(0, PATIENTS, STUDY)
    found = [
        (
            f"linear probe, {TRAIN:,} x {WIDTH}, {len(labels.names)} labels, {len(STRENGTHS)} strengths, one core",
            f"{fitted:.1f} s",
        )
    ]
    for unit, who in (("patients", patient), ("records", np.arange(STUDY))):
        few = draw(who[:100], 10, 0)
        count_redraws(scores[:100], truth.rows(np.arange(100)), few)
        drawn = min(seconds(lambda who=who: draw(who, REDRAWS, 0)) for _ in range(2))
        redraws = draw(who, REDRAWS, 0)
        counted = min(seconds(lambda redraws=redraws: count_redraws(scores, truth, redraws)) for _ in range(2))
        found.append(
            (
                f"AUROC, {STUDY:,} x {len(labels.names)} labels x {REDRAWS:,} redraws of {unit}",
                f"{drawn + counted:.1f} s (at most 10 wanted)",
            )
        )
    alone = seconds(lambda: [ranked_anew(scores, truth, redraws, row) for row in range(1, 6)]) / 5 * REDRAWS
    found.append(("the same by ranking every redraw, extrapolated from 5", f"{alone:,.0f} s"))

    records = pl.DataFrame({"record_id": [str(row) for row in range(STUDY)]})
    release = Release(records, {"image": test, "text": np.roll(test, 1, axis=0)})
    small = Release(records[:200], {"image": test[:200], "text": test[:200]})
    label_retrieval(small, truth.rows(np.arange(200)), patient[:200])
    bare = min(seconds(lambda: bare_product(release.image, release.text)) for _ in range(2))
    retrieved = min(seconds(lambda: label_retrieval(release, truth, patient)) for _ in range(2))
    found.append(
        (
            f"retrieval by label, {STUDY:,} images among as many reports",
            f"{retrieved:.1f} s, {retrieved / bare:.2f} times a bare product",
        )
    )
    return found


if __name__ == "__main__":
    for what, measured in rows():
        print(f"{what}: {measured}")
