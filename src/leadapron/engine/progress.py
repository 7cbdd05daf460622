"""Progress of long work: shown on standard error, and only where somebody is looking."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[str, int, int], None]
"""Called with the name of the stage, the number done and the number in all."""


def silent(_stage: str, _done: int, _total: int) -> None:
    """The default of every function: a library does not write to the terminal."""


BESIDE = " · "
LINES = "LEADAPRON_PROGRESS"
"""Set to ``lines`` it asks for a line a minute where standard error is no terminal, such as the log of a batch job."""
EVERY = 60.0


def noted(stage: str, note: str) -> str:
    """The stage with a note that may change while it goes on."""
    return f"{stage}{BESIDE}{note}"


@contextmanager
def terminal() -> Iterator[Progress]:
    """A progress bar a stage on a terminal; nothing where standard error is a file or a pipe, or lines (``LINES``)."""
    if not sys.stderr.isatty():
        yield lines() if os.environ.get(LINES) == "lines" else silent
        return
    from rich import progress
    from rich.console import Console

    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
    )
    with progress.Progress(*columns, console=Console(stderr=True)) as bars:
        tasks: dict[str, progress.TaskID] = {}

        def show(stage: str, done: int, total: int) -> None:
            name = stage.partition(BESIDE)[0]
            if name not in tasks:
                tasks[name] = bars.add_task(stage, total=total)
            bars.update(tasks[name], description=stage, completed=done, total=total)

        yield show


def lines(clock: Callable[[], float] = time.monotonic) -> Progress:
    """A line when a stage begins and ends, and each minute in between, with the time that is left."""
    began: dict[str, tuple[float, int]] = {}
    said: dict[str, float] = {}

    def show(stage: str, done: int, total: int) -> None:
        now, name = clock(), stage.partition(BESIDE)[0]
        start, before = began.setdefault(name, (now, done))
        if name in said and now < said[name] + EVERY and (done < total or said[name] == float("inf")):
            return
        said[name] = now if done < total else float("inf")
        left = f", about {(now - start) / (done - before) * (total - done) / 60:.0f} min left" if done > before else ""
        print(f"{stage}: {done:,} of {total:,}{left if done < total else ''}", file=sys.stderr, flush=True)

    return show
