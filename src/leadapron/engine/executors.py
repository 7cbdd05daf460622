"""Who makes the pieces of long work: this process, or each task of a schedule a part of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count
from typing import Protocol

from leadapron.engine.pieces import Work, make_pieces
from leadapron.engine.progress import Progress, silent
from leadapron.errors import PartDoneError


class Executor(Protocol):
    """``Here``, ``Processes``, ``OnRay``, or ``Part`` of the work by one of these."""

    def run(self, work: Work, *, progress: Progress = silent) -> None:
        """Return when all pieces are there. An error of one of them ends the work, and what is finished stays."""


@dataclass(frozen=True)
class Here:
    """This process, with its threads."""

    def run(self, work: Work, *, progress: Progress = silent) -> None:
        handfuls, total = work.handfuls(), len(work.pieces)
        done = count(total - sum(map(len, handfuls)))

        def tell() -> None:
            progress(work.stage, next(done), total)

        tell()
        for handful in handfuls:
            make_pieces(work.here, handful, tell)
        work.tidy()


@dataclass(frozen=True)
class Part:
    """Every ``of``-th piece, from the ``number``-th on, whoever makes the others: they need not know of each other.

    What follows on the work, such as putting the pieces together, is done by who finds all of them there.
    """

    number: int
    of: int
    by: Executor

    def run(self, work: Work, *, progress: Progress = silent) -> None:
        if not work.missing():
            return
        self.by.run(replace(work, pieces=work.pieces[self.number - 1 :: self.of]), progress=progress)
        done = len(work.pieces) - len(work.missing())
        raise PartDoneError(
            f"part {self.number} of {self.of} is done; {done} of {len(work.pieces)} pieces are there",
            where=work.stage,
            fix="When all parts are done, run the same command again without --part.",
        )
