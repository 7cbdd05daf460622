"""Every defence of vectors against the strongest attackers: what is cut, and what is still useful. 15 minutes a seed.

    python bench/frontier.py FOLDER [--seed 0]

Each seed has a third of the patients of the clinic of linkage_recipe.py, whose folder may be the same. Some defences
are then judged at a second clinic as they were fitted at the first. What is in the folder already is not made again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from linkage_judged import QUICK, STRONGEST, Found, by_cosine, by_vectors, by_words, told, use
from linkage_recipe import encoded

import leadapron as la
from leadapron.engine import atomic_path
from leadapron.release import Release
from leadapron.uses import measure_utility

THIRDS = 3
POOLS = (100, 1000)
MATCHED = 500
BANK_PATIENTS = 400
ATTACKERS = (*QUICK, "sinkhorn", STRONGEST)
VECTORS: tuple[tuple[str, dict[str, int]], ...] = (
    ("codes", {"codes": 64}), ("codes", {"codes": 256}), ("codes", {"codes": 1024}),
    ("prototypes", {"k": 20}), ("subspace", {"directions": 14}), ("subspace", {"directions": 8}),
    ("subspace", {"directions": 4}), ("microaggregate", {"k": 5}), ("microaggregate", {"k": 20}),
    ("noise", {"length": 2}), ("dimensions", {"directions": 8}), ("quantise", {"bits": 1}),
)  # fmt: skip
HEADS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("private", {"epsilon": 1}), ("replication", {"epsilon": 1}), ("entropy", {}),
    ("prototype", {}), ("prototype", {"decorrelation": 0.05}), ("prototype", {"epsilon": 1}),
)  # fmt: skip
ABROAD = ("undefended", "codes-c256", "codes-c1024", "prototypes-k20", "subspace-d4", "prototype")


def some(release: Release, chosen: Callable[[pl.Series], pl.Series]) -> Release:
    """The patients whose number is chosen, on the sides where they are."""
    rows = chosen(release.records["patient_id"].rank("dense")).arg_true()
    arrays = {name: values[rows.to_numpy()] for name, values in release.arrays.items()}
    return replace(release, records=release.records[rows], arrays=arrays)


def name_of(method: str, options: dict[str, Any]) -> str:
    return "-".join([method, *(f"{key[0]}{value:g}" for key, value in options.items())])


def defended(before: Release, bank: Release, method: str, options: dict[str, Any], seed: int) -> Release:
    if method == "undefended":
        return before
    more: dict[str, Any] = {"seed": seed} if method == "noise" else {}
    if (method, options) in HEADS:
        more = {"seed": seed, "device": "cpu"} | ({"bank": bank} if method == "private" else {})
    return la.defend(before, method, **options, **more)


def elsewhere(away: Release, home: Release, after: Release, method: str, options: dict[str, Any]) -> Release:
    """The other clinic, with what was fitted at this one."""
    if method == "undefended":
        return away
    if (method, options) in HEADS:
        return la.defend(away, "transfer", fitted_on=after)
    return la.defend(away, method, **options, fitted_on=home)


def linked(after: Release, before: Release, seed: int) -> Found:
    found: Found = {"published": by_cosine(after.of_split("test"), POOLS, MATCHED)}
    found["vectors"] = by_vectors(after, ATTACKERS, POOLS, seed)
    return found | {"words": by_words(after, before, POOLS, seed)}


def recognised(after: Release) -> Found:
    """The strongest of those who know the training patients as they were released, in a gallery of 1,000."""
    risk = la.audit(after, "identity", split="test", known_split="train", pools=POOLS[-1:], headline_pool=POOLS[-1])
    return {"attacker": risk.headline.attacker, "chance": risk.headline.chance, **told(risk.headline)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0, choices=range(THIRDS))
    given = parser.parse_args()
    folder, seed = given.folder, given.seed
    before = some(encoded(folder, "home"), lambda number: number % THIRDS == seed)
    bank = some(encoded(folder, "pretraining"), lambda number: number <= BANK_PATIENTS)
    away = encoded(folder, "away")
    used, used_away = measure_utility(before), measure_utility(away)
    for method, options in (("undefended", {}), *VECTORS, *HEADS):
        name = name_of(method, options)
        place = folder / f"frontier-{seed}" / f"{name}.json"
        if place.is_file():
            continue
        after = defended(before, bank, method, options, seed)
        found = linked(after, before, seed)
        found["trained on"] = by_cosine(after.of_split("train"), POOLS, MATCHED)
        found |= {"identity": recognised(after), "use": use(after, used), "card": after.card.get("defence")}
        if name in ABROAD:
            there = elsewhere(away, before, after, method, options)
            found["abroad"] = linked(there, away, seed) | {"use": use(there, used_away)}
        place.parent.mkdir(exist_ok=True)
        with atomic_path(place) as path:
            path.write_text(json.dumps(found, default=str))
        first = [found["published"]["random-1000"]["recall@1"], found["vectors"]["random-1000"]]
        first += [found["words"]["random-1000"], found["identity"], found["use"][0]]
        print(name, *(f"{100 * one['value']:.2f}" for one in first), flush=True)


if __name__ == "__main__":
    main()
