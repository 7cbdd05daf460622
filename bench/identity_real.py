"""Real radiographs, five-fold by patients: a calculated head on frozen maps against the frozen network and cosine.

    python bench/identity_real.py DATA WORK

DATA holds the folders ``covid19`` and ``nih``, each in its collection's own layout. In each fold a fifth of the
patients is attacked, and of the others those with two images or more are known. Both sets are confounded (publication,
scanner, marks burned in, repeats of one day): a figure here shows that images can be linked, not that anatomy alone
does it.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import polars as pl
import torch

from leadapron.attacks.identity.gallery import build_gallery
from leadapron.attacks.identity.identity_task import build_task, match
from leadapron.attacks.identity.pair_sweeps import sweep_all, sweep_matched
from leadapron.attacks.identity.retrieval import best_of, found_within
from leadapron.attacks.identity.roc import placements
from leadapron.attacks.identity.scores import cosines
from leadapron.attacks.identity.training.backbones import load_backbone
from leadapron.attacks.identity.training.frozen import FrozenNetwork, fit_head, look
from leadapron.attacks.identity.training.identity_training_config import FROZEN
from leadapron.cohort import SOURCES, Cohort, ReadOptions, decode
from leadapron.encoders import Weights, find_encoder
from leadapron.engine import terminal, worker_count
from leadapron.engine.extras import torch_threads
from leadapron.release import Release
from leadapron.release.release import split_columns
from leadapron.stats import mean_difference

SETS = {"covid19": "covid19", "nih": "chestxray14"}
FOLDS = 5
FIGURES = ("AUC, all pairs", "AUC, taken apart", "AUC, matched strangers", "precision@1", "precision@1, taken apart")


def folds_of(cohort: Cohort) -> np.ndarray:
    """The fold of every record, by patient."""
    _, patient = np.unique(cohort.records["patient_id"].to_numpy().astype(str), return_inverse=True)
    return (np.random.default_rng(0).permutation(patient.max() + 1) % FOLDS)[patient]


def figures(records: pl.DataFrame, rows: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """For each figure its values, one a pair or one an image, and whose they are."""
    gallery = build_gallery(Release(records, {"image": rows}))
    names = gallery.records["patient_id"].to_numpy().astype(str)
    task = build_task(gallery)
    scores = cosines(gallery.image)
    swept = sweep_all(task, scores, (np.ones(len(task.first), dtype=bool), task.apart))
    matched = sweep_matched(task, scores, match(gallery))
    found = [(placements(part.cells, swept.passed.strangers), part.patient) for part in swept.sets]
    found.append((placements(matched.sets[0].cells, matched.passed.strangers), matched.sets[0].patient))
    name_of = names[np.searchsorted(gallery.patient, np.arange(gallery.patients))]
    found = [(values, name_of[patient]) for values, patient in found]
    for standing in swept.standings:
        best = best_of(standing, swept.strangers)
        found.append((found_within(best, 1), names[best.query]))
    return found


def judge(name: str, data: Path, work: Path) -> None:
    with terminal() as progress:
        cohort = SOURCES[SETS[name]](data / name, ReadOptions())
        large = decode(cohort, FROZEN.image_size, work / name, progress=progress)
        small = decode(cohort, 224, work / name, progress=progress)
        encoder = find_encoder("efficientnet-lite0+minilm").load(Weights())
        starts = range(0, len(small.images), 64)
        plain = np.concatenate([encoder.image_backbone(np.array(small.images[at : at + 64])) for at in starts])
        network = FrozenNetwork(load_backbone("efficientnet-lite0", Weights()))
        everyone = np.arange(len(large.images))
        with torch_threads(worker_count()):
            seen = look(network, large.images, everyone, seed=0, key=name, work=work / name, progress=progress)
    records, _ = split_columns(large.cohort.records, ())
    fold, patient = folds_of(large.cohort), records["patient_id"].to_numpy().astype(str)
    collected: list[list[list[tuple[np.ndarray, np.ndarray]]]] = [[], []]
    for number in range(FOLDS):
        attacked, others = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        _, owner, images = np.unique(patient[others], return_inverse=True, return_counts=True)
        known = images[owner] > 1
        fit_head(network, seen, others[known], owner[known])
        with torch.inference_mode():
            calculated = network.head(torch.from_numpy(seen.plain)).numpy()
        part = records[attacked.tolist()]
        for rows, into in ((plain, collected[0]), (calculated, collected[1])):
            into.append(figures(part, rows[attacked]))
    print(f"{name}: {len(records):,} images of {len(np.unique(patient)):,} patients, {FOLDS} folds by patients")
    for at, figure in enumerate(FIGURES):
        before, after = (np.concatenate([fold[at][0] for fold in side]) for side in collected)
        whose = np.concatenate([fold[at][1] for fold in collected[0]])
        change = mean_difference(before, after, whose)
        print(
            f"  {figure}: frozen {change.before:.4f}, calculated {change.after:.4f}, "
            f"difference {change.difference:+.4f} ({change.low:+.4f} to {change.high:+.4f}), p {change.p:.3g}; "
            f"n {change.n:,}, {change.clusters} patients"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("work", type=Path, help="Where pixels and maps are kept: they are patient data.")
    asked = parser.parse_args()
    for name in SETS:
        judge(name, asked.data, asked.work)


if __name__ == "__main__":
    main()
