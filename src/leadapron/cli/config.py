"""The TOML file behind ``--config``: defaults for any command, unknown keys refused."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import click

from leadapron.errors import ConfigError, did_you_mean


def read_config(path: Path, ctx: click.Context) -> dict[str, Any]:
    """A table a command, a key a parameter of that command, as in ``[encode]`` / ``encoder = "clip"``."""
    try:
        config = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"the file is not valid TOML ({error})", where=path) from error
    group = ctx.command
    assert isinstance(group, click.Group)
    known = group.list_commands(ctx)
    for name, table in config.items():
        if name not in known:
            raise ConfigError(f"unknown table [{name}]", where=path, got=name, allowed=did_you_mean(name, known))
        if not isinstance(table, dict):
            raise ConfigError(f"[{name}] must be a table", where=path, got=table)
        command = group.get_command(ctx, name)
        assert command is not None
        keys = [parameter.name for parameter in command.params if parameter.name]
        for key in table:
            if key.replace("-", "_") not in keys:
                raise ConfigError(f"unknown key in [{name}]", where=path, got=key, allowed=did_you_mean(key, keys))
    return {
        name: {key.replace("-", "_"): [value] if isinstance(value, dict) else value for key, value in table.items()}
        for name, table in config.items()
    }
