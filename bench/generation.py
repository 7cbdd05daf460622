"""What counterparts cost and how far they carry findings: fit and draw on a phantom clinic, judged by a frozen encoder.

python bench/generation.py [--patients 2800] [--seed 78] [--sheet docs/pictures/counterparts.png]

`make bench` takes the costs alone (``rows``), of a clinic of 4,000 patients.

Agreement: probes of the 14 findings, fitted on embeddings of real training images, applied to counterparts of test
patients. TSTR: probes fitted on counterparts of training patients, applied to real images of test patients.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import rankdata

from leadapron.cohort import FINDINGS
from leadapron.cohort.image_set import ImageSet
from leadapron.defences.images.word_counterparts import structured_prompts, text_prompts
from leadapron.encoders import Weights, find_encoder
from leadapron.generation.fit_generator import fit_registered
from leadapron.phantoms import Dials, build_clinic

PENALTY = 100.0
CLINIC, DRAWN = 4000, 1000
SHOWN = (
    "No Finding",
    "Pleural Effusion",
    "Cardiomegaly",
    "Consolidation",
    "Lung Lesion",
    "Pneumothorax",
    "Support Devices",
)
PROMPTS = {"structured": structured_prompts, "text": text_prompts}
Floats = NDArray[np.float64]


def rows() -> list[tuple[str, str]]:
    """The time on the clock, on all cores, and processor time, for the benchmarks page."""
    clinic = build_clinic(Dials(patients=CLINIC, seed=78))
    images = ImageSet(clinic.cohort, clinic.pixels(128).images, {}, "phantom")
    train = np.flatnonzero(images.records["split"].to_numpy() == "train")
    prompts = structured_prompts(images)
    some = train[:200]
    fit_registered(images.images[some], [prompts[row] for row in some])  # the first fit waits for the compiler
    begun, work = time.perf_counter(), time.process_time()
    generator = fit_registered(images.images[train], [prompts[row] for row in train])
    fitted, fitting = time.perf_counter() - begun, time.process_time() - work
    begun, work = time.perf_counter(), time.process_time()
    generator.draw(prompts[:DRAWN], seed=0)
    drawn, drawing = time.perf_counter() - begun, time.process_time() - work
    return [
        (
            f"fitting `registered` on a clinic of {CLINIC:,} patients, {len(train):,} training images of 128 px",
            f"{fitted:.0f} s (at most 600 wanted), {fitting:.0f} s of processor time",
        ),
        (f"drawing {DRAWN:,} counterparts", f"{drawn:.1f} s (at most 30 wanted), {drawing:.1f} s of processor time"),
    ]


def features(images: NDArray[np.uint8]) -> Floats:
    """What the phantom clinic's encoder sees; it was trained on another clinic, and on none of these images."""
    backbone = find_encoder("phantom-reports").load(Weights()).image_backbone
    return np.concatenate([backbone(images[at : at + 256]) for at in range(0, len(images), 256)]).astype(float)


def probes(rows: Floats, labels: Floats) -> tuple[Floats, Floats, Floats]:
    """Logistic regressions with an L2 penalty, a column a finding, on standardised features."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    x = np.column_stack([(rows - mean) / spread, np.ones(len(rows))])
    weights = np.zeros((x.shape[1], labels.shape[1]))

    def loss(flat: Floats, y: Floats) -> tuple[float, Floats]:
        score = x @ flat
        own = np.append(flat[:-1], 0)
        value = np.logaddexp(0, score).sum() - y @ score + 0.5 * PENALTY * own @ own
        return float(value), x.T @ (expit(score) - y) + PENALTY * own

    for column in range(labels.shape[1]):
        start = np.zeros(x.shape[1])
        weights[:, column] = minimize(loss, start, args=(labels[:, column],), jac=True, method="L-BFGS-B").x
    return weights, mean, spread


def aurocs(probe: tuple[Floats, Floats, Floats], rows: Floats, labels: Floats) -> Floats:
    weights, mean, spread = probe
    scores = np.column_stack([(rows - mean) / spread, np.ones(len(rows))]) @ weights
    found = []
    for score, label in zip(scores.T, labels.T, strict=True):
        ranks, there = rankdata(score), label == 1
        above = ranks[there].sum() - there.sum() * (there.sum() + 1) / 2
        found.append(above / (there.sum() * (~there).sum()))
    return np.array(found)


def sheet(rows: list[NDArray[np.uint8]], file: Path) -> None:
    """A row a method, a column a record."""
    whole = np.concatenate([np.concatenate(list(row), axis=1) for row in rows], axis=0)
    Image.fromarray(whole).save(file, optimize=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--patients", type=int, default=2800)
    parser.add_argument("--seed", type=int, default=78)
    parser.add_argument("--judged", type=int, default=4000, help="training images that probes are fitted on")
    parser.add_argument("--sheet", type=Path)
    asked = parser.parse_args()
    clinic = build_clinic(Dials(patients=asked.patients, seed=asked.seed))
    images = ImageSet(clinic.cohort, clinic.pixels(128).images, {}, "phantom")
    split, labels = images.records["split"].to_numpy(), images.cohort.labels().astype(float)
    train, test = np.flatnonzero(split == "train"), np.flatnonzero(split == "test")
    judged = train[: asked.judged]
    real_train, real_test = features(images.images[judged]), features(images.images[test])
    by_real = probes(real_train, labels[judged])
    table = {"real": aurocs(by_real, real_test, labels[test])}
    shown = [int(test[np.flatnonzero(_alone(labels[test], name))[0]]) for name in SHOWN]
    rows = [images.images[shown]]
    for method, prompts_of in PROMPTS.items():
        prompts = prompts_of(images)
        begun = time.process_time()
        generator = fit_registered(images.images[train], [prompts[row] for row in train])
        fitted = time.process_time() - begun
        begun = time.process_time()
        of_test = generator.draw([prompts[row] for row in test], seed=1).images
        drawn = 1000 * (time.process_time() - begun) / len(test)
        of_train = generator.draw([prompts[row] for row in judged], seed=2).images
        print(
            f"{method}: fitted on {len(train):,} images in {fitted:.0f} CPU s, 1,000 drawn in {drawn:.1f} CPU s",
            flush=True,
        )
        table[f"{method}, agreement"] = aurocs(by_real, features(of_test), labels[test])
        by_drawn = probes(features(of_train), labels[judged])
        table[f"{method}, TSTR"] = aurocs(by_drawn, real_test, labels[test])
        rows.append(of_test[[int(np.flatnonzero(test == row)[0]) for row in shown]])
    print("| finding | " + " | ".join(table) + " |\n|---|" + "---|" * len(table))
    for column, name in enumerate((*FINDINGS, "mean")):
        values = [row.mean() if name == "mean" else row[column] for row in table.values()]
        print(f"| {name} | " + " | ".join(f"{value:.3f}" for value in values) + " |")
    if asked.sheet:
        sheet(rows, asked.sheet)


def _alone(labels: Floats, name: str) -> NDArray[np.bool_]:
    """Records with a finding, and few others."""
    there = labels[:, FINDINGS.index(name)] == 1
    few = np.sort(labels[there].sum(axis=1))[0]
    return there & (labels.sum(axis=1) <= few)


if __name__ == "__main__":
    main()
