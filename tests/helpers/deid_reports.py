"""Reports of invented people as a hospital has them in a CSV file, a key, and the command that de-identifies them."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from command_line import Outcome, run
from leadapron.defences.reports.key_file import new_key

KEY = bytes(range(32))
OTHER_KEY = bytes(range(1, 33))
FIRST = (
    "Patient: Amara Okafor   MRN: 4471902\n"
    "Compared with 03/14/2019, the small left pleural effusion is unchanged.\n"
    "Read by Dr. Lindqvist on 04/02/2019 at 14:30."
)
SECOND = "OKAFOR, AMARA was seen again on April 12, 2019. No pneumothorax. Mrs. Okfor tolerated it well."
THIRD = "Patient: Amara Okafor. Mild cardiomegaly on 06/01/2018."
ROWS = [("r1", "p1", FIRST), ("r2", "p1", SECOND), ("r3", "p2", THIRD)]
MEDICINE = ("small left pleural effusion is unchanged", "No pneumothorax", "Mild cardiomegaly")
GONE = ("Amara", "Okafor", "OKAFOR", "Okfor", "Lindqvist", "4471902", "03/14/2019", "April 12, 2019", "14:30")


def key_file(folder: Path, name: str = "our.key") -> Path:
    new_key(folder / name)
    return folder / name


def csv_file(
    folder: Path,
    rows: Sequence[Sequence[str]] = ROWS,
    head: Sequence[str] = ("record_id", "patient_id", "report"),
    **how: str,
) -> Path:
    file = folder / "reports.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, **how)  # type: ignore[arg-type]
        writer.writerow(head)
        writer.writerows(rows)
    return file


def defend(source: Path, out: Path, *more: object, key: Path | None = None) -> Outcome:
    """``leadapron defend reports``, with a key beside the output if there is none yet."""
    place = key or out.parent / "our.key"
    if not place.exists():
        new_key(place)
    return run("defend", "reports", source, "--key", place, "--out", out, *more)


def written(out: Path) -> list[dict[str, str]]:
    """The rows that were written, read by somebody else's reader."""
    with (out / "reports.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def spans_of(out: Path) -> pl.DataFrame:
    return pl.read_parquet(out / "spans.parquet")
