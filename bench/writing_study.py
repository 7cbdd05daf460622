"""What writers learn from counterparts: tables 1 and 2 of the paper in shape, on the phantom clinic.

python bench/writing_study.py --work WORK                     # all cells; one that is done is not run again
python bench/writing_study.py --work WORK --only 'decoder-0-*'
python bench/writing_tables.py --work WORK                    # bench/writing_study.json and the tables, of what is done

A local hospital has few pairs and test patients. Another one hands over many: as they are, or de-identified. It is a
hospital of the same kind (site A) or of another one (site B).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from functools import cache, lru_cache
from pathlib import Path

import numpy as np

from leadapron.cohort.image_set import ImageSet
from leadapron.defences import defend
from leadapron.defences.reports.key_file import new_key
from leadapron.engine import atomic_path
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.clinic import Clinic
from leadapron.phantoms.oracle import counterpart_clinic
from leadapron.uses.image_blind import most_frequent, shuffled, with_same_labels
from leadapron.writing import Pairs, Trainer, WriterSettings, find_writer
from leadapron.writing.scores import ReportScore
from leadapron.writing.scores.bleu import Bleu
from leadapron.writing.scores.finding_f1 import LEADING
from leadapron.writing.scores.meteor import PlainMeteor
from leadapron.writing.scores.rouge_l import RougeL

TRANSFERRED, LOCAL, TESTED = 1000, 200, 300
"""Patients; of the transferred ones the training patients are used."""
SIZE = 64
"""Pixels a side; the encoder reads as much from these as from 128, and all is faster."""
SEEDS = (0, 1, 2)
WORDS = (*(Bleu(order) for order in (1, 2, 3, 4)), RougeL(), PlainMeteor())
SCORES: dict[str, ReportScore] = {one.name: one for one in (*LEADING, *WORDS)}


@dataclass(frozen=True)
class Cell:
    """One writer. ``images`` and ``reports`` are those of the transferred pairs; none, where only local ones are."""

    writer: str
    seed: int
    site: str
    images: str
    reports: str
    regime: str

    @property
    def name(self) -> str:
        return "-".join(map(str, (self.writer, self.seed, self.site, self.images, self.reports, self.regime)))


LOCAL_ONLY = ("A", "none", "none", "local")
REAL, RAW, SHUFFLED = (
    ("A", "real", reports, regime)
    for reports, regime in (("cleaned", "alone"), ("raw", "alone"), ("cleaned", "shuffled"))
)
BOTH = ("alone", "mixed")
ABROAD = tuple(("B", "real", "cleaned", regime) for regime in BOTH)


def counterparts(*kinds: str) -> tuple[tuple[str, ...], ...]:
    """Their images in the place of the real ones, alone and with the local pairs."""
    return tuple(("A", kind, "cleaned", regime) for kind in kinds for regime in BOTH)


CHEAP = (LOCAL_ONLY, SHUFFLED, RAW, *counterparts("real", "said"), *ABROAD)
DRAWN = counterparts("text", "structured", "updp")
"""A generator is fitted for each."""
WRITTEN = (REAL, LOCAL_ONLY, RAW, counterparts("real")[1], ABROAD[0], *counterparts("text", "said")[::2], SHUFFLED,
           *counterparts("updp", "structured")[::2])  # fmt: skip
"""Minutes each."""
TUNED = "tuned"
"""A decoder that has learnt at site B and learns on: a stand-in for a large model that has seen much before."""
FINE_TUNED = (REAL, RAW, LOCAL_ONLY, counterparts("text")[0], counterparts("real")[1])
EPOCHS = 3
"""Of fine-tuning, as published."""


def cells() -> Iterator[Cell]:
    """In the order in which they tell most for what they cost."""
    for writer, kinds in (("ridge", CHEAP), ("ridge", DRAWN), ("decoder", WRITTEN), (TUNED, FINE_TUNED)):
        for seed in SEEDS:
            for kind in kinds:
                yield Cell(writer, seed, *kind)


# ---------------------------------------------------------------- clinics


@lru_cache(maxsize=2)
def clinic_of(seed: int, site: str) -> Clinic:
    return build_clinic(Dials(patients=TRANSFERRED, seed=100 + seed, identifiers="plain", site=site))


def transferred(work: Path, seed: int, site: str, images: str, reports: str) -> Pairs:
    """The pairs of the other hospital's training patients, in this version."""
    clinic = clinic_of(seed, site)
    rows = clinic.cohort.records["split"].eq("train").arg_true().to_numpy()
    records = clinic.cohort.records[rows]
    folder = work / f"clinic-{seed}-{site}"
    folder.mkdir(parents=True, exist_ok=True)
    made = kept(folder / f"{images}.npy", lambda: drawn(folder, clinic, rows, images))
    told = records["report"].to_list()
    if reports == "cleaned":
        told = json.loads(_texts(folder, clinic, rows).read_text())
    return Pairs(made, tuple(told), records["patient_id"].to_numpy().astype(str))


def drawn(folder: Path, clinic: Clinic, rows: np.ndarray, images: str) -> np.ndarray:
    if images == "real":
        return clinic.radiographs(SIZE)[rows]
    if images == "said":
        return counterpart_clinic(clinic, "said").radiographs(SIZE)[rows]
    real = kept(folder / "real.npy", lambda: drawn(folder, clinic, rows, "real"))
    whole = ImageSet(clinic.cohort, np.zeros((len(clinic.cohort), SIZE, SIZE), dtype=np.uint8), clinic.cohort.card)
    source = whole.at(rows).with_images(real)
    begun = time.process_time()
    made = defend(source, images, key=_key(folder), seed=7)
    print(f"  {images}: {len(rows):,} counterparts in {time.process_time() - begun:.0f} CPU s", flush=True)
    return made.images


def kept(file: Path, make) -> np.ndarray:  # noqa: ANN001
    """An array that is made once."""
    if not file.is_file():
        made = make()
        with atomic_path(file) as partial, partial.open("wb") as handle:
            np.save(handle, made)
    found: np.ndarray = np.load(file)
    return found


def _key(folder: Path) -> Path:
    file = folder.parent / "key"
    if not file.is_file():
        new_key(file)
    return file


def _texts(folder: Path, clinic: Clinic, rows: np.ndarray) -> Path:
    """Cleaned reports, as a hospital hands them over: stand-ins in the place of identifiers."""
    file = folder / "cleaned.json"
    if not file.is_file():
        clean = defend(replace(clinic.cohort, records=clinic.cohort.records[rows]), "reports", key=_key(folder))
        with atomic_path(file) as partial:
            partial.write_text(json.dumps(clean.records["report"].to_list()))
    return file


@lru_cache(maxsize=1)
def local_and_test(work: Path, seed: int) -> tuple[Pairs, Pairs]:
    clinic = build_clinic(Dials(patients=LOCAL + TESTED, seed=200 + seed))
    images = kept(work / f"local-{seed}.npy", lambda: clinic.radiographs(SIZE))
    records = clinic.cohort.records
    patients = records["patient_id"].to_numpy().astype(str)
    pairs = Pairs(images, tuple(records["report"].to_list()), patients)
    local = np.isin(patients, np.unique(patients)[:LOCAL])
    return pairs.at(np.flatnonzero(local)), pairs.at(np.flatnonzero(~local))


# ---------------------------------------------------------------- runs


@cache
def trainer_of(work: Path, writer: str, seed: int) -> Trainer:
    if writer != TUNED:
        return find_writer(writer).open(writer, WriterSettings(device="cpu"))
    abroad = training(work, Cell("decoder", seed, *ABROAD[0]))
    if not abroad.is_dir():
        raise SystemExit(f"{abroad.name} is learnt on from: run it first.")
    learnt = str(abroad / "writer")
    return find_writer(learnt).open(learnt, WriterSettings(device="cpu", epochs=EPOCHS))


def training(work: Path, cell: Cell) -> Path:
    return work / "training" / cell.name


def run(work: Path, cell: Cell) -> None:
    local, test = local_and_test(work, cell.seed)
    pairs = local
    if cell.images != "none":
        other = transferred(work, cell.seed, cell.site, cell.images, cell.reports)
        pairs = other.joined(local) if cell.regime == "mixed" else other
    if cell.regime == "shuffled":
        pairs = shuffled(pairs, cell.seed)
    trainer = trainer_of(work, cell.writer, cell.seed if cell.writer == TUNED else 0)
    begun = time.process_time()
    trained = trainer.train(pairs, seed=cell.seed, checkpoint=training(work, cell))
    written = trained.writer.write(test.images)
    spent = time.process_time() - begun
    save(work, cell.name, written, test, pairs=len(pairs), seconds=spent, cut=trained.cut)
    print(f"{cell.name}: {len(pairs):,} pairs, {spent:.0f} CPU s", flush=True)


def save(work: Path, name: str, written: list[str], test: Pairs, **told: float) -> None:
    """Numbers of every report, and what was written, for scores that are asked for later."""
    arrays = {key: score.statistics(written, list(test.reports)) for key, score in SCORES.items()}
    told["distinct"] = len(set(written))
    with atomic_path(work / "cells" / f"{name}.npz") as partial, partial.open("wb") as handle:
        np.savez(handle, patients=test.patients, told=json.dumps(told), written=np.array(written), **arrays)


def blind(work: Path, seed: int) -> None:
    """Controls that need no training."""
    _, test = local_and_test(work, seed)
    known = transferred(work, seed, "A", "real", "cleaned").reports
    save(work, f"control-{seed}-frequent", most_frequent(known, len(test)), test)
    save(work, f"control-{seed}-same", with_same_labels(known, test.reports, seed)[0], test)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--work", type=Path, required=True)
    asked.add_argument("--only", default=["*"], nargs="+", help="cells of such names")
    given = asked.parse_args()
    (given.work / "cells").mkdir(parents=True, exist_ok=True)
    for seed in SEEDS:
        if not (given.work / "cells" / f"control-{seed}-same.npz").is_file():
            blind(given.work, seed)
    for cell in cells():
        wanted = any(fnmatch(cell.name, one) for one in given.only)
        if wanted and not (given.work / "cells" / f"{cell.name}.npz").is_file():
            run(given.work, cell)


if __name__ == "__main__":
    main()
