"""What the study of membership found, asked of a phantom clinic: about half an hour on two cores.

    python bench/membership_phantom.py FOLDER [--patients 18000] [--models 128]

Most patients are a large hospital's. A few come from a small clinic with another machine, where every second label was
redrawn by somebody in a hurry; patients of either have several radiographs. Target models of growing size are trained
on halves of the patients, then private ones; each set is audited. What is in the folder already is not made again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import polars as pl

from leadapron.encoders import Weights, encode, find_encoder
from leadapron.engine import terminal
from leadapron.phantoms import Dials, build_clinic
from leadapron.release import Release, write_release
from leadapron.results import Results, read_results
from leadapron.results.selection import select

ENCODER = "phantom-reports"
COMMON, RARE = "a large hospital", "a small clinic"
ARMS = {
    "mlp-64": ("mlp", "--hidden", 64, "--view", "some-features"),
    "linear": ("linear",),
    "mlp-16": ("mlp", "--hidden", 16),
    "mlp-256": ("mlp", "--hidden", 256),
    "mlp-64, patient epsilon 8": ("mlp", "--hidden", 64, "--epsilon", 8),
    "mlp-64, patient epsilon 1": ("mlp", "--hidden", 64, "--epsilon", 1),
    "mlp-64, record epsilon 1": ("mlp", "--hidden", 64, "--epsilon", 1, "--level", "record"),
}


def leadapron(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "leadapron", *map(str, arguments)], check=True)


def clinic(dials: Dials, source: str) -> tuple[pl.DataFrame, np.ndarray]:
    spec = find_encoder(ENCODER)
    with terminal() as progress, tempfile.TemporaryDirectory() as work:
        pixels = build_clinic(dials).pixels(progress=progress)
        release = encode(pixels, ENCODER, spec, spec.load(Weights()), Path(work), progress=progress)
        return release.records.with_columns(pl.lit(source).alias("source")), release.image.copy()


def both_clinics(folder: Path, patients: int) -> Path:
    if not (folder / "release.json").is_file():
        large = clinic(Dials(patients=patients, seed=11, label_noise=0.02), COMMON)
        small = clinic(Dials(patients=patients // 100, seed=5, label_noise=0.5, site="B"), RARE)
        records = pl.concat([large[0], small[0]], how="diagonal_relaxed")
        write_release(Release(records, {"image": np.concatenate([large[1], small[1]])}), folder)
    return folder


def audited(study: Path, view: str) -> Results:
    out = study / f"audit{view}"
    if not out.exists():
        private = json.loads((study / "targets.json").read_text())["privacy"]
        promise = ("--profile", study / "profile.npy", "--promised-to", private["level"]) if private else ()
        leadapron("audit", "membership", study / f"signals{view}", "--out", out, *promise)
    return read_results(out)


def row(name: str, study: Path, results: Results) -> str:
    found = {(one.attacker, one.metric): one for one in select(results)}

    def said(attacker: str, metric: str) -> str:
        one = found[attacker, metric]
        return f"{one.value:.4f} ({one.low:.4f}–{one.high:.4f})"

    auroc = json.loads((study / "targets.json").read_text())["auroc"]["mean"]
    top = found["joint", "auc@top=0.01"]
    return " | ".join(
        (
            name,
            f"{auroc:.3f}",
            said("lira", "auc"),
            said("lira", "tpr@fpr=0.001"),
            f"{said('joint', 'auc@top=0.01')}, chance {top.chance:.3f}",
            said("joint", "true-patients-above=0.7"),
            said("joint", "true-patients-above=0.9"),
        )
    )


def groups(results: Results) -> str:
    table = results.evidence("groups")
    return "" if table is None else str(table)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--patients", type=int, default=18_000)
    parser.add_argument("--models", type=int, default=128)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    release = both_clinics(given.folder / "release", given.patients)
    for name, (kind, *options) in ARMS.items():
        study = given.folder / name.replace(",", "").replace(" ", "-")
        if not (study / "targets.json").is_file():
            leadapron("train", "targets", release, "--kind", kind, *options, "--models", given.models, "--out", study)
        for signals in sorted(study.glob("signals*")):
            view = signals.name.removeprefix("signals")
            results = audited(study, view)
            print(row(name + view, study, results), flush=True)
            print(results.details.get("promise", ""), groups(results), sep="\n", flush=True)


if __name__ == "__main__":
    main()
