"""Pieces of long work by several processes of this machine. This one hands them out, and knows who has which."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection, wait

from leadapron.engine.pieces import Piece, Recipe, Work, make_pieces
from leadapron.engine.processes import EVERY, several
from leadapron.engine.progress import Progress, silent
from leadapron.engine.refusal import Refusal
from leadapron.errors import UnfinishedError

Handful = tuple[Piece, ...]
DONE = "done"


@dataclass(frozen=True)
class Processes:
    """``jobs`` of them, which share the cores. What a killed one was at, another one takes over."""

    jobs: int

    def run(self, work: Work, *, progress: Progress = silent) -> None:
        recipe = work.recipe_for("--jobs")
        waiting = deque(work.handfuls(self.jobs))

        def tell() -> int:
            done = len(work.pieces) - len(work.missing())
            progress(work.stage, done, len(work.pieces))
            return done

        tell()
        with several(partial(_serve, recipe), min(self.jobs, len(waiting))) as started:
            idle, busy = [one.line for one in started], dict[Connection, Handful]()
            while waiting or busy:
                while waiting and idle:
                    _give(idle.pop(), waiting, busy)
                if not busy:  # nobody is left
                    done = tell()
                    raise UnfinishedError(
                        f"all {len(started)} processes were killed; {done} of {len(work.pieces)} pieces are finished",
                        where=work.stage,
                        fix="The same command goes on from there.",
                    )
                for line in wait(list(busy), timeout=EVERY):
                    assert isinstance(line, Connection)
                    _hear(line, waiting, busy, idle)
                tell()
            for line in idle:
                line.close()  # there is no more to do
            for one in started:
                one.process.join()
        work.tidy()


def _give(line: Connection, waiting: deque[Handful], busy: dict[Connection, Handful]) -> None:
    handful = waiting.popleft()
    try:
        line.send(handful)
    except ConnectionError:  # it is gone already
        waiting.appendleft(handful)
    else:
        busy[line] = handful


def _hear(line: Connection, waiting: deque[Handful], busy: dict[Connection, Handful], idle: list[Connection]) -> None:
    handful = busy.pop(line)
    try:
        said = line.recv()
    except (EOFError, ConnectionError):  # it was killed
        waiting.append(handful)
        return
    if isinstance(said, Refusal):
        raise said.error()
    idle.append(line)


def _serve(recipe: Recipe, line: Connection) -> None:
    """What each process does: makes what it is given, until the line is closed."""
    make = recipe.make()
    while True:
        try:
            handful = line.recv()
        except EOFError:
            return
        make_pieces(make, handful)
        line.send(DONE)
