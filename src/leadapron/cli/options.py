"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from leadapron.errors import ConfigError

existing = click.Path(exists=True, path_type=Path)
out = click.option("--out", type=click.Path(path_type=Path), required=True, help="Where to write; must not exist.")
overwrite = click.option("--overwrite", is_flag=True, help="Replace what is there.")
seed = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Seed of everything that is drawn."
)


def check_out(target: Path, *inputs: Path, overwrite: bool) -> None:
    """Before the work begins: the output is not there, or may be replaced and holds nothing that is still needed."""
    if not target.exists():
        return
    if not overwrite:
        raise ConfigError("the output exists already", where=target, fix="Choose another place or pass --overwrite.")
    needed = [path.resolve() for path in (*inputs, Path())]
    if any(target.resolve() in (path, *path.parents) for path in needed):
        raise ConfigError(
            "to overwrite it would remove the input or the current folder", where=target, fix="Choose another place."
        )
