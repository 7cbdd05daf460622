"""The TOML file behind ``--config``: defaults for any command, unknown keys and values of another kind refused."""

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
    return _tables(config, group, ctx, str(path), "")


def _tables(config: dict[str, Any], group: click.Group, ctx: click.Context, where: str, above: str) -> dict[str, Any]:
    """The tables of a group's commands; a command that is a group itself has tables of its own, as [audit.linkage]."""
    known = group.list_commands(ctx)
    defaults: dict[str, Any] = {}
    for name, table in config.items():
        full = f"{above}{name}"
        if name not in known:
            raise ConfigError(f"unknown table [{full}]", where=where, got=name, allowed=did_you_mean(name, known))
        if not isinstance(table, dict):
            raise ConfigError(f"[{full}] must be a table", where=where, got=table)
        command = group.get_command(ctx, name)
        assert command is not None
        if isinstance(command, click.Group):
            defaults[name] = _tables(table, command, ctx, where, f"{full}.")
            continue
        parameters = {parameter.name: parameter for parameter in command.params if parameter.name}
        defaults[name] = {}
        for key, value in table.items():
            parameter = parameters.get(key.replace("-", "_"))
            if parameter is None:
                allowed = did_you_mean(key, parameters)
                raise ConfigError(f"unknown key in [{full}]", where=where, got=key, allowed=allowed)
            defaults[name][parameter.name] = _checked(value, parameter, f"{where}: [{full}] {key}")
    return defaults


def _checked(value: object, parameter: click.Parameter, where: str) -> object:
    """The value as click takes it, if it is of the parameter's kind; a single one will do where several may stand."""
    several = isinstance(parameter, click.Option) and parameter.multiple
    values = value if several and isinstance(value, list) else [value]
    kinds, meaning = _kinds(parameter)
    for one in values:
        if kinds and type(one) not in kinds:  # not isinstance: to Python, true is a number
            raise ConfigError("the value is of another kind", where=where, got=one, allowed=meaning)
    return values if several else value


def _kinds(parameter: click.Parameter) -> tuple[tuple[type, ...], str]:
    """The types that TOML may give for a parameter, and their name; no types where the parameter checks by itself."""
    if isinstance(parameter, click.Option) and parameter.is_flag:
        return (bool,), "true or false"
    if parameter.nargs != 1:
        return (), ""
    match parameter.type:
        case click.types.IntParamType():
            return (int,), "a whole number"
        case click.types.FloatParamType():
            return (int, float), "a number"
        case click.types.StringParamType() | click.Path() | click.Choice():
            return (str,), "text in quotes"
        case _:
            return (), ""
