"""Work on several cores by threads: the loops inside release the interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from leadapron.errors import ConfigError

T = TypeVar("T")
R = TypeVar("R")


def worker_count() -> int:
    """The cores this process may use, or LEADAPRON_THREADS."""
    wanted = os.environ.get("LEADAPRON_THREADS")
    if not wanted:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not wanted.isdecimal() or int(wanted) < 1:
        raise ConfigError("not a number of threads", where="LEADAPRON_THREADS", got=wanted, allowed="1 or more")
    return int(wanted)


def parallel_map(function: Callable[[T], R], items: Sequence[T], workers: int | None = None) -> list[R]:
    """``[function(item) for item in items]`` on threads, in order."""
    with ThreadPoolExecutor(workers or worker_count()) as pool:
        return list(pool.map(function, items))


def ahead(items: Iterable[T]) -> Iterator[T]:
    """The items, each made on another thread while the one before it is in use."""
    source = iter(items)
    with ThreadPoolExecutor(1) as maker:
        waiting = maker.submit(next, source, None)
        while (item := waiting.result()) is not None:
            waiting = maker.submit(next, source, None)
            yield item
