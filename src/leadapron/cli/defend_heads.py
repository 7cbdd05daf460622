"""``leadapron defend heads``: a release in, a release with heads trained anew out; its controls stay outside of it."""

from __future__ import annotations

import json
import textwrap
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from leadapron import __version__
from leadapron.cli import options
from leadapron.defences.heads.config import ENTROPIES, LEVELS, STARTS, HeadsConfig
from leadapron.defences.heads.methods import METHODS, controls_of
from leadapron.engine import Progress, atomic_folder, terminal
from leadapron.engine.ours import remove_ours
from leadapron.engine.private import private_folder
from leadapron.errors import ConfigError, LeadapronError
from leadapron.release import Release, read_release, write_release
from leadapron.release.beside import controls_beside

HELP = "\n\n".join(
    (
        "Train the alignment heads of RELEASE anew, on its split 'train', and apply them to all of its records.",
        "RELEASE must have been encoded with --with-features; the new release leaves the features out. The methods:",
        *(f"  {name}: {method.summary}" for name, method in METHODS.items()),
    )
)
WITHOUT_TRAINING = ("release", "fitted_on", "out", "no_verify", "overwrite")
"""What may be said where heads are applied as they are; all else is about training."""


@click.command(help=HELP)
@click.argument("release", type=options.existing)
@click.option("--method", type=click.Choice(list(METHODS)), default="private", show_default=True)
@options.out
@click.option(
    "--fitted-on",
    type=options.existing,
    help="A release that this command has written: its heads are applied to RELEASE, and nothing is trained. "
    "[default: train on RELEASE]",
)
@click.option(
    "--bank",
    type=options.existing,
    help="A public release of other patients by the same encoder, with features, to tell pairs apart from. "
    "[default: strangers drawn from a private fit, at a cost in epsilon]",
)
@click.option("--bank-has-other-ids", is_flag=True, help="Equal patient ids in the bank name other people.")
@click.option("--epsilon", type=float, help="Privacy to keep. [default: 1 for private; prototype: not private]")
@click.option("--sigma", type=float, help="Noise in units of the clip, instead of --epsilon.")
@click.option("--delta", type=float, help="[default: 1e-5, or half of 1 / patients if that is less]")
@click.option("--level", type=click.Choice(LEVELS), help="Whom to protect. [default: patient]")
@click.option("--batch", type=int, help="Expected patients a step. [default: 2048, or an eighth of them]")
@click.option("--epochs", type=int, help="[default: 5; entropy 500, prototype 60, or 10 if private]")
@click.option("--clip", type=float, default=HeadsConfig.clip, show_default=True, help="Longest gradient of a patient.")
@click.option("--temperature", type=float, default=HeadsConfig.temperature, show_default=True)
@click.option("--learning-rate", type=float, help="[default: 3e-4; prototype 1e-3, or 5e-3 if private]")
@click.option(
    "--records-per-patient",
    type=int,
    default=HeadsConfig.records_per_patient,
    show_default=True,
    help="Records that a patient's gradient is the mean of.",
)
@click.option(
    "--entropy", type=click.Choice(ENTROPIES), default=HeadsConfig.entropy, show_default=True, help="For entropy."
)
@click.option("--entropy-weight", type=float, default=HeadsConfig.entropy_weight, show_default=True)
@click.option(
    "--decorrelation",
    type=float,
    default=HeadsConfig.decorrelation,
    show_default=True,
    help="For prototype without privacy: how hard to hold down what is shared beyond the labels.",
)
@click.option(
    "--start",
    type=click.Choice(STARTS),
    help="Heads to start from. [default: the release's own, or fresh linear ones; prototype: mlp]",
)
@click.option(
    "--seed",
    type=click.IntRange(0),
    help="Draw noise from a seed, for experiments: whoever knows it takes the noise off. [default: secret noise]",
)
@click.option("--no-controls", is_flag=True, help="Leave out the controls, which are written beside OUT.")
@options.no_verify
@options.overwrite
def heads(
    release: Path,
    out: Path,
    fitted_on: Path | None,
    bank: Path | None,
    seed: int | None,
    no_controls: bool,
    no_verify: bool,
    overwrite: bool,
    **chosen: Any,  # noqa: ANN401 (the options that HeadsConfig has by the same name)
) -> None:
    if fitted_on is not None:
        _transfer(release, fitted_on, out, verify=not no_verify, overwrite=overwrite)
        return
    config = HeadsConfig(**chosen, secure_noise=seed is None, seed=seed or 0)
    beside = controls_beside(out)
    for target in (out, beside):
        options.check_out(target, *(path for path in (release, bank) if path is not None), overwrite=overwrite)
    source = read_release(release, verify=not no_verify)
    strangers = None if bank is None else read_release(bank, verify=not no_verify)
    work = out.with_name(f".{out.name}.work")
    with terminal() as progress:
        defended = _defended(source, config, strangers, work, progress)
        controls = () if no_controls else _controls(source, config, defended)
        if not controls:
            write_release(defended, out, overwrite=overwrite)
        else:
            with atomic_folder(beside, overwrite=overwrite, private=True) as partial:
                (partial / "card.json").write_text(json.dumps({"leadapron": __version__, "controls_of": out.name}))
                for control in controls:
                    trained = _defended(source, control, strangers, work, progress)
                    write_release(trained, partial / str(control.control))
                write_release(defended, out, overwrite=overwrite)
    remove_ours(work)
    click.echo(_told(defended, out) + "\n")
    options.tell_kept_back(out)
    if controls:
        names = ", ".join(str(control.control) for control in controls)
        click.echo(f"Controls, for your own audit and not to be handed over: {names} -> {beside}")


def _transfer(release: Path, fitted_on: Path, out: Path, *, verify: bool, overwrite: bool) -> None:
    from leadapron.defences.heads.transfer import transfer_heads

    context = click.get_current_context()
    for option in context.command.params:
        given = context.get_parameter_source(str(option.name)) is not ParameterSource.DEFAULT
        if given and option.name not in WITHOUT_TRAINING:
            raise ConfigError(
                "nothing is trained with --fitted-on, and this option is about training",
                where=option.opts[0],
                fix="Leave out one of the two.",
            )
    options.check_out(out, release, fitted_on, overwrite=overwrite)
    defended = transfer_heads(*(read_release(path, verify=verify) for path in (release, fitted_on)))
    write_release(defended, out, overwrite=overwrite)
    click.echo(_told(defended, out) + "\n")
    options.tell_kept_back(out)


def _defended(source: Release, config: HeadsConfig, bank: Release | None, work: Path, progress: Progress) -> Release:
    from leadapron.defences.heads.defend import defend_heads

    def named(stage: str, done: int, total: int) -> None:
        progress(f"{stage} ({config.control or config.method})", done, total)

    place = private_folder(work) / (config.control or config.method)
    try:
        return defend_heads(source, config, bank=bank, work=place, progress=named)
    except LeadapronError:  # going on from there would fail again
        remove_ours(work)
        raise


def _controls(source: Release, config: HeadsConfig, defended: Release) -> tuple[HeadsConfig, ...]:
    """The same run with something switched off, at the noise that the run itself came to."""
    from leadapron.defences.heads.defend import starting_heads
    from leadapron.defences.heads.plan import chosen_method

    if config.control is not None:
        return ()
    method = chosen_method(config)
    said = _card(defended)
    sigma, bank_sigma = said["guarantee"]["details"].get("sigma"), said["guarantee"]["details"].get("bank_sigma")
    same = replace(config, epsilon=None, sigma=sigma or None, bank_sigma=bank_sigma)
    return tuple(replace(same, control=name) for name in controls_of(method, starting_heads(source, config)))


def _card(release: Release) -> dict[str, Any]:
    card = release.card["defence"]
    assert isinstance(card, dict)
    return card


def _told(release: Release, out: Path) -> str:
    """What was done, on whom, and what is promised."""
    card = _card(release)
    lines = [f"{card['method']}: {card['summary']}"]
    trained = card["trained"]
    if trained:
        who = f"about {trained['records']:,} records"
        who += f" of {trained['patients']:,} patients" if trained["patients"] else ""
        who += f" in {card['fitted_on']}" if "fitted_on" in card else ""
        how = f"{trained['steps']:,} steps of about {trained['batch']:,} {trained['unit']}s"
        how += f", sigma {trained['sigma']:.3g}" if trained["sigma"] else ""
        lines.append(f"{card['parameters']:,} parameters trained on {who}: {how}")
    lines.append(f"{len(release):,} records of all splits -> {out}")
    return "\n".join([*lines, "", textwrap.fill(card["guarantee"]["statement"], 110)])
