"""What bench/federated_study.py found, in one small file: tables and pictures are made from it.

    python bench/federated_results.py FOLDER      # take the cells of a folder into bench/federated_study.json

``cells`` has a row for each run. ``printed`` has means, and ``differences`` means of differences, that stand on the
page and whose single runs are no longer there; they give way to cells of as many seeds.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from federated_cells import cells, file_of
from scipy import stats

FILE = Path(__file__).with_name("federated_study.json")
FINDINGS = ("fracture", "lung_lesion")
Row = dict[str, Any]


@dataclass(frozen=True)
class Mean:
    """Over seeds, with its standard deviation and 95 % interval (Student's t) where there are several."""

    value: float
    seeds: int
    sd: float | None = None
    interval: tuple[float, float] | None = None


def mean_of(values: list[float]) -> Mean:
    value = float(np.mean(values))
    if len(values) < 2:
        return Mean(value, 1)
    sd = float(np.std(values, ddof=1))
    half = float(stats.t.ppf(0.975, len(values) - 1)) * sd / float(np.sqrt(len(values)))
    return Mean(value, len(values), sd, (value - half, value + half))


@dataclass(frozen=True)
class Found:
    """All that is known."""

    cells: list[Row]
    printed: list[Row]
    differences: list[Row]

    def seeds(self, part: str, setting: str, method: str) -> dict[int, Row]:
        """The runs of a method, by seed."""
        return {
            row["seed"]: row
            for row in self.cells
            if (row["part"], row["setting"], row["method"]) == (part, setting, method)
        }

    def mean(self, part: str, setting: str, method: str, what: str = "both") -> Mean | None:
        values = [row[what] for row in self.seeds(part, setting, method).values() if row.get(what) is not None]
        for row in self.printed:
            same = (row["part"], row["setting"], row["method"]) == (part, setting, method)
            if same and what in row and row["seeds"] > len(values):
                return Mean(row[what], row["seeds"], row.get(f"{what}_sd"))
        return mean_of(values) if values else None

    def apart(self, part: str, setting: str, method: str, other: str, what: str = "both") -> Mean | None:
        """The mean of the differences of two methods that were run with the same seeds."""
        one, two = (self.seeds(part, setting, name) for name in (method, other))
        common = sorted(one.keys() & two.keys())
        values = [one[seed][what] - two[seed][what] for seed in common]
        for row in self.differences:
            same = (row["part"], row["setting"], row["method"], row["other"]) == (part, setting, method, other)
            if same and what in row and row["seeds"] > len(values):
                value, *ends = row[what]
                return Mean(value, row["seeds"], None, tuple(ends) if ends else None)
        return mean_of(values) if values else None


def read() -> Found:
    content = json.loads(FILE.read_text())
    return Found(content["cells"], content["printed"], content["differences"])


def write(found: Found) -> None:
    """A row a line, so that a change can be read."""
    blocks = []
    for name, rows in vars(found).items():
        lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
        blocks.append(f' "{name}": [\n{lines}\n ]')
    FILE.write_text("{\n" + ",\n".join(blocks) + "\n}\n")


def row_of(part: str, setting: str, method: str, seed: int, run: dict[str, Any]) -> Row:
    """What is kept of a run: AUROC in percent, shares in percent, bytes of the last round."""
    views = {one["view"]: one for one in run["test"]}
    row: Row = {"part": part, "setting": setting, "method": method, "seed": seed}
    row |= {view: round(100 * one["value"], 3) for view, one in views.items()}
    row |= {name: round(100 * views["both"]["findings"][name], 2) for name in FINDINGS if "both" in views}
    if (share := run.get("image_share_of_classifier")) is not None:
        row["image_share"] = round(100 * share, 2)
    last = run["rounds"][-1]
    row |= {"best": run["best"], "seconds": round(run["processor_seconds"], 1)}
    row |= {name: last[name] for name in ("messages", "bytes_sent", "bytes_received")}
    holds = {member["name"]: member["holds"] for member in run["members"]}
    for half in ("image", "text"):
        lent = [counts for name, counts in run["different_partners"].items() if holds[name] == half]
        if lent:
            row[f"partners_of_{half}"] = {of: round(float(np.mean([one[of] for one in lent])), 2) for of in lent[0]}
    return row


def collect(folder: Path) -> None:
    """Rows of the cells that are in a folder, beside those that are in the file."""
    there = read()
    rows = {(row["part"], row["setting"], row["method"], row["seed"]): row for row in there.cells}
    for *cell, _ in cells():
        file = file_of(folder, *cell)
        if file.exists():
            rows[tuple(cell)] = row_of(*cell, json.loads(file.read_text()))
    write(replace(there, cells=[rows[cell] for cell in sorted(rows)]))


if __name__ == "__main__":
    collect(Path(sys.argv[1]))
