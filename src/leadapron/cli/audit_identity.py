"""``leadapron audit identity``: are two radiographs recognised as one patient's?"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from leadapron.attacks.identity import ALL_ATTACKERS, IdentityConfig, audit_identity
from leadapron.cli import options
from leadapron.cli.attacked import CHOICES, attacked_splits, part_of
from leadapron.cli.saving import closing_lines, conclude, save
from leadapron.cohort import SPLITS
from leadapron.engine import terminal
from leadapron.errors import ConfigError
from leadapron.release import Release, read_release
from leadapron.release.fitting import fitted_splits
from leadapron.report import Results

IN_SUMMARY = (
    ("all-pairs", "auc"),
    ("apart", "auc"),
    ("matched", "auc"),
    ("all-pairs", "eer"),
    ("all-pairs", "tpr@fpr=0.001"),
    ("random", "precision@1"),
    ("apart", "precision@1"),
    ("matched", "precision@1"),
    ("random", "map@r"),
)


@click.command()
@click.argument("release", type=options.existing)
@options.out
@click.option(
    "--pool",
    "pools",
    type=int,
    multiple=True,
    help="Size of a gallery; all other images come on top. [default: 10, 100, 1000, 10000]",
)
@click.option(
    "--attacker", "attackers", type=click.Choice(ALL_ATTACKERS), multiple=True, help="Only these. [default: all]"
)
@click.option(
    "--match",
    "matched",
    multiple=True,
    help="What matched strangers share beside the findings. [default: sex, age, view, source]",
)
@click.option(
    "--split",
    type=CHOICES,
    help="Attack the patients of this split. [default: test; those that nothing was fitted on, if that is not there]",
)
@click.option(
    "--known-split",
    type=click.Choice(SPLITS),
    help="The attacker 'learned' knows the patients of this split. [default: train, where the attack is on test]",
)
@click.option(
    "--tune-split",
    type=click.Choice(SPLITS),
    help="The threshold is set on the patients of this split. [default: validate, where the attack is on test]",
)
@click.option(
    "--resample",
    type=click.Choice(["patient", "query"]),
    default="patient",
    show_default=True,
    help="Units of the intervals of ranked lists; of pairs they are always patients.",
)
@click.option(
    "--redraws",
    type=click.IntRange(100),
    default=IdentityConfig.redraws,
    show_default=True,
    help="How often queries are redrawn, with --resample query.",
)
@options.no_verify
@options.seed
@options.overwrite
def identity(
    release: Path,
    out: Path,
    pools: tuple[int, ...],
    attackers: tuple[str, ...],
    matched: tuple[str, ...],
    split: str | None,
    known_split: str | None,
    tune_split: str | None,
    resample: str,
    redraws: int,
    no_verify: bool,
    seed: int,
    overwrite: bool,
) -> None:
    """Are two radiographs of RELEASE recognised as one patient's?"""
    options.check_out(out, release, overwrite=overwrite)
    config = IdentityConfig(
        pools, attackers or ALL_ATTACKERS, matched or IdentityConfig.matched, resample, redraws, seed
    )
    whole = read_release(release, verify=not no_verify)
    splits, known_split, tune_split = _splits(whole, split, known_split, tune_split)
    attacked = part_of(whole, splits)
    known, tuning = (None if name is None else whole.of_split(name) for name in (known_split, tune_split))
    with terminal() as progress:
        risk = audit_identity(attacked, config, known=known, tuning=tuning, progress=progress)
    said = {"split": "+".join(splits) or None, "known_split": known_split, "tune_split": tune_split}
    results = save(risk, release, out, whole, {**asdict(config), **said}, overwrite=overwrite)
    conclude(results, summary(results), out)


def _splits(
    release: Release, split: str | None, known: str | None, tune: str | None
) -> tuple[tuple[str, ...], str | None, str | None]:
    """Who is attacked, whom the attacker knows, on whom the threshold is set: other patients each.

    Where all three splits are there, test patients alone are attacked, though nothing may have been fitted on the
    validation patients either: these are worth more to an attacker who sets a threshold on them.
    """
    there = set(release.records["split"]) if "split" in release.records.columns else set()
    if split is None and there >= set(SPLITS) and "test" not in fitted_splits(release):
        split = "test"
    splits = attacked_splits(release, split)
    if splits == ("test",):
        known = known or ("train" if "train" in there else None)
        tune = tune or ("validate" if "validate" in there else None)
    chosen = [name for name in (*splits, known, tune) if name is not None]
    if len(set(chosen)) < len(chosen) or (not splits and (known or tune)):
        raise ConfigError("attacked, known and tuning patients must be others", where="--split", got=", ".join(chosen))
    return splits, known, tune


def summary(results: Results) -> str:
    """The figures of every attacker and the controls in a few lines."""
    head = f"{'attacker':<12}{'strangers':<11}{'figure':<16}{'images':>8}{'measured':>10}   "
    lines = [head + f"{'95 % interval':<18}{'chance':>8}"]
    everybody = [row for row in results.estimates if row["group"] is None]
    for attacker in dict.fromkeys(row["attacker"] for row in everybody):
        for protocol, metric in IN_SUMMARY:
            for row in everybody:
                if (row["attacker"], row["protocol"], row["metric"]) == (attacker, protocol, metric):
                    interval = f"{row['low']:.4f} – {row['high']:.4f}"
                    lines.append(
                        f"{attacker:<12}{protocol:<11}{metric:<16}{row['pool']:>8,}{row['value']:>10.4f}   "
                        f"{interval:<18}{row['chance']:>8.4f}"
                    )
    return "\n".join([*lines, *closing_lines(results)])
