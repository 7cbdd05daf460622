"""``leadapron audit membership``: was a patient among those that a model was trained on?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np
from click.core import ParameterSource

from leadapron.attacks.membership import (
    Declared,
    MembershipConfig,
    Promise,
    audit_membership,
    error_with,
    models_needed,
    read_signals,
)
from leadapron.attacks.membership.promise import UNITS
from leadapron.attacks.membership.reading import read_card, read_made_from
from leadapron.attacks.risk import Risk
from leadapron.cli import options
from leadapron.cli.audit_as_found import as_found_options, attack_as_found, check_options
from leadapron.cli.saving import closing_lines, conclude, save_with
from leadapron.engine import terminal
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import ConfigError, DataError
from leadapron.release.provenance import NOTHING_RECORDED, hashes_of
from leadapron.report import Results

IN_SUMMARY = (
    "auc",
    "tpr@fpr=0.001",
    "auc@top=0.01",
    "patients-above=0.9",
    "true-patients-above=0.9",
    "precision@fpr=0.01",
)
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
@click.option("--epsilon", type=float, help="What training promised, with --delta.")
@click.option("--delta", type=float, help="What training promised, with --epsilon.")
@click.option("--mu", type=float, help="The same as Gaussian privacy.")
@click.option(
    "--profile",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The same as a whole privacy profile: a .npy file of two rows, epsilons and deltas.",
)
@click.option(
    "--promised-to",
    type=click.Choice(UNITS),
    default=Promise.unit,
    show_default=True,
    help="Whom training protected: single records, or patients with all of theirs.",
)
@click.option(
    "--access",
    type=float,
    default=Declared.access,
    show_default=True,
    metavar="SHARE",
    help="Declared and not measured: how likely an attacker holds a given patient's record.",
)
@click.option(
    "--prior",
    type=float,
    default=Declared.prior,
    show_default=True,
    metavar="SHARE",
    help="Declared and not measured: the share of members among those whom the attacker asks about.",
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
@as_found_options
@options.no_verify
@options.seed
@options.overwrite
@click.pass_context
def membership(
    context: click.Context,
    signals: Path,
    out: Path,
    targets: int,
    random_targets: bool,
    epsilon: float | None,
    delta: float | None,
    mu: float | None,
    profile: Path | None,
    promised_to: str,
    access: float,
    prior: float,
    as_found: bool,
    target: int,
    slope: float,
    no_verify: bool,
    seed: int,
    overwrite: bool,
) -> None:
    """Was a patient among those that a model was trained on? SIGNALS holds what many models say of every record."""
    options.check_out(out, signals, overwrite=overwrite)
    check_options(context, as_found=as_found)
    unused = context.get_parameter_source("promised_to") is not ParameterSource.DEFAULT
    if unused and epsilon is None and delta is None and mu is None and profile is None:
        raise ConfigError("nothing was promised", where="--promised-to", fix="Give --epsilon and --delta, or another.")
    promise, declared = _promise(epsilon, delta, mu, profile, promised_to), Declared(access, prior)
    settings: Mapping[str, object]
    if as_found:
        risk, settings = attack_as_found(signals, target, slope, declared, seed, verify=not no_verify)
    else:
        config = MembershipConfig(targets, random_targets, promise, seed, declared)
        settings = asdict(config)
        read = read_signals(signals, verify=not no_verify)
        with terminal() as progress:
            risk = audit_membership(read, config, progress=progress)
    results = _save(risk, signals, out, settings, verify=not no_verify, overwrite=overwrite)
    conclude(results, summary(results), out)


def _promise(
    epsilon: float | None, delta: float | None, mu: float | None, profile: Path | None, unit: str
) -> Promise | None:
    """At most one of the three ways to write a promise down."""
    pair = epsilon is not None or delta is not None
    if pair + (mu is not None) + (profile is not None) > 1:
        raise ConfigError("a promise is given in one way", allowed="--epsilon with --delta, or --mu, or --profile")
    if pair:
        if epsilon is None or delta is None:
            raise ConfigError("epsilon and delta go together", where="--epsilon, --delta")
        return Promise((epsilon,), (delta,), unit=unit)
    if profile is not None:
        try:
            pairs = np.load(profile, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise DataError(f"the array cannot be read ({error})", where=profile) from error
        if not isinstance(pairs, np.ndarray) or pairs.ndim != 2 or pairs.shape[0] != 2 or pairs.dtype.kind != "f":
            raise DataError("not a privacy profile", where=profile, allowed="two rows of floats, epsilons and deltas")
        return Promise(tuple(pairs[0].tolist()), tuple(pairs[1].tolist()), unit=unit)
    return None if mu is None else Promise(mu=mu, unit=unit)


def _save(risk: Risk, path: Path, out: Path, config: Mapping[str, object], *, verify: bool, overwrite: bool) -> Results:
    """Of signals their files are known, which are none of a release's, and what the models were trained on."""
    card = read_card(path)
    verified = (verify and card.get("source_verified") is not False) if "sha256" in card else NOTHING_RECORDED
    hashes = {f"signals/{name}": digest for name, digest in hashes_of(path).items()}
    subject = {
        "kind": "signals",
        "id": id_of_files(hashes),
        "made_from": read_made_from(path),
        "holds": [],
        "mates": None,
    }
    inputs = {"release": path.resolve().name, "sha256": hashes, "verified": verified, "subject": subject}
    return save_with(risk, path, out, inputs, config, overwrite=overwrite)


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
    return "\n".join([*lines, *closing_lines(results)])
