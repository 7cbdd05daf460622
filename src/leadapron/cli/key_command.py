"""``leadapron key new FILE``: the secret from which stand-ins and shifts of dates are computed."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.defences.reports.key_file import new_key


@click.group()
def command() -> None:
    """The secret key of a de-identification."""


@command.command("new")
@click.argument("file", type=click.Path(path_type=Path))
def new(file: Path) -> None:
    """Write a new key to FILE, for your eyes alone. Keep it: the same key gives the same stand-ins again."""
    new_key(file)
    click.echo(f"A new key -> {file}. Keep it apart from what you hand over: who has it can compute the stand-ins.")
