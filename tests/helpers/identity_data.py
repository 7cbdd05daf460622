"""Releases of images whose identity is known, and the slow, obvious way to measure how well they are recognised."""

from __future__ import annotations

import numpy as np
import polars as pl

from leadapron.release import Release


def release_of(image, patient, **columns) -> Release:
    """Records named by their place, with any more columns."""
    names = {"record_id": [f"r{at}" for at in range(len(image))], "patient_id": [f"p{who}" for who in patient]}
    return Release(pl.DataFrame({**names, **columns}), {"image": np.asarray(image, dtype=np.float32)})


def drawn(patients: int, noise: float, seed: int = 0, width: int = 16, images: int = 4):
    """Embeddings of patients with one to twice as many images, in a shuffled order, and whose they are."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 2 * images, patients)
    who = rng.permutation(np.repeat(np.arange(patients), sizes))
    own = rng.normal(size=(patients, width))
    return (own[who] + noise * rng.normal(size=(len(who), width))).astype(np.float32), who


def cosine_table(image):
    rows = image / np.linalg.norm(image.astype(np.float64), axis=1, keepdims=True)
    return rows @ rows.T


def slow_auc(table, who, strangers=None):
    """Every same-patient pair against every strangers' pair, one by one."""
    same = who[:, None] == who[None, :]
    upper = np.triu(np.ones_like(same), 1)
    own = table[same & upper]
    others = table[~same & upper & (True if strangers is None else strangers)]
    wins = sum(float((score > others + 1e-9).sum() + 0.5 * (np.abs(score - others) <= 1e-9).sum()) for score in own)
    return wins / len(own) / len(others)


def slow_retrieval(table, who, rng):
    """Precision@1, R-precision and AP@R of every query that has a mate, ties broken by one draw."""
    found = {}
    for query in range(len(who)):
        others = np.flatnonzero(np.arange(len(who)) != query)
        mates = int((who[others] == who[query]).sum())
        if mates == 0:
            continue
        level = np.round(table[query, others], 5)  # what differs by less is a tie
        order = others[np.lexsort((rng.random(len(others)), -level))]
        right = who[order[:mates]] == who[query]
        precision = np.cumsum(right) / np.arange(1, mates + 1)
        found[query] = float(right[0]), float(right.mean()), float((precision * right).mean())
    return found


def judged_by_the_other_half(columns, names):
    """Each half of the patients by the column that does better on the other half; the first where they are level."""
    half = np.unique(np.asarray(names, dtype=str), return_inverse=True)[1] % 2 == 0
    chosen = np.zeros(len(half))
    for part in (half, ~half):
        chosen[part] = max(columns, key=lambda column: column[~part].sum())[part]
    return float(chosen.mean())
