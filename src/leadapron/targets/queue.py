"""Which models are still to be trained, agreed upon by processes and hosts that share nothing but a folder.

A claim on model 12 is the file ``00012.0``. Its holder touches it every few seconds. Where it was not touched for long,
or its process is gone, the next generation ``00012.1`` may be made; a file can be made anew by one process only, so of
all who try one wins. Claims are never renamed and never handed on, so none is mistaken for another's.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import tempfile
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from leadapron.engine.ours import PARTIAL, is_partial
from leadapron.engine.private import private_folder

HEARTBEAT = 20.0
STALE = 180.0
"""Seconds without a sign of life after which a file is nobody's. Hosts may see another's sign a minute late."""
ENDED = "ZX"
"""States of a process that is dead and not yet buried by its parent."""


@dataclass(frozen=True)
class Claim:
    """One process's right to train one model, until a higher generation is there."""

    model: int
    generation: int
    path: Path
    token: str


class Queue:
    """The claims of one process. ``finished`` lists the models that are there: these are nobody's any more."""

    def __init__(
        self,
        folder: Path,
        models: int,
        finished: Callable[[], set[int]],
        *,
        heartbeat: float = HEARTBEAT,
        stale: float = STALE,
    ) -> None:
        self._folder, self._models, self._finished = folder, models, finished
        self._heartbeat, self._stale = heartbeat, stale
        self._me = myself()
        self._held: frozenset[Claim] = frozenset()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        private_folder(self._folder)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Whatever happened, what is not finished is free for others at once."""
        self._over.set()
        self._thread.join()
        done = self._finished()
        self.release(claim for claim in self._held if claim.model not in done)

    def take(self, most: int) -> list[Claim]:
        """Claims on up to so many models that are neither finished nor in living hands."""
        finished, highest, now = self._finished(), self._highest(), clock_of(self._folder)
        taken: list[Claim] = []
        for model in range(self._models):
            if len(taken) == most:
                break
            last = highest.get(model)
            if model in finished or (last is not None and not self._is_stale(self._path(model, last), now)):
                continue
            if claim := self._make(model, 0 if last is None else last + 1):
                taken.append(claim)
        # A holder thought to be gone may have finished before the new claim was made.
        late = {claim for claim in taken if claim.model in self._finished()}
        self.release(late)
        return [claim for claim in taken if claim not in late]

    def holds(self, claim: Claim) -> bool:
        """Whether nobody has taken the model over, as happens to a process that was stopped for long."""
        return self._highest().get(claim.model) == claim.generation and _said(claim.path).get("token") == claim.token

    def finish(self, claim: Claim) -> None:
        """Keep the claim as a note of who trained the model, as old as can be: if the file is removed, it is free."""
        self._held -= {claim}
        with suppress(OSError):
            os.utime(claim.path, (0, 0))

    def release(self, claims: Iterable[Claim]) -> None:
        """Give models back, for anybody to take."""
        for claim in tuple(claims):
            self._held -= {claim}
            if _said(claim.path).get("token") == claim.token:
                claim.path.unlink(missing_ok=True)

    def _make(self, model: int, generation: int) -> Claim | None:
        claim = Claim(model, generation, self._path(model, generation), uuid.uuid4().hex)
        try:
            with claim.path.open("x") as stream:
                self._held |= {claim}
                stream.write(json.dumps({**self._me, "token": claim.token}))
        except FileExistsError:
            return None
        return claim

    def _is_stale(self, path: Path, now: float) -> bool:
        try:
            age = now - path.stat().st_mtime
        except OSError:  # given back at this moment; the next look will tell
            return False
        return age > self._stale or is_gone(_said(path), self._me)

    def _highest(self) -> dict[int, int]:
        """The last generation of each model's claims. Listing a folder makes a network file system look anew."""
        found: dict[int, int] = {}
        for name in os.listdir(self._folder):  # noqa: PTH208
            model, _, generation = name.partition(".")
            if model.isdecimal() and generation.isdecimal():
                found[int(model)] = max(int(generation), found.get(int(model), 0))
        return found

    def _path(self, model: int, generation: int) -> Path:
        return self._folder / f"{model:05d}.{generation}"

    def _beat(self) -> None:
        while not self._over.wait(self._heartbeat):
            for claim in self._held:
                with suppress(OSError):
                    os.utime(claim.path)


def _said(path: Path) -> Mapping[str, object]:
    """Who holds a claim; nothing where its maker was killed before it could write."""
    try:
        said = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def myself() -> dict[str, object]:
    """This process, as written into a claim."""
    return {
        "host": socket.gethostname(),
        "machine": _machine(),
        "pid": os.getpid(),
        "started": _started(os.getpid()),
    }


def is_gone(holder: Mapping[str, object], me: Mapping[str, object]) -> bool:
    """Whether a process of this machine has ended; False where that cannot be known.

    A number may have been given to another process since: this one began at another time.
    """
    same_machine = holder.get("machine") is not None and holder.get("machine") == me["machine"]
    pid = holder.get("pid")
    return same_machine and isinstance(pid, int) and _started(pid) != holder.get("started")


def _machine() -> str | None:
    """The running system and the space in which its process numbers hold: containers may share names and numbers."""
    try:
        system = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{system} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # no Linux: claims are then judged by their age alone
        return None


def _started(pid: int) -> int | None:
    """When the process began, in ticks since the system did; None if it is not there."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if state in ENDED else int(fields[18])


def clock_of(folder: Path) -> float:
    """The time as the file system writes it: clocks of hosts differ, and a comparison of two of them would lie."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".clock.", suffix=f".{PARTIAL}") as probe:
        os.utime(probe.name)
        return Path(probe.name).stat().st_mtime


def sweep(folder: Path, stale: float = STALE) -> None:
    """Remove half-written files and folders, known by their names to be ours, that nobody has touched for long."""
    now = clock_of(folder)
    for path in filter(is_partial, folder.iterdir()):
        with suppress(OSError):  # another process sweeps, too
            if now - _last_touched(path) >= stale:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def _last_touched(path: Path) -> float:
    inside = path.iterdir() if path.is_dir() else ()
    return max(float(entry.stat().st_mtime) for entry in (path, *inside))
