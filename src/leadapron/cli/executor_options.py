"""Options that say who makes the pieces of long work: this process, several, a cluster, or one part of many."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from leadapron.engine.crew import Processes
from leadapron.engine.executors import Executor, Here, Part
from leadapron.errors import ConfigError

LOCAL, RAY = "local", "ray"
OF_RAY = {
    "address": click.option(
        "--address",
        metavar="auto|HOST:PORT",
        help="Of ray: the cluster. [default: auto, the one that this machine is of]",
    ),
    "nodes": click.option("--nodes", type=click.IntRange(1), help="Of ray: how many to wait for. [default: 1]"),
    "cpus": click.option(
        "--cpus-per-piece",
        "cpus",
        type=click.FloatRange(0, min_open=True),
        help="Of ray: cores of a piece. [default: 1]",
    ),
    "gpus": click.option(
        "--gpus-per-piece", "gpus", type=click.FloatRange(0), help="Of ray: GPUs of a piece, such as 0.25. [default: 0]"
    ),
    "retries": click.option(
        "--retries", type=click.IntRange(0), help="Of ray: how often a lost piece is made again. [default: 3]"
    ),
}
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
    click.option(
        "--executor",
        "by",
        type=click.Choice([LOCAL, RAY]),
        default=LOCAL,
        show_default=True,
        help="Who does the work: this machine, or the nodes of a Ray cluster.",
    ),
    *OF_RAY.values(),
)


def executor(command: Callable[..., Any]) -> Callable[..., Any]:
    """Gives the command an ``executor``, made of the options."""

    @wraps(command)
    def with_executor(*arguments: Any, jobs: int, part: str | None, by: str, **options: Any) -> Any:  # noqa: ANN401
        of_ray = {name: options.pop(name) for name in OF_RAY}
        chosen = executor_of(jobs, part, by, **{name: value for name, value in of_ray.items() if value is not None})
        return command(*arguments, executor=chosen, **options)

    for option in reversed(OPTIONS):
        with_executor = option(with_executor)
    return with_executor


def executor_of(jobs: int = 1, part: str | None = None, by: str = LOCAL, **of_ray: Any) -> Executor:  # noqa: ANN401
    if by == RAY:
        for name, given in (("--jobs", jobs > 1), ("--part", part is not None)):
            if given:
                raise ConfigError("not an option of --executor ray, which deals out the work itself", where=name)
        if (gpus := of_ray.get("gpus", 0)) > 1 and gpus != int(gpus):
            allowed = "a part of one, or a whole number"
            raise ConfigError("not a number of GPUs", where="--gpus-per-piece", got=gpus, allowed=allowed)
        from leadapron.engine.on_ray import OnRay

        return OnRay(**of_ray)
    if of_ray:
        name = next(iter(of_ray))
        option = f"--{name}-per-piece" if name in ("cpus", "gpus") else f"--{name}"
        raise ConfigError("an option of --executor ray alone", where=option, fix="Add --executor ray.")
    local: Executor = Here() if jobs == 1 else Processes(jobs)
    return local if part is None else Part(*_part(part), local)


def _part(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text)
    number, of = map(int, found.groups()) if found else (0, 0)
    if not 1 <= number <= of:
        raise ConfigError("not a part", where="--part", got=text, allowed="I/N with I from 1 to N, such as 2/8")
    return number, of
