"""The same task in several processes of this machine, each with its share of the cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import NamedTuple

from leadapron.engine.parallel import worker_count
from leadapron.engine.refusal import Refusal
from leadapron.errors import LeadapronError

THREADS = ("LEADAPRON_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
EVERY = 0.5
PATIENCE = 10.0
INTERRUPTED = 130


class Started(NamedTuple):
    """A process, and the line to it."""

    process: SpawnProcess
    line: Connection


def run_processes(task: Callable[[], object], count: int, *, watch: Callable[[], None]) -> int:
    """How many of ``count`` processes came to the end of ``task``; ``watch`` is called while they are at it.

    A process that is killed leaves the others alone. One that refuses its input ends all of them, with its error: the
    others would come to the same. ``task`` is pickled: a function of a module, or a partial of one.
    """
    with several(partial(_alone, task), count) as started:
        while running := [one.process for one in started if one.process.is_alive()]:
            watch()
            wait([process.sentinel for process in running], timeout=EVERY)
            _raise_what_was_said(started)
        _raise_what_was_said(started)
    return sum(one.process.exitcode == 0 for one in started)


@contextmanager
def several(task: Callable[[Connection], object], count: int) -> Iterator[list[Started]]:
    """``count`` processes at ``task``, each with a line to this one, on which a ``Refusal`` may come; ended at the end.

    They share the cores.
    """
    context = multiprocessing.get_context("spawn")
    started: list[Started] = []
    try:
        with _share_of_cores(count):
            for _ in range(count):
                here, there = context.Pipe()
                process = context.Process(target=_run, args=(task, there))
                process.start()
                there.close()
                started.append(Started(process, here))
        yield started
    finally:
        _end([one.process for one in started])


@contextmanager
def _share_of_cores(count: int) -> Iterator[None]:
    """In the environment, because the libraries of the new processes read it when they are loaded."""
    before = {name: os.environ.get(name) for name in THREADS}
    share = max(1, worker_count() // max(1, count))
    os.environ.update(dict.fromkeys(THREADS, str(share)))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def _alone(task: Callable[[], object], _line: Connection) -> None:
    task()


def _run(task: Callable[[Connection], object], line: Connection) -> None:
    threading.Thread(target=end_with_parent, daemon=True).start()
    try:
        task(line)
    except (LeadapronError, OSError) as error:
        refusal = Refusal.of(error)
        line.send(refusal)
        sys.exit(refusal.exit_code)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


def end_with_parent(patience: float = PATIENCE) -> None:
    """Nobody would see the end of a process whose parent was killed; it must not go on for hours.

    As if by Ctrl-C, and by force after some seconds: the background of a shell script does not hear it, and a pool of
    processes takes it for a task that failed, and waits for the next.
    """
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGINT)  # to the process: one to this thread would not wake up the others
    time.sleep(patience)
    os._exit(INTERRUPTED)


def _raise_what_was_said(started: list[Started]) -> None:
    for one in started:
        try:
            said = one.line.recv() if one.line.poll() else None
        except (EOFError, ConnectionError):  # it ended without a word
            continue
        if isinstance(said, Refusal):
            raise said.error()


def _end(processes: list[SpawnProcess]) -> None:
    """As if by Ctrl-C, so that they can clean up; by force where that is not heard."""
    for process in processes:
        if process.is_alive() and process.pid is not None:
            os.kill(process.pid, signal.SIGINT)
    for process in processes:
        process.join(PATIENCE)
        if process.is_alive():
            process.terminate()
            process.join()
