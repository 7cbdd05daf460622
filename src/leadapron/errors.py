"""Errors for people: what was wrong, where, the value got, what is allowed, what to do.

    LeadapronError
    ├── DataError            a file, row, column or value is not what it must be
    ├── ConfigError          an option, a key or a name is unknown or does not fit
    ├── MissingExtraError    an optional dependency is not installed
    ├── MissingWeightsError  an encoder's weights are not on this machine
    ├── UnfinishedError      long work has stopped for an outer reason; the same command goes on with it
    └── PartDoneError        the part of it that was asked for is done

The command line prints them in one paragraph, without a traceback, and exits with their ``exit_code``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path
from typing import ClassVar

__all__ = [
    "ConfigError",
    "DataError",
    "LeadapronError",
    "MissingExtraError",
    "MissingWeightsError",
    "PartDoneError",
    "UnfinishedError",
    "did_you_mean",
]


class LeadapronError(Exception):
    """The root of every error that is the input's fault and not the program's."""

    exit_code: ClassVar[int] = 2

    def __init__(
        self,
        what: str,
        *,
        where: str | Path | None = None,
        got: object = None,
        allowed: str | None = None,
        fix: str | None = None,
    ) -> None:
        sentence = f"{where}: {what}" if where is not None else what
        if got is not None:
            sentence += f"; got {got!r}"
        if allowed is not None:
            sentence += f"; allowed: {allowed}"
        if not sentence.endswith("."):
            sentence += "."
        super().__init__(f"{sentence} {fix}" if fix else sentence)


class DataError(LeadapronError):
    """A file, row, column or value is not what it must be."""

    def located(self, where: str | Path) -> DataError:
        """The same error, with the file's name in front unless it is named already."""
        return self if str(where) in str(self) else DataError(str(self), where=where)


class ConfigError(LeadapronError):
    """An option, a key or a name is unknown or does not fit."""


class MissingWeightsError(LeadapronError):
    """An encoder's weights are not on this machine."""


class UnfinishedError(LeadapronError):
    """Long work has stopped for an outer reason: a process was killed, a machine is gone. What is finished stays."""

    exit_code: ClassVar[int] = 3


class PartDoneError(LeadapronError):
    """The part of long work that was asked for is done, and nothing can follow before the other parts are."""

    exit_code: ClassVar[int] = 0


class MissingExtraError(LeadapronError):
    """An optional dependency is not installed."""

    def __init__(self, package: str, extra: str, *, purpose: str) -> None:
        super().__init__(
            f"{purpose} needs the package {package!r}, which cannot be imported",
            fix=f"Install it with: pip install 'leadapron[{extra}]'",
        )


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The allowed names, the nearest one first: what an error message says after "allowed:"."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    listing = ", ".join(names)
    return f"{listing} (did you mean {near[0]!r}?)" if near else listing
