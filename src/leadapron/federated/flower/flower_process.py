"""A process of Flower's that belongs to this one: its environment, its log, its end."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from leadapron.engine.processes import THREADS
from leadapron.errors import MissingExtraError

SAID = "leadapron: "
"""How a line begins that is meant for people; the rest is kept in the log."""
FINISHED = "the federation has finished"
FOREIGN = "the server sent another app than that of this version of leadapron, and it was not run"
LOG = "flower.log"
PATIENCE, POLL = 10.0, 0.2
QUIET = {
    "FLWR_TELEMETRY_ENABLED": "0",
    "FLWR_DISABLE_UPDATE_CHECK": "1",
    "FLWR_DISABLE_RUNTIME_DEPENDENCY_INSTALLATION": "1",
    "FLWR_SUPEREXEC_TASK_POLL_INTERVAL": "0.2",
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_AUTO_CONNECT": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}


def need_flower(*more: str) -> None:
    """An error that says how to get what is missing. Nothing is imported: this process stays as it is."""
    for package in ("flwr", *more):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package, "federated", purpose="a federation by Flower")


def flower_environment(home: Path) -> dict[str, str]:
    """Nothing calls home, nothing is installed, nothing lies in the user's own folder, one thread per process."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    return {**os.environ, **QUIET, **dict.fromkeys(THREADS, "1"), "PATH": path, "FLWR_HOME": str(home)}


def written(host: str, port: int) -> str:
    """An address as Flower wants to have it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@contextmanager
def flower_process(
    module: str,
    arguments: list[str],
    log: Path,
    *,
    told: dict[str, str],
    heard: Callable[[str], None] = lambda _: None,
) -> Iterator[subprocess.Popen[str]]:
    """A module of ours as a process that ends with the block, and with this process, however that ends.

    It is ``told`` by its environment. What it prints goes to ``log``; ``heard`` is called with every line.
    """
    with (
        tempfile.TemporaryDirectory(prefix="leadapron-", ignore_cleanup_errors=True) as home,
        log.open("a", encoding="utf-8") as kept,
    ):
        process = subprocess.Popen(
            [sys.executable, "-m", f"leadapron.federated.flower.{module}", *arguments],
            env={**flower_environment(Path(home)), **told},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,  # Ctrl-C is for us, and we end it
        )
        assert process.stdout is not None
        listener = threading.Thread(target=_listen, args=(process.stdout, kept, heard), daemon=True)
        listener.start()
        try:
            yield process
        finally:
            _end(process)
            listener.join(PATIENCE)


@contextmanager
def tied_to_parent() -> Iterator[None]:
    """The block ends, as if by Ctrl-C, when the process that started this one is gone; what it started ends with it.

    Flower's own way can hang for ever: a process that is interrupted while it starts a thread waits for itself.
    """
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(POLL)
        os.kill(os.getpid(), signal.SIGINT)  # to the process: one to this thread would not wake up the others

    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    except (Exception, SystemExit):
        traceback.print_exc()  # nothing is printed after the end that follows
        raise
    finally:
        sys.stdout.flush()
        shutil.rmtree(os.environ["FLWR_HOME"], ignore_errors=True)
        os.killpg(0, signal.SIGKILL)


@contextmanager
def interrupted_by_terminate() -> Iterator[None]:
    """A service manager's way to end a process does what Ctrl-C does."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _listen(printed: IO[str], kept: IO[str], heard: Callable[[str], None]) -> None:
    for line in printed:
        kept.write(line)
        kept.flush()
        heard(line.rstrip())


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
