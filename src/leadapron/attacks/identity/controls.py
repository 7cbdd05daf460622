"""Controls that run with every audit: patients at random must not be recognised, and copies must be."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.attackers import ATTACKERS, Knowledge
from leadapron.attacks.identity.gallery import Gallery
from leadapron.attacks.identity.intervals import read_off
from leadapron.attacks.identity.measure import Swept, sweep_all
from leadapron.attacks.identity.retrieval import best_of, found_within
from leadapron.attacks.identity.task import Task
from leadapron.attacks.risk import Outcome
from leadapron.release.rows import at_one_scale

Floats = NDArray[np.float32]
IMAGES = 4000
PLANTED = 0.2
ERRORS_APART = 5.0
FOUND = 0.9
NOISE = 1e-3


def null_control(task: Task, seed: int) -> Outcome:
    """Images dealt to patients at random: whatever is recognised then is the audit's own error."""
    rng = np.random.default_rng(seed)
    swept = _swept(task, task.gallery.image[rng.permutation(len(task.gallery))])
    auc = read_off(swept, 0, redraws=500, seed=seed)[0].estimate
    error = max(auc.sd, 0.5 / auc.n**0.5 / 3)  # the second guards a handful of pairs whose redraws agree by chance
    off = abs(auc.value - 0.5) > ERRORS_APART * error
    reason = f"AUC is {auc.value:.4f} ± {auc.sd:.4f} where images are dealt to patients at random; guessing gives 0.5"
    return Outcome("null control (patients at random)", "error" if off else "pass", reason)


def planted_copies(task: Task, seed: int) -> Outcome:
    """Some patients' images replaced by near copies of one image: an audit that misses these sees nothing."""
    rng = np.random.default_rng(seed)
    gallery = task.gallery
    several = np.unique(gallery.patient[task.first])
    chosen = several[rng.permutation(len(several))[: max(1, round(PLANTED * len(several)))]]
    rows = np.flatnonzero(np.isin(gallery.patient, chosen))
    image = at_one_scale(gallery.image)
    spread = image.std(axis=0)
    # a place of its own for each: where many patients share an image, a copy of it would be found no better
    own = spread * rng.normal(size=(gallery.patients, len(spread)))
    noise = NOISE * spread * rng.normal(size=(len(rows), len(spread)))
    image[rows] = image[gallery.own_start[rows]] + own[gallery.patient[rows]] + noise
    swept = _swept(task, image)
    best = best_of(swept.standings[0], swept.strangers)
    caught = float(found_within(best, 1)[np.isin(best.query, rows)].mean())
    reason = f"of {len(rows):,} images that have a near copy a share of {caught:.3f} finds it first"
    return Outcome("planted copies", "pass" if caught >= FOUND else "error", reason)


def some_patients(gallery: Gallery, seed: int) -> Gallery:
    """Whole patients, about as many images as a control needs."""
    if len(gallery) <= IMAGES:
        return gallery
    order = np.random.default_rng(seed).permutation(gallery.patients)
    sizes = np.bincount(gallery.patient)[order]
    taken = np.flatnonzero(np.isin(gallery.patient, order[: 1 + int(np.searchsorted(np.cumsum(sizes), IMAGES))]))
    return gallery.only(taken)


def _swept(task: Task, image: Floats) -> Swept:
    scores = ATTACKERS["cosine"](image, Knowledge(None, {}))
    assert scores is not None
    return sweep_all(task, scores, (np.ones(len(task.first), dtype=bool),))
