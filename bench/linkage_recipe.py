"""The published mitigation of linkage, taken apart: which step of the recipe does what? About an hour a seed.

    python bench/linkage_recipe.py FOLDER [--seed 0]

Heads of BioViL-T's form are trained on one phantom clinic, batch norm and all. Then the recipe is run on the training
patients of another, whole and step by step, with and without the exchange of batch norm for group norm, and judged on
its test patients and at a second site. What is in the folder already is not made again.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from leadapron.attacks.linkage.knowledge import Knowledge
from leadapron.attacks.linkage.known_words import with_words
from leadapron.attacks.linkage.linkage_task import DIRECTIONS, Task, build_task
from leadapron.attacks.linkage.linkers import attacker
from leadapron.attacks.linkage.matched_pools import hard_pool_metrics, tier_sizes
from leadapron.attacks.linkage.random_pools import RandomPools, reciprocal_rank_in_pool
from leadapron.attacks.linkage.ranks import rank_truth
from leadapron.defences.heads.defend import apply_heads, defend_heads
from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.encoders import EncodeConfig, Weights, encode, find_encoder
from leadapron.encoders.phantom_head_training import SEED as PRETRAINING
from leadapron.encoders.phantom_head_training import train_heads
from leadapron.engine import atomic_path, silent, terminal
from leadapron.phantoms import Dials, build_clinic
from leadapron.privacy.accounting import Spending, sigma_by_rdp
from leadapron.release import Release, read_release, write_release
from leadapron.stats import best_of, shares
from leadapron.uses import measure_utility
from leadapron.uses.utility_pairing import paired_use

ENCODER = "phantom-biovil"
CLINICS = {"pretraining": Dials(patients=4000, seed=PRETRAINING), "home": Dials(patients=9000, seed=41),
           "away": Dials(patients=3400, seed=42, site="B")}  # fmt: skip
TEST, VALIDATE = 0.39, 0.04
"""Of the patients at home: enough to fill the published pool of 10,000."""
POOLS = (100, 1000, 10_000)
MATCHED = 1000
"""Of some 10,600 reports; 10,000 would be nearly all of them."""
RATES = (1e-4, 1e-3)
PUBLISHED = Spending(sigma=0.0, rate=128 / 153_255, steps=5990)
"""What the study's accountant counted: 128 of so many training pairs a step, for five epochs."""
PUBLISHED_EPSILON, PUBLISHED_DELTA = 1.0, 6e-6
BY_VECTORS, STRONGEST = ("csls", "realigned"), "composed"
RELEASED = (None, "untrained", "norm_swap_only")
"""What might be released; the strongest attacker is let loose on it, and on the other controls the quick ones alone."""
SWITCHED = (None, "noise_only", "clip_only", "nonprivate")


def arms(pairs: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """By name: the recipe, what it is made of, and what stands beside it. ``pairs`` are there to be trained on."""
    yield "off-the-shelf", {"method": "replication", "control": "untrained"}
    yield "swap", {"method": "replication", "control": "norm_swap_only"}
    sigma = sigma_by_rdp(PUBLISHED, PUBLISHED_EPSILON, PUBLISHED_DELTA)
    for rate in RATES:
        for norms in ("swap", "keep"):
            options = {"method": "replication", "norms": norms, "learning_rate": rate}
            for control in SWITCHED:
                yield f"{norms}-{control or 'private'}-{rate:g}", {**options, "control": control}
            for control in SWITCHED[:2]:  # the published noise and number of steps; epsilon is larger, for fewer pairs
                many = {"control": control, "sigma": sigma, "epochs": round(PUBLISHED.steps * 128 / pairs)}
                yield f"{norms}-{control or 'private'}-{rate:g}-many", {**options, **many}
    yield "proved", {"method": "private"}
    yield "entropy", {"method": "entropy", "learning_rate": RATES[0]}


def encoded(folder: Path, name: str) -> Release:
    place = folder / name
    if not (place / "release.json").is_file():
        spec = find_encoder(ENCODER)
        with terminal() as progress:
            pixels = build_clinic(CLINICS[name]).pixels(progress=progress)
            release = encode(
                pixels, ENCODER, spec, spec.load(Weights()), folder / f".{name}", EncodeConfig(with_features=True),
                progress=progress,
            )  # fmt: skip
        if name == "home":  # patients are all alike before anybody looks, so any deal of them will do
            turn = (release.records["patient_id"].rank("dense") - 0.5) / release.records["patient_id"].n_unique()
            side = pl.when(turn < TEST).then(pl.lit("test")).when(turn < TEST + VALIDATE)
            split = side.then(pl.lit("validate")).otherwise(pl.lit("train")).alias("split")
            release = replace(release, records=release.records.with_columns(pl.select(split).to_series()))
        write_release(release, place)
    return read_release(place)


def pretrained(folder: Path, seed: int) -> Release:
    """The clinic under attack with heads of this seed, off the shelf."""
    pairs, home = encoded(folder, "pretraining"), encoded(folder, "home")
    heads = train_heads(pairs.arrays["image_features"][:], pairs.arrays["text_features"][:], seed=seed)
    return with_features(apply_heads(home, heads, home.fitted), home)


def with_features(release: Release, source: Release) -> Release:
    return replace(release, arrays={**source.arrays, **release.arrays})


def compared(task: Task, known: Task, names: tuple[str, ...], seed: int) -> dict[str, Any]:
    """The strongest attacker in every pool, with room for the choice."""
    knowledge, chances = Knowledge(seed=seed, pairs=known), []
    for name in names:
        attacked = attacker(name)(task, knowledge)
        chances.append(RandomPools(rank_truth(attacked.queries, attacked.database, attacked.truth)))
    found = {}
    for pool in POOLS:
        best = best_of(np.stack([one.recall(pool) for one in chances], axis=1), task.query_patient)
        found[f"random-{pool}"] = {"attacker": names[best.rival], **told(best.estimate)}
    return found


def told(estimate: Any) -> dict[str, float]:  # noqa: ANN401
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def published(release: Release) -> dict[str, Any]:
    """Cosine, as published: random pools of every size, and matched ones."""
    task = build_task(release, DIRECTIONS[0])
    ranks = rank_truth(task.queries, task.database, task.truth, task.query_codes)
    chances, found = RandomPools(ranks), {}
    for pool in (*(pool for pool in POOLS if pool <= task.database.size), task.database.size):
        columns = [chances.recall(pool, first) for first in (1, 5, 10)] + [reciprocal_rank_in_pool(ranks, pool)]
        found[f"random-{pool}"] = columns
    matched = hard_pool_metrics(ranks, tier_sizes(task.query_codes, task.candidate_codes), MATCHED, (1, 5, 10))
    found[f"matched-{MATCHED}"] = list(matched.T)
    metrics = ("recall@1", "recall@5", "recall@10", "mrr")
    return {
        pool: dict(zip(metrics, map(told, shares(np.stack(columns, axis=1), task.query_patient)), strict=True))
        for pool, columns in found.items()
    }


def judged(after: Release, before: Release, away: Release, seed: int, *, hard: bool) -> dict[str, Any]:
    """Everything that is asked of an arm."""
    test, known = after.of_split("test"), after.of_split("train")
    forward, names = DIRECTIONS[0], (*BY_VECTORS, STRONGEST) if hard else BY_VECTORS
    found = {"published": published(test)}
    found["vectors"] = compared(build_task(test, forward), build_task(known, forward), names, seed)
    if hard:
        hybrid = replace(after, arrays={**before.arrays, "image": after.arrays["image"]}, heads={}, prompts={})
        sides = [with_words(hybrid.of_split(name)) for name in ("test", "train")]
        tasks = (build_task(side, forward, one_space=False) for side in sides)
        found["words"] = compared(*tasks, (STRONGEST,), seed)
    return found | {"abroad": published(apply_heads(away, after.heads, away.fitted))}


def use(after: Release, before: Release, kept: dict[str, Any]) -> dict[str, Any]:
    """AUROC and the rest by linear probe, by finding, each beside what it was, paired."""
    if "before" not in kept:
        kept["before"] = measure_utility(before)
    found = measure_utility(after)
    said = []
    for row in found.estimates:
        paired = paired_use(kept["before"], found, row)
        entry = {"metric": row.metric, "label": row.at.get("label"), **told(row)}
        if paired is not None:
            entry |= {"before": paired.before, "difference": paired.difference, "apart": [paired.low, paired.high]}
            entry |= {"p": paired.p}
        said.append(entry)
    return {"use": said}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", help="arms whose names begin so")
    given = parser.parse_args()
    folder, seed = given.folder, given.seed
    folder.mkdir(parents=True, exist_ok=True)
    before, away, bank = pretrained(folder, seed), encoded(folder, "away"), encoded(folder, "pretraining")
    kept: dict[str, Any] = {}
    for name, options in arms(len(before.of_split("train"))):
        place = folder / f"seed-{seed}" / f"{name}.json"
        if place.is_file() or (given.only and not name.startswith(tuple(given.only))):
            continue
        strangers = {"bank": bank} if options["method"] == "private" else {}
        config = HeadsConfig(seed=seed, device="cpu", **options, **strangers)
        defended, card = defend_heads(before, config, silent)
        hard = options.get("control") in RELEASED
        found = judged(defended, before, away, seed, hard=hard) | use(defended, before, kept)
        found |= {"arm": name, "seed": seed, "facts": card.facts, "guarantee": card.guarantee.details}
        place.parent.mkdir(exist_ok=True)
        with atomic_path(place) as path:
            path.write_text(json.dumps(found, default=str))
        pool = f"random-{POOLS[-1]}"
        first = [found["published"][pool]["recall@1"], *(found[by][pool] for by in ("vectors", "words") if by in found)]
        print(name, *(f"{100 * one['value']:.2f}" for one in first), flush=True)


if __name__ == "__main__":
    main()
