"""The template of a training command: words with places to be filled in, no shell."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence

from leadapron.errors import ConfigError, did_you_mean

PLACES = ("mask", "records", "logits", "seed", "model")
NEEDED = ("mask", "logits")
WHERE = "--command"


def parsed(template: str) -> tuple[str, ...]:
    """The words of a command, checked: known places only, and those that no training can do without."""
    try:
        words = tuple(shlex.split(template))
    except ValueError as error:
        raise ConfigError(f"the command cannot be taken apart ({error})", where=WHERE, got=template) from error
    if not words:
        raise ConfigError("there is no command", where=WHERE, got=template)
    there = [name for word in words for name in re.findall(r"\{(\w+)\}", word)]
    for name in there:
        if name not in PLACES:
            raise ConfigError("unknown place to fill in", where=WHERE, got=name, allowed=did_you_mean(name, PLACES))
    for name in NEEDED:
        if name not in there:
            raise ConfigError(f"the command has no {{{name}}}", where=WHERE, got=template)
    return words


def filled(words: Sequence[str], values: Mapping[str, object]) -> list[str]:
    """The words to run; a path with spaces stays one word."""
    return [re.sub(r"\{(\w+)\}", lambda place: str(values[place[1]]), word) for word in words]
