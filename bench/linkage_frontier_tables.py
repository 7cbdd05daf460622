"""The table of docs/compare.md from what bench/linkage_frontier.py made: means over seeds, and their spread.

python bench/linkage_frontier_tables.py FOLDER
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from frontier_tables import Rows, promise, table
from linkage_recipe_tables import Arm, told

POOL, CHANCE = "random-1000", 1e-3


def read(folder: Path) -> dict[str, Arm]:
    """What was found of each release, seed by seed."""
    found: dict[str, Arm] = {}
    for seed in sorted(folder.glob("frontier-*")):
        for file in sorted(seed.glob("*.json"), key=lambda file: file.stat().st_mtime):
            found.setdefault(file.stem, []).append(json.loads(file.read_text()))
    return found


def share(entries: list[dict[str, Any]], before: list[dict[str, Any]], *, chance: float = 0.0) -> list[float]:
    """What is left above chance, seed by seed."""
    pairs = zip(entries, before, strict=True)
    return [(one["value"] - chance) / (old["value"] - chance) for one, old in pairs]


def overview(found: dict[str, Arm]) -> Rows:
    undefended, rows = found["undefended"], []
    for name, arm in found.items():
        cells = [told(one["published"][POOL]["recall@1"]["value"] for one in arm)]
        for by in ("vectors", "words"):
            entries, before = ([one[by][POOL] for one in some] for some in (arm, undefended))
            cells.append(told(one["value"] for one in entries))
            cut = [1 - left for left in share(entries, before, chance=CHANCE)]
            cells.append("–" if arm is undefended else told(cut, 0))
        cells += [told(one["use"][0]["value"] for one in arm)]
        kept = share([one["use"][0] for one in arm], [one["use"][0] for one in undefended])
        cells.append("–" if arm is undefended else told(kept, 1))
        card = arm[0]["card"]
        rows.append([f"`{name}`" if card else name, *cells, promise(card["guarantee"]) if card else "none"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    found = read(parser.parse_args().folder)
    head = [
        "release",
        "cosine, %",
        "strongest by vectors, %",
        "excess cut, %",
        "strongest by words, %",
        "excess cut, %",
    ]
    table("Overview", [*head, "macro AUROC, %", "AUROC kept, %", "guarantee"], overview(found))


if __name__ == "__main__":
    main()
