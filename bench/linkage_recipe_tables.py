"""The tables of docs/private-heads.md from what bench/linkage_recipe.py made: means over seeds, and their spread.

python bench/linkage_recipe_tables.py FOLDER
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from frontier_tables import auroc
from linkage_judged import METRICS
from seed_tables import Arm, Rows, read, table, told

POOL = "random-10000"
CHANCE = 1e-4
RATES = ("0.0001", "0.001")
CHAIN = ("swap", "swap-nonprivate", "swap-clip_only", "swap-private")
STEPS = ("swap", "training", "clipping", "noise")
USE = {"auroc": "macro AUROC", "accuracy": "macro accuracy", "sensitivity": "macro sensitivity",
       "specificity": "macro specificity"}  # fmt: skip
PUBLISHED = ("off-the-shelf", "swap", "swap-private-0.0001", "swap-private-0.001", "keep-private-0.001", "entropy")


def over(arm: Arm, value: Callable[[dict[str, Any]], float]) -> np.ndarray:
    return np.array([value(found) for found in arm])


def cosine(found: dict[str, Any], pool: str = POOL, where: str = "published") -> float:
    return float(found[where][pool]["recall@1"]["value"])


def strongest(found: dict[str, Any], by: str) -> float:
    return float(found[by][POOL]["value"])


def excess(arm: Arm, before: Arm, value: Callable[[dict[str, Any]], float]) -> np.ndarray:
    """What is left of the linkage above chance, seed by seed."""
    return (over(arm, value) - CHANCE) / (over(of_same(arm, before), value) - CHANCE)


def of_same(arm: Arm, other: Arm) -> Arm:
    """The other arm, of the seeds that this one has."""
    seeds = {found["seed"] for found in arm}
    return [found for found in other if found["seed"] in seeds]


def overview(arms: dict[str, Arm]) -> Rows:
    before, rows = arms["off-the-shelf"], []
    for name, arm in arms.items():
        cells = [told(cosine(found, pool) for found in arm) for pool in ("random-100", "random-1000", POOL)]
        cells.append(told(1 - excess(arm, before, cosine), 0))
        for by in ("vectors", "words"):
            cells.append(told(strongest(found, by) for found in arm))
            cells.append(told(1 - excess(arm, before, partial(strongest, by=by)), 0))
        kept = over(arm, auroc) / over(of_same(arm, before), auroc)
        rows.append([f"`{name}`", *cells, told(kept, 1)])
    return rows


def chain(arms: dict[str, Arm]) -> Rows:
    """By how many points of the first excess each step of the recipe changes it, one after another."""
    rows: Rows = []
    for rate in RATES:
        names = ["swap", *(f"{name}-{rate}" for name in CHAIN[1:])]
        fewest = min((arms[name] for name in (*names, f"keep-private-{rate}")), key=len)
        every = [of_same(fewest, arms[name]) for name in (*names, f"keep-private-{rate}")]
        *left, kept = (excess(arm, arms["off-the-shelf"], cosine) for arm in every)
        steps, alone = np.diff([np.ones(len(fewest)), *left], axis=0), kept - 1
        rows.append([rate, *(told(step, 0) for step in steps), told(left[-1] - 1, 0), told(alone, 0)])
    return rows


def pools(arms: dict[str, Arm]) -> Rows:
    """The study's tables 1 to 3 in shape: home and away, random and matched pools."""
    rows: Rows = []
    for where, site in (("published", "home"), ("abroad", "away")):
        for name in PUBLISHED:
            for pool in arms[name][0][where]:
                entries = [found[where][pool] for found in arms[name]]
                cells = [told((entry[metric]["value"] for entry in entries), 3) for metric in METRICS]
                rows.append([site, f"`{name}`", pool.replace("-", " "), *cells])
    return rows


def use(arm: Arm) -> Rows:
    """The study's table 4 and figure 5 in shape: means over findings, then the AUROC of every finding."""
    means = [(metric, None) for metric in USE]
    each = [("auroc", row["label"]) for row in arm[0]["use"] if row["metric"] == "auroc" and row["label"]]
    rows: Rows = []
    for metric, label in (*means, *each):
        found = [row for one in arm for row in one["use"] if (row["metric"], row["label"]) == (metric, label)]
        if len(found) < len(arm) or any("before" not in row for row in found):
            continue
        p = ", ".join(f"{row['p']:.{2 if row['p'] > 0.01 else 3}f}" for row in found)
        cells = [told(row[name] for row in found) for name in ("before", "value", "difference")]
        name = USE[metric] if label is None else f"AUROC, {label.replace('_', ' ')}"
        rows.append([name, *cells, p])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    arms = read(parser.parse_args().folder, "seed-*")
    head = ["arm", "among 100, %", "among 1,000, %", "among 10,000, %", "cut, %", "strongest by vectors, %", "cut, %"]
    table("Taken apart", [*head, "strongest by words, %", "cut, %", "AUROC kept, %"], overview(arms))
    table("Chain", ["learning rate", *STEPS, "together", "without the swap"], chain(arms))
    table("Tables 1 to 3", ["site", "arm", "pool", "Recall@1", "Recall@5", "Recall@10", "MRR"], pools(arms))
    for name in ("swap-private-0.0001", "swap-private-0.001"):
        head = ["metric", "off the shelf", name, "difference, points", "p, by seed"]
        table(f"Table 4: {name}", head, use(arms[name]))


if __name__ == "__main__":
    main()
