"""Options that say who makes the pieces of long work: this process, several of this machine, or one part of many."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from leadapron.engine.crew import Processes
from leadapron.engine.executors import Executor, Here, Part
from leadapron.errors import ConfigError

OPTIONS = (
    click.option(
        "--jobs",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Processes on this machine, which share its cores.",
    ),
    click.option(
        "--part",
        metavar="I/N",
        help="Make only the I-th of N parts of what is missing, for a task of a job array; without --part all is "
        "made that is not there yet, and put together.",
    ),
)


def executor(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives the command an ``executor``, made of the options."""

    @wraps(command)
    def with_executor(*arguments: Any, jobs: int, part: str | None, **options: Any) -> Any:  # noqa: ANN401
        return command(*arguments, executor=executor_of(jobs, part), **options)

    for option in reversed(OPTIONS):
        with_executor = option(with_executor)
    return with_executor


def executor_of(jobs: int, part: str | None) -> Executor:
    by: Executor = Here() if jobs == 1 else Processes(jobs)
    return by if part is None else Part(*_part(part), by)


def _part(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    number, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= of:
        raise ConfigError("not a part", where="--part", got=text, allowed="I/N with I from 1 to N, such as 2/8")
    return number, of
