"""From the fields of a configuration to options of a command: a field is written down once, with its help text.

    annotation                      option
    int, float                      a number, within the limits (ge, gt, le, lt) of the field
    bool                            --name; --name/--no-name where the default is true or none
    str, Literal[…], Path           text, one of these words, a path
    tuple[X, …]                     may be given several times
    X | None                        X, and None where it is not given
    another class, such as Release  the path of what the command is to read

A field names its option by ``json_schema_extra={"option": "--pool"}``, or by a list of names; with ``{"option": None}``
it has none; ``{"choices": […]}`` are the words that it takes. The value of an option and that of a key in the TOML file
arrive under the name of the field.
"""

from __future__ import annotations

import types
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import click
from pydantic.fields import FieldInfo

from leadapron.engine.documents import Config


def config_options(config: type[Config], *, without: Collection[str] = ()) -> list[click.Option]:
    """An option per field, in their order, but for those ``without`` one."""
    names = {name: _option_names(name, field) for name, field in config.model_fields.items() if name not in without}
    return [_option(name, config.model_fields[name], options) for name, options in names.items() if options]


def fields_of(config: type[Config], kind: type) -> list[str]:
    """The fields that hold a ``kind`` of thing, for which an option gives a path."""
    return [name for name, field in config.model_fields.items() if _bare(field.annotation)[0] is kind]


def _option_names(name: str, field: FieldInfo) -> list[str]:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    said = extra.get("option", f"--{name.replace('_', '-')}")
    return [said] if isinstance(said, str) else [str(one) for one in said] if isinstance(said, list) else []


def _option(name: str, field: FieldInfo, options: list[str]) -> click.Option:
    kind, limits = _bare(field.annotation)
    several, switch = get_args(kind)[1:] == (...,), kind is bool
    default = None if field.is_required() else field.get_default(call_default_factory=True, validated_data={})
    if switch and default is not False:
        options = [f"{options[0]}/--no-{options[0].removeprefix('--')}", *options[1:]]
    given: dict[str, Any] = {} if field.is_required() else {"default": default}
    return click.Option(
        [*options, name],
        type=None
        if switch
        else _choice(field) or _click_type(get_args(kind)[0] if several else kind, [*field.metadata, *limits]),
        is_flag=switch,
        multiple=several,
        required=field.is_required(),
        help=field.description,
        show_default=default is not None
        and default is not False
        and default != ()
        and "[default:" not in (field.description or ""),
        **given,
    )


def _choice(field: FieldInfo) -> click.Choice[Any] | None:
    extra = field.json_schema_extra if isinstance(field.json_schema_extra, dict) else {}
    choices = extra.get("choices")
    return click.Choice([str(one) for one in choices]) if isinstance(choices, list) else None


def _bare(annotation: Any) -> tuple[Any, list[Any]]:  # noqa: ANN401 (an annotation may be anything)
    """The annotation without None, and what is said about it in ``Annotated``."""
    if get_origin(annotation) is Annotated:
        kind, *said = get_args(annotation)
        limits = [limit for one in said for limit in (one.metadata if isinstance(one, FieldInfo) else [one])]
        return kind, limits
    if get_origin(annotation) in (Union, types.UnionType):
        others = [one for one in get_args(annotation) if one is not type(None)]
        if len(others) == 1:
            return _bare(others[0])
    return annotation, []


def _click_type(annotation: Any, limits: list[Any]) -> click.ParamType[Any]:  # noqa: ANN401
    kind, more = _bare(annotation)
    limits = [*limits, *more]
    if get_origin(kind) is Literal:
        return click.Choice(get_args(kind))
    if kind is int or kind is float:
        return _number(kind, limits)
    if kind is str:
        return click.STRING
    if isinstance(kind, type):
        return click.Path(path_type=Path, exists=not issubclass(kind, Path))
    raise TypeError(f"{kind} cannot become an option")


def _number(kind: type, limits: list[Any]) -> click.ParamType[Any]:
    """Limits are declared in the field once; the command line then says them in its help and in its errors."""
    found: dict[str, Any] = {}
    for limit in limits:
        for name, key, is_open in (
            ("ge", "min", False),
            ("gt", "min", True),
            ("le", "max", False),
            ("lt", "max", True),
        ):
            if (value := getattr(limit, name, None)) is not None:
                found |= {key: value, f"{key}_open": is_open}
    if not found:
        return click.INT if kind is int else click.FLOAT
    return click.IntRange(**found) if kind is int else click.FloatRange(**found)
