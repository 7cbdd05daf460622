"""A run that another process is at: its card tells what has happened since the last look."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from leadapron.engine import Progress
from leadapron.federated.run_card import CARD, read_run

if TYPE_CHECKING:
    from leadapron.federated.federate import Tell


class FollowedRun:
    """Tells every round once; the rounds that were there before are not told."""

    def __init__(self, out: Path, tell: Tell, progress: Progress) -> None:
        self._out, self._tell, self._progress = out, tell, progress
        self._told = len(read_run(out).rounds) if (out / CARD).exists() else 0

    def look(self) -> None:
        if not (self._out / CARD).exists():
            return
        run = read_run(self._out)
        for one in run.rounds[self._told :]:
            self._tell(run, one)
            self._progress("rounds of training", one.number, run.plan.rounds)
        self._told = len(run.rounds)
