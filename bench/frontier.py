"""The privacy-utility frontier on a phantom clinic as large as the study's pools need: an hour or two on two cores.

    python bench/frontier.py FOLDER [--patients 18000]

A clinic is encoded, defended by every method at several strengths, attacked again and used again. Heads and maps that
were fitted there are then judged at a second clinic with another case mix, scanner and writing style. What is in the
folder already is not made again.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

from leadapron.encoders import EncodeConfig, Weights, encode, find_encoder
from leadapron.engine import terminal
from leadapron.phantoms import Dials, build_clinic
from leadapron.release import write_release

ENCODER = "phantom-reports"
VECTORS = ("prototypes-5", "prototypes-20", "prototypes-80", "subspace-14", "subspace-4", "microaggregate-5",
           "microaggregate-20", "noise-2", "dimensions-8", "quantise-1")  # fmt: skip
HEADS = {
    "private-1": ("private", "--epsilon", 1),
    "private-8": ("private", "--epsilon", 8, "--no-controls"),
    "replication": ("replication", "--epsilon", 1, "--no-controls"),
    "entropy-5-epochs": ("entropy", "--epochs", 5, "--no-controls"),
    "entropy-minimised-5-epochs": ("entropy", "--entropy", "minimise", "--epochs", 5, "--no-controls"),
    "entropy": ("entropy", "--no-controls"),
    "prototype-heads": ("prototype", "--no-controls"),
    "prototype-heads-private-1": ("prototype", "--epsilon", 1, "--no-controls"),
}
ABROAD = ("private-1", "entropy-5-epochs", "prototype-heads", "prototypes-20", "subspace-14")
ATTACKERS = ("cosine", "csls", "pooled", "realigned", "sinkhorn", "composed", "words")
"""All that rank in pools; the assignment is over the whole release only."""


def leadapron(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "leadapron", *map(str, arguments)], check=True)


def encoded(folder: Path, dials: Dials) -> Path:
    if not (folder / "release.json").is_file():
        spec = find_encoder(ENCODER)
        work = folder.with_name(f".{folder.name}")
        with terminal() as progress:
            pixels = build_clinic(dials).pixels(progress=progress)
            release = encode(
                pixels, ENCODER, spec, spec.load(Weights()), work, EncodeConfig(with_features=True), progress=progress
            )  # fmt: skip
        write_release(release, folder)
    return folder


def at_home(folder: Path, home: Path, bank: Path) -> list[Path]:
    for name in VECTORS:
        if not (folder / name).exists():
            method, _, strength = name.rpartition("-")
            leadapron("defend", method, home, "--strength", strength, "--out", folder / name)
    for name, (method, *options) in HEADS.items():
        if not (folder / name).exists():
            strangers = ("--bank", bank) if method == "private" else ()
            leadapron("defend", method, home, *options, *strangers, "--out", folder / name)
    return [folder / name for name in (*HEADS, *VECTORS)]


def abroad(folder: Path, home: Path, away: Path) -> list[Path]:
    """What was fitted at home, applied to the other clinic as it is."""
    found = [folder / "abroad" / name for name in ABROAD]
    for target in (target for target in found if not target.exists()):
        if target.name in HEADS:
            leadapron("defend", "transfer", away, "--fitted-on", folder / target.name, "--out", target)
        else:
            method, _, strength = target.name.rpartition("-")
            leadapron("defend", method, away, "--strength", strength, "--fitted-on", home, "--out", target)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--patients", type=int, default=18_000)
    parser.add_argument("--pool", type=int, default=10_000, help="fewer patients do not fill the published one")
    given = parser.parse_args()
    folder = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    home = encoded(folder / "home", Dials(patients=given.patients, seed=1))
    bank = encoded(folder / "bank", Dials(patients=given.patients // 10, seed=2))
    away = encoded(folder / "away", Dials(patients=given.patients, seed=3, site="B"))
    asked = ["--pool", given.pool, *(word for name in ATTACKERS for word in ("--attacker", name))]
    leadapron("trial", home, *at_home(folder, home, bank), "--out", folder / "comparison", *asked)
    leadapron("trial", away, *abroad(folder, home, away), "--out", folder / "comparison-abroad", *asked)


if __name__ == "__main__":
    main()
