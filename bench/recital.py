"""Does a small writer recite its training reports, by how many there are and how often it sees them?

    python bench/recital.py [RESULTS.json]

A table of docs/report-recital.md. Cells that stand in the file already are not run again. Some ten minutes of CPU.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from leadapron.attacks.recital import RecitalConfig, TaughtCohort, audit_recital
from leadapron.cohort.image_set import ImageSet
from leadapron.phantoms import Dials, build_clinic

PATIENTS, SEED, SIZE = 1300, 11, 128
ASKED = 200


@dataclass(frozen=True)
class Cell:
    """``reports`` of training patients at most; ``planted``: the share of them with a number."""

    writer: str
    reports: int
    epochs: int | None
    planted: float
    seed: int = 0

    @property
    def name(self) -> str:
        return f"{self.writer} {self.reports} x {self.epochs} planted {self.planted:g} seed {self.seed}"


CELLS = (
    Cell("decoder", 200, 60, 1.0),
    Cell("decoder", 200, 6, 1.0),
    Cell("decoder", 1000, 6, 0.2),
    Cell("decoder", 200, 20, 1.0),
    Cell("decoder", 3000, 6, 0.2),
    Cell("decoder", 200, 60, 0.2),
    Cell("decoder", 1000, 20, 0.2),
    Cell("ridge", 1000, None, 0.2),
)


def main(file: Path) -> None:
    found = json.loads(file.read_text()) if file.is_file() else {}
    clinic = build_clinic(Dials(patients=PATIENTS, seed=SEED))
    images = ImageSet(clinic.cohort, clinic.radiographs(SIZE), clinic.cohort.card)
    for cell in CELLS:
        if cell.name not in found:
            found[cell.name] = run(cell, images)
            file.write_text(json.dumps(found, indent=1))
        print(cell.name, json.dumps(found[cell.name]), flush=True)


def run(cell: Cell, images: ImageSet) -> dict[str, object]:
    config = RecitalConfig(
        writer=cell.writer, epochs=cell.epochs, planted=cell.planted, seed=cell.seed, most=ASKED, device="cpu"
    )
    begun = time.process_time()
    findings = audit_recital(TaughtCohort(some_reports(images, cell.reports, cell.seed)), config)
    rows = {
        f"{row.metric} {row.attacker} {row.at['images'].split()[0]}": [row.value, row.low, row.high, row.chance, row.n]
        for row in findings.estimates
        if row.group is None
    }
    outcomes = {one.check: f"{one.outcome}: {one.reason}" for one in findings.outcomes}
    said = {"counts": dict(findings.counts), "others": findings.details["others"], "notes": findings.details["notes"]}
    return {"seconds": time.process_time() - begun, "rows": rows, "outcomes": outcomes, **said}


def some_reports(images: ImageSet, reports: int, seed: int) -> ImageSet:
    """All held-out patients, and of the training patients whole ones until there are enough reports."""
    records = images.records
    patients = records.filter(split="train")["patient_id"]
    order = np.random.default_rng(seed).permutation(patients.unique(maintain_order=True).to_numpy())
    sizes = dict(patients.value_counts().iter_rows())
    upto = int(np.searchsorted(np.cumsum([sizes[patient] for patient in order]), reports, side="right"))
    chosen = set(order[:upto].tolist())
    keep = [
        split != "train" or patient in chosen for split, patient in records.select("split", "patient_id").iter_rows()
    ]
    return images.at(np.flatnonzero(keep))


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "recital.json"))
