"""Documents: frozen, typed content that is checked when it is made and when it is read, and errors for people."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from leadapron.errors import ConfigError, DataError

Found = TypeVar("Found", bound=BaseModel)


class Document(BaseModel):
    """Content that goes to disk and comes back as the same type. NaN, infinities and unknown keys are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Config(Document):
    """What can be asked of an audit or a defence: options, TOML keys and their help come from its fields."""

    def __init__(self, **given: Any) -> None:  # noqa: ANN401
        try:
            super().__init__(**given)
        except ValidationError as error:
            place, what = first_fault(error)
            got = error.errors(include_url=False)[0]["input"] if place != "$" else None
            raise ConfigError(what, where=place.lstrip("$.") or None, got=got) from error


def parse(text: str, kind: type[Found], where: str | Path, *, fix: str, of_format: int | None = None) -> Found:
    """The document in a JSON text. A key that stands there twice is refused: other readers would take the other one.

    A document of another format is told so, and not where it departs from this one.
    """
    try:
        content = json.loads(text, object_pairs_hook=_no_key_twice, parse_constant=_refuse)
        written = content.get("format") if isinstance(content, dict) else None
        if of_format is not None and written is not None and written != of_format:
            what = f"the document is of format {written!r}, and this version of leadapron reads {of_format}"
            raise DataError(what, where=where, fix=fix)
        return kind.model_validate_json(text, strict=True)
    except ValidationError as error:
        place, what = first_fault(error)
        raise DataError(what if place == "$" else f"{place}: {what}", where=where, fix=fix) from error
    except ValueError as error:
        raise DataError(f"the document cannot be read ({error})", where=where, fix=fix) from error


def first_fault(error: ValidationError) -> tuple[str, str]:
    """The first place at which a document departs from its type, as $.estimates[3].value, and how."""
    fault = error.errors(include_url=False)[0]
    place = "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in fault["loc"])
    what = fault["msg"].removeprefix("Value error, ")
    return place, what[:1].lower() + what[1:]


def _no_key_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} stands there twice")
    return content


def _refuse(constant: str) -> None:
    """Python reads NaN and Infinity in JSON, but neither is JSON nor a risk."""
    raise ValueError(f"{constant} is not a number")
