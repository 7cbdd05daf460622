"""Pieces of long work by the nodes of a Ray cluster.

What is sent is the recipe, as text, and what each piece needs; what is made is written to files, and never sent back.
A piece whose node or process is gone is made again elsewhere. Should the lost one still write, nothing changes.
"""

from __future__ import annotations

import json
import os
import platform
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Any

from leadapron import __version__
from leadapron.engine.pieces import Make, Piece, Recipe, Work, make_pieces
from leadapron.engine.processes import THREADS
from leadapron.engine.progress import Progress, noted, silent
from leadapron.engine.ray_cluster import AUTO, POLL, TO_APPEAR, alive, check_nodes, enter, until
from leadapron.engine.refusal import Refusal
from leadapron.errors import LeadapronError, UnfinishedError

AHEAD = 4
"""Pieces that are handed to the cluster for each one that it can make at once."""


@dataclass(frozen=True)
class OnRay:
    """``address`` is HOST:PORT or ``auto``; ``nodes`` are waited for. ``cpus`` and ``gpus`` are what a piece takes,
    parts of a GPU too; ``retries`` is how often a lost piece is made again."""

    address: str = AUTO
    nodes: int = 1
    cpus: float = 1.0
    gpus: float = 0.0
    retries: int = 3

    def run(self, work: Work, *, progress: Progress = silent) -> None:
        recipe = work.recipe_for("--executor ray")
        if not work.missing():
            return
        ray = enter(self.address, self.nodes)
        for folder in {piece.target.parent for piece in work.pieces}:
            check_nodes(ray, folder)
        at_once = self._at_once(ray)
        waiting = deque(work.handfuls(at_once))
        there = ray.remote(_make_there).options(
            num_cpus=self.cpus, num_gpus=self.gpus, max_retries=self.retries, scheduling_strategy="SPREAD"
        )
        asked = (__version__, recipe.maker, json.dumps(recipe.config), max(1, int(self.cpus)))
        pending: list[Any] = []
        try:
            while waiting or pending:
                while waiting and len(pending) < AHEAD * at_once:
                    pending.append(there.remote(*asked, waiting.popleft()))
                ready, pending = ray.wait(pending, timeout=POLL)
                for reference in ready:
                    self._hear(ray, reference, work)
                count = len(alive(ray))
                done = len(work.pieces) - len(work.missing())
                progress(noted(work.stage, f"{count} node{'s' * (count != 1)}"), done, len(work.pieces))
        finally:
            with suppress(ray.exceptions.RayError):  # the cluster may be gone
                for reference in pending:
                    ray.cancel(reference, force=True)
        if not until(lambda: not work.missing(), TO_APPEAR):
            raise UnfinishedError(
                "a node says that it has written the file, and it is not seen here",
                where=work.missing()[0].target,
                fix="Give a folder on a file system that all nodes share.",
            )
        work.tidy()

    def _at_once(self, ray: ModuleType) -> int:
        """How many pieces the cluster can make at the same time. What no node could ever make would wait for ever."""
        nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
        room = []
        for kind, each, option in (("CPU", self.cpus, "--cpus-per-piece"), ("GPU", self.gpus, "--gpus-per-piece")):
            there = [float(node.get(kind, 0)) for node in nodes]
            if each > max(there):
                raise UnfinishedError(
                    f"no node of the cluster has what a piece needs of {kind}s",
                    where=self.address,
                    got=f"{max(there):g} on the largest",
                    fix=f"Ask for less by {option}, or start the nodes with more.",
                )
            room += [sum(int(one / each) for one in there)] if each else []
        return max(1, min(room))

    def _hear(self, ray: ModuleType, reference: Any, work: Work) -> None:  # noqa: ANN401 (Ray has no types)
        try:
            said = ray.get(reference)
        except ray.exceptions.RayError as error:
            check_nodes(ray, work.pieces[0].target.parent)  # one may have joined since, that is not like the others
            done = len(work.pieces) - len(work.missing())
            raise UnfinishedError(
                f"a piece was lost, and {self.retries} retries did not help ({str(error).strip().splitlines()[-1]}); "
                f"{done} of {len(work.pieces)} pieces are finished",
                where=work.stage,
                fix="The same command goes on from there.",
            ) from error
        if said is not None:
            raise said.error()


def _make_there(version: str, maker: str, config: str, threads: int, handful: Sequence[Piece]) -> Refusal | None:
    """What a node does. A refusal is an answer: Ray would take an error for a fault, and try again."""
    os.environ.update(dict.fromkeys(THREADS, str(threads)))
    try:
        if version != __version__:  # a node that has joined since all were looked at
            raise UnfinishedError("another version of leadapron", got=__version__, allowed=version)
        make_pieces(_opened(maker, config), handful)
    except (LeadapronError, OSError) as error:
        return Refusal.of(error, by=f"node {platform.node()}")
    return None


@lru_cache(maxsize=1)
def _opened(maker: str, config: str) -> Make:
    """Once in a process: to load an encoder takes longer than a piece."""
    return Recipe(maker, json.loads(config)).make()
