"""``leadapron audit membership``: was a patient among those that a model was trained on?"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np

from leadapron.attacks.membership import (
    MembershipConfig,
    Promise,
    audit_membership,
    error_with,
    models_needed,
    read_signals,
)
from leadapron.attacks.risk import Risk
from leadapron.cli import options
from leadapron.cli.saving import outcome_lines
from leadapron.engine import terminal
from leadapron.errors import ConfigError, DataError
from leadapron.release.provenance import hashes_of, versions
from leadapron.report import Results, write_results

IN_SUMMARY = ("auc", "tpr@fpr=0.001", "auc@top=0.01", "patients-above=0.9", "true-patients-above=0.9")
PLANNED = (0.5, 0.75, 0.9, 0.95, 0.99)


def _plan(context: click.Context, _option: click.Parameter, wanted: tuple[float, float] | None) -> None:
    """The plan needs no signals: it is asked for before there are any."""
    if wanted is None:
        return
    auc, error = wanted
    models = models_needed(auc, error)
    click.echo(f"{models:,} models, each trained on half of the patients, know an AUC of {auc:g} to within {error:g}.")
    click.echo(f"\n{'AUC':>6}{'error with them':>18}")
    for at in sorted({*PLANNED, auc}):
        click.echo(f"{at:>6g}{error_with(models, at):>18.4f}")
    context.exit()


@click.command()
@click.argument("signals", type=options.existing)
@options.out
@click.option(
    "--targets",
    type=click.IntRange(1),
    default=MembershipConfig.targets,
    show_default=True,
    help="How many models are attacked, at most a quarter of them; the others are the attacker's references.",
)
@click.option("--random-targets", is_flag=True, help="Draw the targets by the seed. [default: the last models]")
@click.option("--epsilon", type=float, help="What training promised about one record, with --delta.")
@click.option("--delta", type=float, help="What training promised about one record, with --epsilon.")
@click.option("--mu", type=float, help="The same as Gaussian privacy.")
@click.option(
    "--profile",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The same as a whole privacy profile: a .npy file of two rows, epsilons and deltas.",
)
@click.option(
    "--plan",
    type=(float, float),
    metavar="AUC ERROR",
    is_eager=True,
    expose_value=False,
    callback=_plan,
    help="Only say how many models are needed to know such an AUC to within such a standard error.",
)
@options.seed
@options.overwrite
def membership(
    signals: Path,
    out: Path,
    targets: int,
    random_targets: bool,
    epsilon: float | None,
    delta: float | None,
    mu: float | None,
    profile: Path | None,
    seed: int,
    overwrite: bool,
) -> None:
    """Was a patient among those that a model was trained on? SIGNALS holds what many models say of every record."""
    options.check_out(out, signals, overwrite=overwrite)
    config = MembershipConfig(targets, random_targets, _promise(epsilon, delta, mu, profile), seed)
    read = read_signals(signals)
    with terminal() as progress:
        risk = audit_membership(read, config, progress=progress)
    results = _save(risk, signals, out, asdict(config), overwrite=overwrite)
    click.echo(summary(results))
    click.echo(f"\n{out / 'results.json'}")


def _promise(epsilon: float | None, delta: float | None, mu: float | None, profile: Path | None) -> Promise | None:
    """At most one of the three ways to write a promise down."""
    pair = epsilon is not None or delta is not None
    if pair + (mu is not None) + (profile is not None) > 1:
        raise ConfigError("a promise is given in one way", allowed="--epsilon with --delta, or --mu, or --profile")
    if pair:
        if epsilon is None or delta is None:
            raise ConfigError("epsilon and delta go together", where="--epsilon, --delta")
        return Promise((epsilon,), (delta,))
    if profile is not None:
        try:
            pairs = np.load(profile, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise DataError(f"the array cannot be read ({error})", where=profile) from error
        if not isinstance(pairs, np.ndarray) or pairs.ndim != 2 or pairs.shape[0] != 2 or pairs.dtype.kind != "f":
            raise DataError("not a privacy profile", where=profile, allowed="two rows of floats, epsilons and deltas")
        return Promise(tuple(pairs[0].tolist()), tuple(pairs[1].tolist()))
    return None if mu is None else Promise(mu=mu)


def _save(risk: Risk, path: Path, out: Path, config: Mapping[str, object], *, overwrite: bool) -> Results:
    """The results with all that is needed to run the audit again. The page for people is written from them, here."""
    return write_results(
        risk,
        out,
        title=f"Membership audit of {path.resolve().name}",
        command="leadapron " + shlex.join(sys.argv[1:]),
        seed=int(str(config["seed"])),
        config=config,
        inputs={"release": path.resolve().name, "sha256": hashes_of(path)},
        versions=versions(),
        overwrite=overwrite,
    )


def summary(results: Results) -> str:
    """The figures of every attack and the controls in a few lines."""
    lines = [f"{'attack':<16}{'level':<11}{'figure':<25}{'measured':>10}   {'95 % interval':<18}{'chance':>8}"]
    for row in results.estimates:
        if row["group"] is None and row["metric"] in IN_SUMMARY:
            interval = f"{row['low']:.4f} – {row['high']:.4f}"
            lines.append(
                f"{row['attacker']:<16}{row['protocol']:<11}{row['metric']:<25}{row['value']:>10.4f}   "
                f"{interval:<18}{row['chance']:>8.4f}"
            )
    return "\n".join([*lines, *outcome_lines(results)])
