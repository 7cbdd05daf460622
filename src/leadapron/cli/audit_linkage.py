"""``leadapron audit linkage``: can a radiograph be paired with its report again?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from leadapron.attacks.linkage import ALL_ATTACKERS, LinkageConfig, audit_linkage
from leadapron.cli import options
from leadapron.cli.attacked import CHOICES, attacked_splits, part_of
from leadapron.cli.saving import closing_lines, conclude, save
from leadapron.cohort import SPLITS
from leadapron.engine import terminal
from leadapron.errors import ConfigError
from leadapron.release import read_release
from leadapron.report import Results


@click.command()
@click.argument("release", type=options.existing)
@options.out
@click.option(
    "--pool",
    "pools",
    type=int,
    multiple=True,
    help="Size of a random pool; the whole database comes on top. [default: 100, 1000, 10000]",
)
@click.option(
    "--hard-pool",
    type=int,
    help="Size of the pathology-matched pool. [default: 100, 1000 or 10000, at most a quarter of the database]",
)
@click.option(
    "--attacker", "attackers", type=click.Choice(ALL_ATTACKERS), multiple=True, help="Only these. [default: all]"
)
@click.option(
    "--known-pairs",
    type=float,
    default=0.01,
    show_default=True,
    help="Share of pairs that the attacker 'realigned' knows, unless --known-split names others.",
)
@click.option(
    "--known-split",
    type=click.Choice(SPLITS),
    help="The attacker 'realigned' knows the pairs of this split; the attacked one must be another.",
)
@click.option(
    "--queries",
    type=int,
    help="Attack only about as many radiographs, by whole patients; candidates are all there. [default: all]",
)
@click.option(
    "--resample",
    type=click.Choice(["patient", "query"]),
    default="patient",
    show_default=True,
    help="Units of the intervals; 'query': queries, redrawn as published.",
)
@click.option(
    "--split",
    type=CHOICES,
    help="Attack the patients of this split. [default: those that neither encoder nor alignment nor defence was "
    "fitted on]",
)
@options.no_verify
@options.seed
@options.overwrite
def linkage(
    release: Path,
    out: Path,
    pools: tuple[int, ...],
    hard_pool: int | None,
    attackers: tuple[str, ...],
    known_pairs: float,
    resample: str,
    split: str | None,
    known_split: str | None,
    queries: int | None,
    no_verify: bool,
    seed: int,
    overwrite: bool,
) -> None:
    """Can a de-identified radiograph of RELEASE be paired with its report again?"""
    options.check_out(out, release, overwrite=overwrite)
    config = LinkageConfig(
        pools, hard_pool, attackers or ALL_ATTACKERS, known_pairs, resample, seed=seed, queries=queries
    )
    whole = read_release(release, verify=not no_verify)
    splits = attacked_splits(whole, split)
    if known_split is not None and (not splits or known_split in splits):
        raise ConfigError("the split under attack must be another than the known one", where="--split", got=split)
    attacked = part_of(whole, splits)
    known = whole.of_split(known_split) if known_split else None
    with terminal() as progress:
        risk = audit_linkage(attacked, config, known=known, progress=progress)
    said = {"split": "+".join(splits) or None, "known_split": known_split}
    results = save(risk, release, out, whole, {**asdict(config), **said}, overwrite=overwrite)
    conclude(results, summary(results), out)


def summary(results: Results) -> str:
    """The headline and the controls in a few lines."""
    headline = results.content["headline"]
    rows = [
        estimate
        for estimate in results.estimates
        if estimate["group"] is None
        and estimate["metric"] == "recall@1"
        and estimate["direction"] == headline["direction"]
    ]
    lines = [f"{'attacker':<12}{'pool':>16}  {'right report first':>18}   {'95 % interval':<18}{'chance':>8}"]
    for row in rows:
        pool = f"{row['pool']:,} {'matched' if row['protocol'] == 'hard' else 'random'}"
        interval = f"{row['low']:.2%} – {row['high']:.2%}"
        lines.append(f"{row['attacker']:<12}{pool:>16}  {row['value']:>18.2%}   {interval:<18}{row['chance']:>8.3%}")
    return "\n".join([*lines, *closing_lines(results)])
