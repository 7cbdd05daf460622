"""The tables of docs/compare.md from what bench/frontier.py made: means over seeds, and their spread.

python bench/frontier_tables.py FOLDER
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from seed_tables import Arm, Rows, read, table, told

POOL, CHANCE = "random-1000", 1e-3
WAYS = ("vectors", "words")
LINKED = [f"{name} by {way}, %" if name == "strongest" else name for way in WAYS for name in ("strongest", "cut, %")]
USED = ["macro AUROC, %", "AUROC kept, %"]


def left(entries: list[dict[str, Any]], before: list[dict[str, Any]]) -> list[float]:
    """What is left above chance, seed by seed; each may have a chance of its own."""
    pairs = zip(entries, before, strict=True)
    return [
        (one["value"] - one.get("chance", CHANCE)) / (old["value"] - old.get("chance", CHANCE)) for one, old in pairs
    ]


def cut(entries: list[dict[str, Any]], before: list[dict[str, Any]], digits: int = 0) -> str:
    return told((1 - share for share in left(entries, before)), digits)


def auroc(found: dict[str, Any]) -> float:
    """The mean over findings."""
    return float(next(row["value"] for row in found["use"] if (row["metric"], row["label"]) == ("auroc", None)))


def promise(card: dict[str, Any] | None) -> str:
    guarantee = card["guarantee"] if card else {"kind": "none"}
    if guarantee.get("kind") == "differential privacy":
        return f"DP, {guarantee['unit']}, ε {guarantee['epsilon']:.3g}"
    details = guarantee.get("details") or {}
    return f"k = {details['k']}" if "k" in details else str(guarantee.get("kind", "none"))


def risk_and_use(name: str, arm: Arm, undefended: Arm) -> list[str]:
    cells = [f"`{name}`" if arm is not undefended else name]
    for way in WAYS:
        entries, before = ([one[way][POOL] for one in some] for some in (arm, undefended))
        cells += [told(entry["value"] for entry in entries), "–" if arm is undefended else cut(entries, before)]
    kept = (auroc(one) / auroc(old) for one, old in zip(arm, undefended, strict=True))
    return [*cells, told(map(auroc, arm)), "–" if arm is undefended else told(kept, 1)]


def overview(found: dict[str, Arm]) -> Rows:
    undefended, rows = found["undefended"], []
    for name, arm in found.items():
        name_, *cells = risk_and_use(name, arm, undefended)
        cosine = told(one["published"][POOL]["recall@1"]["value"] for one in arm)
        rows.append([name_, cosine, *cells, promise(arm[0]["card"])])
    return rows


def single_seeds(found: dict[str, Arm]) -> Rows:
    """By words: each seed with its own interval, so that nobody has to trust a mean of three."""
    rows: Rows = []
    for name, arm in found.items():
        entries = [one["words"][POOL] for one in arm]
        rows.append([f"`{name}`", *("{value:.2%} ({low:.2%}–{high:.2%})".format(**entry) for entry in entries)])
    return rows


def training_pairs(found: dict[str, Arm]) -> Rows:
    rows: Rows = []
    for name, arm in found.items():
        sides = [[one[side][POOL]["recall@1"]["value"] for one in arm] for side in ("trained on", "published")]
        apart = (here - there for here, there in zip(*sides, strict=True))
        rows.append([f"`{name}`", *map(told, sides), told(apart)])
    return rows


def identity(found: dict[str, Arm]) -> Rows:
    before, rows = [one["identity"] for one in found["undefended"]], []
    for name, arm in found.items():
        entries = [one["identity"] for one in arm]
        who = ", ".join(sorted({entry["attacker"] for entry in entries}))
        rows.append([f"`{name}`", told((entry["value"] for entry in entries), 1), who, cut(entries, before)])
    return rows


def abroad(found: dict[str, Arm]) -> Rows:
    there = {name: [one["abroad"] for one in arm] for name, arm in found.items() if "abroad" in arm[0]}
    return [risk_and_use(name, arm, there["undefended"]) for name, arm in there.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    found = read(parser.parse_args().folder, "frontier-*")
    table("Overview", ["release", "cosine, %", *LINKED, *USED, "guarantee"], overview(found))
    table("By words, seed by seed", ["release", *(f"seed {seed}" for seed in range(3))], single_seeds(found))
    table("Training pairs", ["release", "training pairs, %", "held-out pairs, %", "apart"], training_pairs(found))
    table("Identity", ["release", "recognised among 1,000, %", "attacker", "excess cut, %"], identity(found))
    table("At another clinic", ["release", *LINKED, *USED], abroad(found))


if __name__ == "__main__":
    main()
