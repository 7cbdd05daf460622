"""Tables, as Markdown, of what benches found seed by seed: means over seeds, and their spread."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

Arm = list[dict[str, Any]]
"""What was found of one thing, seed by seed."""
Rows = list[list[str]]


def read(folder: Path, seeds: str) -> dict[str, Arm]:
    """By name, in the order in which they were run, from the folders of the seeds."""
    found: dict[str, Arm] = {}
    for seed in sorted(folder.glob(seeds)):
        for file in sorted(seed.glob("*.json"), key=lambda file: file.stat().st_mtime):
            found.setdefault(file.stem, []).append(json.loads(file.read_text()))
    return found


def told(values: Iterable[float], digits: int = 2) -> str:
    """In percent: the mean and the standard deviation over seeds."""
    percents = 100 * np.asarray(list(values))
    mean = f"{percents.mean():.{digits}f}"
    return f"{mean} ± {percents.std(ddof=1):.{digits}f}" if len(percents) > 1 else mean


def table(title: str, head: list[str], rows: Rows) -> None:
    print(f"## {title}\n")
    lines = ["| " + " | ".join(row).replace(" -", " −").replace("(-", "(−") + " |" for row in (head, *rows)]
    print("\n".join([lines[0], "|---" * len(head) + "|", *lines[1:]]), end="\n\n")
