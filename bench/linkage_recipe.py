"""The published mitigation of linkage, taken apart: which step of the recipe does what? Half an hour a seed.

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
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
from linkage_judged import QUICK, STRONGEST, by_cosine, by_vectors, by_words, use

from leadapron.defences.heads.defend import apply_heads, defend_heads
from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.encoders import EncodeConfig, Weights, encode, find_encoder
from leadapron.encoders.phantom_head_training import SEED as PRETRAINING
from leadapron.encoders.phantom_head_training import train_heads
from leadapron.engine import atomic_path, silent, terminal
from leadapron.phantoms import Dials, build_clinic
from leadapron.privacy.accounting import Spending, sigma_by_rdp
from leadapron.release import Release, read_release, write_release
from leadapron.uses import measure_utility

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
SWITCHED = (None, "noise_only", "clip_only", "nonprivate")


def arms(pairs: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """By name: the recipe, what it is made of, and what stands beside it. ``pairs`` are there to be trained on."""
    yield "off-the-shelf", {"method": "replication", "control": "untrained"}
    yield "swap", {"method": "replication", "control": "norm_swap_only"}
    for rate, norms in product(RATES, ("swap", "keep")):
        for control in SWITCHED:
            options = {"method": "replication", "norms": norms, "learning_rate": rate, "control": control}
            yield f"{norms}-{control or 'private'}-{rate:g}", options
    yield "proved", {"method": "private"}
    # the published noise and number of steps: epsilon is larger, for there are fewer pairs
    many = {"sigma": sigma_by_rdp(PUBLISHED, PUBLISHED_EPSILON, PUBLISHED_DELTA)}
    many["epochs"] = round(PUBLISHED.steps * 128 / pairs)
    for rate, norms, control in product(RATES, ("swap", "keep"), SWITCHED[:2]):
        options = {"method": "replication", "norms": norms, "learning_rate": rate, "control": control}
        yield f"many-{norms}-{control or 'private'}-{rate:g}", {**options, **many}
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


def judged(after: Release, before: Release, away: Release, seed: int) -> dict[str, Any]:
    """Everything that is asked of an arm but its use."""
    found = {"published": by_cosine(after.of_split("test"), POOLS, MATCHED)}
    found["vectors"] = by_vectors(after, (*QUICK, STRONGEST), POOLS, seed)
    found["words"] = by_words(after, before, POOLS, seed)
    return found | {"abroad": by_cosine(apply_heads(away, after.heads, away.fitted), POOLS, MATCHED)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", help="arms whose names begin so")
    given = parser.parse_args()
    folder, seed = given.folder, given.seed
    folder.mkdir(parents=True, exist_ok=True)
    before, away, bank = pretrained(folder, seed), encoded(folder, "away"), encoded(folder, "pretraining")
    used = measure_utility(before)
    for name, options in arms(len(before.of_split("train"))):
        place = folder / f"seed-{seed}" / f"{name}.json"
        if place.is_file() or (given.only and not name.startswith(tuple(given.only))):
            continue
        strangers = {"bank": bank} if options["method"] == "private" else {}
        config = HeadsConfig(seed=seed, device="cpu", **options, **strangers)
        defended, card = defend_heads(before, config, silent)
        found = judged(defended, before, away, seed) | {"use": use(defended, used)}
        found |= {"arm": name, "seed": seed, "facts": card.facts, "guarantee": card.guarantee.details}
        place.parent.mkdir(exist_ok=True)
        with atomic_path(place) as path:
            path.write_text(json.dumps(found, default=str))
        pool = f"random-{POOLS[-1]}"
        first = [found["published"][pool]["recall@1"], found["vectors"][pool], found["words"][pool]]
        print(name, *(f"{100 * one['value']:.2f}" for one in first), flush=True)


if __name__ == "__main__":
    main()
