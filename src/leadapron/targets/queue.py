"""Which models are still to be trained, agreed upon by processes and hosts that share nothing but a folder.

A claim on model 12 is the file ``00012.0``. Its holder touches it every few seconds. Where it was not touched for long,
or its process is gone, the next generation ``00012.1`` may be made; a file can be made anew by one process only, so of
all who try one wins. Claims are never renamed and never handed on, so none is mistaken for another's.
"""

from __future__ import annotations

import json
import os
import threading
import uuid
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from leadapron.engine.private import private_folder
from leadapron.targets.holder import is_gone, myself
from leadapron.targets.leftovers import STALE, clock_of

HEARTBEAT = 20.0


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
