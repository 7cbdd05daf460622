"""``leadapron audit membership --as-found``: one model as it was published, and others to compare it with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

import click
from click.core import ParameterSource

from leadapron.attacks.membership import AsFoundConfig, audit_as_found, read_as_found
from leadapron.attacks.membership.declared import Declared
from leadapron.attacks.risk import Risk
from leadapron.errors import ConfigError

Command = TypeVar("Command", bound=Callable[..., None])

ONLY_HERE = ("target", "slope")
ALSO_HERE = ("signals", "out", "as_found", "access", "prior", "no_verify", "seed", "overwrite", *ONLY_HERE)


def as_found_options(command: Command) -> Command:
    for option in (
        click.option(
            "--slope",
            type=click.FloatRange(0, 1),
            default=AsFoundConfig.slope,
            show_default=True,
            help="With --as-found: what a model gives to its members is taken to be SLOPE p + 1 - SLOPE, where others "
            "give p.",
        ),
        click.option(
            "--target",
            type=click.IntRange(0),
            default=0,
            show_default=True,
            help="With --as-found: the row of the model that is attacked.",
        ),
        click.option(
            "--as-found",
            is_flag=True,
            help="Attack one model as it was published, with the others as references. members.npy may be absent.",
        ),
    ):
        command = option(command)
    return command


def check_options(context: click.Context, *, as_found: bool) -> None:
    """What belongs to one design is refused with the other, and not ignored."""
    for name in context.params:
        given = context.get_parameter_source(name) not in (ParameterSource.DEFAULT, None)
        option = "--" + name.replace("_", "-")
        if given and as_found and name not in ALSO_HERE:
            raise ConfigError("this needs many models, and --as-found attacks one", where=option)
        if given and not as_found and name in ONLY_HERE:
            raise ConfigError("this goes with --as-found only", where=option)


def attack_as_found(
    signals: Path, target: int, slope: float, declared: Declared, seed: int, *, verify: bool
) -> tuple[Risk, dict[str, object]]:
    """The attack, and the settings to repeat it with."""
    config = AsFoundConfig(slope, declared, seed)
    risk = audit_as_found(read_as_found(signals, target, verify=verify), config)
    return risk, {"target": target, **asdict(config)}
