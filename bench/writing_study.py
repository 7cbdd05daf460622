"""What writers learn from counterparts: tables 1 and 2 of the paper in shape, on the phantom clinic.

python bench/writing_study.py --work WORK                # all cells; one that is done is not run again
python bench/writing_study.py --work WORK --writer ridge # only these
python bench/writing_study.py --work WORK --tables       # bench/writing_study.json from what is done, and the tables

A local hospital has few pairs and test patients. Another one hands over many: as they are, or de-identified. It is a
hospital of the same kind (site A) or of another one (site B).
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
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
from leadapron.writing.scores import ReportScore, redrawn_values
from leadapron.writing.scores.bleu import Bleu
from leadapron.writing.scores.finding_f1 import LEADING
from leadapron.writing.scores.meteor import PlainMeteor
from leadapron.writing.scores.rouge_l import RougeL

TRANSFERRED, LOCAL, TESTED = 1000, 200, 300
"""Patients; of the transferred ones the training patients are used."""
SIZE = 64
"""Pixels a side; the encoder reads as much from these as from 128, and all is faster."""
SEEDS = (0, 1, 2)
SCORES: dict[str, ReportScore] = {one.name: one for one in (*LEADING, Bleu(4), RougeL(), PlainMeteor())}
OUT = Path(__file__).with_suffix(".json")


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


CHEAP = (
    ("A", "none", "none", "local"),
    ("A", "real", "cleaned", "alone"),
    ("A", "real", "cleaned", "mixed"),
    ("A", "real", "cleaned", "shuffled"),
    ("A", "said", "cleaned", "alone"),
    ("A", "said", "cleaned", "mixed"),
    ("A", "real", "raw", "alone"),
    ("B", "real", "cleaned", "alone"),
    ("B", "real", "cleaned", "mixed"),
)
DRAWN = tuple((site, images, "cleaned", regime) for site, images in (("A", "text"), ("A", "structured"), ("B", "text"))
              for regime in ("alone", "mixed"))  # fmt: skip
"""A generator is fitted for each."""
WRITTEN = (CHEAP[1], CHEAP[0], CHEAP[3], ("A", "text", "cleaned", "alone"), CHEAP[4], CHEAP[2], CHEAP[7], CHEAP[6])
"""Minutes each."""
SEARCHED = tuple(("A", "updp", "cleaned", regime) for regime in ("alone", "mixed"))


def cells() -> Iterator[Cell]:
    """In the order in which they tell most for what they cost."""
    for writer, kinds in (("ridge", CHEAP), ("ridge", DRAWN), ("decoder", WRITTEN), ("ridge", SEARCHED)):
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


def run(work: Path, cell: Cell, trainers: dict[str, Trainer]) -> None:
    local, test = local_and_test(work, cell.seed)
    pairs = local
    if cell.images != "none":
        other = transferred(work, cell.seed, cell.site, cell.images, cell.reports)
        pairs = other.joined(local) if cell.regime == "mixed" else other
    if cell.regime == "shuffled":
        pairs = shuffled(pairs, cell.seed)
    trainer = trainers.setdefault(cell.writer, find_writer(cell.writer).open(cell.writer, WriterSettings(device="cpu")))
    begun = time.process_time()
    trained = trainer.train(pairs, seed=cell.seed, checkpoint=work / "training" / cell.name)
    written = trained.writer.write(test.images)
    spent = time.process_time() - begun
    save(work, cell.name, written, test, pairs=len(pairs), seconds=spent, cut=trained.cut)
    print(f"{cell.name}: {len(pairs):,} pairs, {spent:.0f} CPU s", flush=True)


def save(work: Path, name: str, written: list[str], test: Pairs, **told: float) -> None:
    """Numbers of every report, and no report."""
    arrays = {key: score.statistics(written, list(test.reports)) for key, score in SCORES.items()}
    told["distinct"] = len(set(written))
    with atomic_path(work / "cells" / f"{name}.npz") as partial, partial.open("wb") as handle:
        np.savez(handle, patients=test.patients, told=json.dumps(told), **arrays)


def blind(work: Path, seed: int) -> None:
    """Controls that need no training."""
    _, test = local_and_test(work, seed)
    known = transferred(work, seed, "A", "real", "cleaned").reports
    save(work, f"control-{seed}-frequent", most_frequent(known, len(test)), test)
    save(work, f"control-{seed}-same", with_same_labels(known, test.reports, seed)[0], test)


# ---------------------------------------------------------------- tables


def collected(work: Path) -> dict[str, object]:
    """Means over seeds, what each seed gave, and paired differences with their standard errors over patients."""
    found: dict[str, dict[int, Path]] = {}
    for file in sorted((work / "cells").glob("*.npz")):
        writer, seed, *rest = file.stem.split("-")
        found.setdefault("-".join([writer, *rest]), {})[int(seed)] = file
    rows = {name: row_of(files) for name, files in found.items()}
    pairs = [(name, other) for name in found for other in baselines(name) if other in found]
    return {"rows": rows, "differences": {f"{a} minus {b}": apart(found[a], found[b]) for a, b in pairs}}


def baselines(name: str) -> list[str]:
    """What a row is compared with."""
    writer = name.partition("-")[0]
    if writer == "control":
        return []
    real = f"{writer}-A-real-cleaned-alone"
    local = f"{writer}-A-none-none-local"
    mixed = name.replace("-mixed", "-alone")
    raw = name.replace("-cleaned-", "-raw-")
    controls = ["control-same", "control-frequent", f"{writer}-A-real-cleaned-shuffled"]
    wanted = [real, local, mixed, raw, *(controls if name == real else [])]
    return [other for other in dict.fromkeys(wanted) if other != name]


def row_of(files: dict[int, Path]) -> dict[str, object]:
    loaded = {seed: np.load(file) for seed, file in files.items()}
    values = {
        score: {str(seed): round(float(how.value(one[score].sum(axis=0))), 5) for seed, one in loaded.items()}
        for score, how in SCORES.items()
    }
    told = {str(seed): json.loads(str(one["told"])) for seed, one in loaded.items()}
    return {"values": values, "told": told}


def apart(files: dict[int, Path], others: dict[int, Path]) -> dict[str, dict[str, float]]:
    """The mean difference over the seeds of both. Its error has both parts: other patients, and other training runs
    and clinics, as far as so few seeds show them."""
    seeds = sorted(set(files) & set(others))
    result = {}
    for score, how in SCORES.items():
        means, errors = [], []
        for seed in seeds:
            one, two = (np.load(where[seed]) for where in (files, others))
            means.append(float(how.value(one[score].sum(axis=0)) - how.value(two[score].sum(axis=0))))
            redrawn = [redrawn_values(how, part[score], part["patients"], seed=1) for part in (one, two)]
            errors.append(float((redrawn[0] - redrawn[1]).std(ddof=1)))
        within = float(np.sqrt(np.mean(np.square(errors)) / len(seeds)))
        between = float(np.std(means, ddof=1) / np.sqrt(len(seeds))) if len(seeds) > 1 else 0.0
        result[score] = {
            "difference": round(float(np.mean(means)), 5),
            "error": round(max(within, between), 5),
            "seeds": len(seeds),
        }
    return result


def tables(content: dict[str, object]) -> None:
    rows, differences = content["rows"], content["differences"]
    assert isinstance(rows, dict)
    assert isinstance(differences, dict)
    print("| | " + " | ".join(SCORES) + " | seeds | different | CPU s |\n" + "|---" * (len(SCORES) + 4) + "|")
    for name, row in rows.items():
        cellsof = [
            f"{100 * np.mean(list(by.values())):.1f} ({100 * min(by.values()):.1f}–{100 * max(by.values()):.1f})"
            for by in row["values"].values()
        ]
        told = row["told"].values()
        spent, different = (np.mean([one.get(key, 0) for one in told]) for key in ("seconds", "distinct"))
        print(f"| {name} | {' | '.join(cellsof)} | {len(told)} | {different:.0f} | {spent:.0f} |")
    print("\n| | " + " | ".join(SCORES) + " | seeds |\n" + "|---" * (len(SCORES) + 2) + "|")
    for name, row in differences.items():
        told = [f"{100 * one['difference']:+.1f} ± {100 * one['error']:.1f}" for one in row.values()]
        print(f"| {name} | {' | '.join(told)} | {next(iter(row.values()))['seeds']} |")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--work", type=Path, required=True)
    asked.add_argument("--writer", choices=("ridge", "decoder"))
    asked.add_argument("--tables", action="store_true")
    given = asked.parse_args()
    (given.work / "cells").mkdir(parents=True, exist_ok=True)
    if given.tables:
        content = collected(given.work)
        OUT.write_text(json.dumps(content, indent=1) + "\n")
        tables(content)
        return
    trainers: dict[str, Trainer] = {}
    for seed in SEEDS:
        if not (given.work / "cells" / f"control-{seed}-same.npz").is_file():
            blind(given.work, seed)
    for cell in cells():
        wanted = given.writer in (None, cell.writer)
        if wanted and not (given.work / "cells" / f"{cell.name}.npz").is_file():
            run(given.work, cell, trainers)


if __name__ == "__main__":
    main()
