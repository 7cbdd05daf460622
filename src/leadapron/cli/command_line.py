"""The command as it is written into results: enough to run it again, without where on this machine anything lies."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path


def command_line() -> str:
    return shlex.join(["leadapron", *map(_without_place, sys.argv[1:])])


def _without_place(word: str) -> str:
    """A path below the working folder as seen from there, one elsewhere by its last name; other words as they are."""
    option, equals, value = word.partition("=") if word.startswith("--") else ("", "", word)
    path = Path(value)
    if not path.is_absolute() and ".." not in path.parts:
        return word
    seen = Path(os.path.relpath(path))
    shown = seen.name if ".." in seen.parts else str(seen)
    return f"{option}{equals}{shown}"
