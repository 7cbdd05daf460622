"""The identity audit at ChestX-ray14's size against a bare matrix product and against what its users would run."""

from __future__ import annotations

import warnings

import faiss
import numpy as np
import torch
from linkage import bare_product, peak_memory, seconds
from pytorch_metric_learning.utils.accuracy_calculator import AccuracyCalculator

from leadapron.attacks.identity.gallery import Gallery, pairs_of
from leadapron.attacks.identity.grid import grid_over
from leadapron.attacks.identity.levels import find_levels
from leadapron.attacks.identity.retrieval import average_precision, best_of, found_within
from leadapron.attacks.identity.roc import placements
from leadapron.attacks.identity.scores import InnerProducts, cosines
from leadapron.attacks.identity.screened_standing import standing_of
from leadapron.attacks.identity.sweep import Field, Segment, sweep
from leadapron.attacks.identity.verification import VerificationCounter
from leadapron.engine import worker_count

PATIENTS, IMAGES, WIDTH = 30_805, 112_120, 128
MOST = 184
"""Images of the patient with the most of them in ChestX-ray14."""
SAMPLE = 8_192
"""Queries that the peers are given; their time is extrapolated to all."""


def clinic(patients: int, images: int, noise: float = 1.6, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Embeddings sorted by patient; half of the patients have one image, a few have very many."""
    rng = np.random.default_rng(seed)
    weight = rng.pareto(1.3, patients)
    sizes = np.clip(1 + np.floor(weight * (images - patients) / weight.sum()), 1, MOST).astype(int)
    while (missing := images - sizes.sum()) > 0:
        np.add.at(sizes, rng.choice(np.flatnonzero(sizes < MOST), missing), 1)
        sizes = np.minimum(sizes, MOST)
    who = np.repeat(np.arange(patients), sizes)
    own = rng.standard_normal((patients, WIDTH), dtype=np.float32)
    rows = own[who] + np.float32(noise) * rng.standard_normal((len(who), WIDTH), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True), who


def prepared(rows: np.ndarray, who: np.ndarray) -> tuple[InnerProducts, Field, np.ndarray, np.ndarray]:
    """The scores, who meets whom, and every same-patient pair."""
    sizes = np.bincount(who)
    stop = np.cumsum(sizes)
    gallery = Gallery(None, rows, who, (stop - sizes)[who], stop[who])
    whole = slice(0, len(rows))
    return cosines(rows), Field([Segment(whole, whole)], gallery.own_start, gallery.own_stop), *pairs_of(gallery)


def lists(rows: np.ndarray, who: np.ndarray) -> tuple[float, float, float]:
    """mAP@R, R-precision and precision@1."""
    scores, field, first, second = prepared(rows, who)
    score = scores.of_pairs(first, second)
    group, both = np.concatenate([first, second]), np.concatenate([score, score])
    standing = standing_of(scores, field, find_levels(group, both, len(rows)))
    average, share = average_precision(standing)
    return average.mean(), share.mean(), found_within(best_of(standing, field.strangers), 1).mean()


def all_pairs(rows: np.ndarray, who: np.ndarray) -> float:
    """The AUC over every pair."""
    scores, field, first, second = prepared(rows, who)
    score, watched = scores.of_pairs(first, second), np.array([0.2, 0.3, 0.4, 0.5])
    grid = grid_over(score, len(rows) ** 2 // 2, scores.unit)
    cells = grid.cells(score * scores.unit)
    counter = VerificationCounter(grid, [cells], len(rows), watched)
    sweep(scores, field, [counter])
    return float(placements(cells, counter.result().strangers).mean())


def metric_learning(rows: np.ndarray, who: np.ndarray, queries: np.ndarray) -> dict[str, float]:
    """pytorch-metric-learning's AccuracyCalculator with its default search, faiss. It wants the queries in front."""
    torch.set_num_threads(worker_count())
    faiss.omp_set_num_threads(worker_count())
    names = ("mean_average_precision_at_r", "r_precision", "precision_at_1")
    calculator = AccuracyCalculator(include=names, k="max_bin_count", device=torch.device("cpu"))
    order = np.concatenate([queries, np.setdiff1d(np.arange(len(rows)), queries)])
    vectors, labels = torch.from_numpy(rows[order]), torch.from_numpy(who[order])
    asked = len(queries)
    return calculator.get_accuracy(vectors[:asked], labels[:asked], vectors, labels, ref_includes_query=True)


def faiss_numpy(rows: np.ndarray, who: np.ndarray, queries: np.ndarray) -> tuple[float, float, float]:
    """An exact faiss index, and the figures by NumPy."""
    faiss.omp_set_num_threads(worker_count())
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    _, near = index.search(rows[queries], MOST)
    near = np.stack([row[row != query][: MOST - 1] for row, query in zip(near, queries, strict=True)])
    right = who[near] == who[queries][:, None]
    mates = np.bincount(who)[who[queries]] - 1
    kept = mates > 0
    counted = np.arange(1, near.shape[1] + 1) <= mates[:, None]
    precision = np.cumsum(right, axis=1) / np.arange(1, near.shape[1] + 1)
    average = (precision * right * counted).sum(axis=1)[kept] / mates[kept]
    return average.mean(), ((right & counted).sum(axis=1)[kept] / mates[kept]).mean(), right[kept, 0].mean()


def rows() -> list[tuple[str, str]]:
    data, who = clinic(PATIENTS, IMAGES)
    small = clinic(500, 2000)
    lists(*small), all_pairs(*small)  # compile
    bare = min(seconds(lambda: bare_product(data, data)) for _ in range(2))
    found = {}
    ranked = min(seconds(lambda: found.update(lists=lists(data, who))) for _ in range(2))
    verified = min(seconds(lambda: found.update(auc=all_pairs(data, who))) for _ in range(2))
    memory = max(peak_memory(lambda: lists(data, who)), peak_memory(lambda: all_pairs(data, who)))
    queries = np.random.default_rng(0).permutation(IMAGES)[:SAMPLE]
    many = IMAGES / SAMPLE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = seconds(lambda: metric_learning(data, who, queries)) * many
    flat = seconds(lambda: faiss_numpy(data, who, queries)) * many
    pairs = IMAGES * (IMAGES - 1) // 2
    return [
        (f"bare blocked float32 product, {IMAGES:,} x {IMAGES:,} x {WIDTH}", f"{bare:.1f} s"),
        ("mAP@R, R-precision and precision@1", f"{ranked:.1f} s, {ranked / bare:.2f} times it (0.7 wanted)"),
        (f"AUC over all {pairs / 1e9:.1f} billion pairs",
         f"{verified:.1f} s, {verified / bare:.2f} times it (1 wanted)"),
        ("memory held at most, embeddings included", f"{memory:.2f} GiB (2 GB wanted)"),
        (f"pytorch-metric-learning's AccuracyCalculator, extrapolated from {SAMPLE:,} queries",
         f"{peer:.0f} s, {peer / ranked:.1f} times ours"),
        (f"faiss flat search and NumPy, extrapolated from {SAMPLE:,} queries",
         f"{flat:.0f} s, {flat / ranked:.1f} times ours"),
        ("AUC, mAP@R and precision@1 of the embeddings used here",
         f"{found['auc']:.4f}, {found['lists'][0]:.4f}, {found['lists'][2]:.4f}"),
    ]  # fmt: skip


if __name__ == "__main__":
    for what, measured in rows():
        print(f"{what}: {measured}")
