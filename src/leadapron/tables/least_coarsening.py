"""The least coarsening after which every patient looks like k others.

What a change costs is the share of the column's own information (its entropy) that is lost; every column counts the
same. Where all combinations of forms can be tried the cheapest one that reaches the goal is taken. Of a large table
that would take too long: there each step takes the change that hides most for what it costs, and at the end every step
that turned out not to be needed is taken back. No single step can be spared then, though another way may lose less.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from leadapron.tables.alike import Coded, Ints, coded
from leadapron.tables.ladders import Rung, ladder_of

AFFORDABLE = 3_000_000
"""Rows times combinations of forms that are tried one by one: some seconds."""
Rungs = dict[str, int]


@dataclass(frozen=True)
class Step:
    """A column brought to a form, and the share of the patients who are then in too small a class, or alone."""

    column: str
    form: str
    small: float
    alone: float


@dataclass(frozen=True)
class Plan:
    """The form of each column by its place on the ladder, the steps that lead there, and who is left."""

    rungs: Mapping[str, int]
    steps: tuple[Step, ...]
    small: float
    exact: bool
    """Whether every combination of forms was tried."""


class Coarsening:
    """A table whose columns can be tried in every form, for a goal of ``k`` patients in each class."""

    def __init__(
        self, records: pl.DataFrame, columns: Sequence[str], patient: str | None, k: int, *, linked: bool
    ) -> None:
        self.records, self.k, self.linked = records, k, linked
        self.table = Coded.of(records, columns, patient)
        whose = pl.Series(self.table.patient)
        self.ladders: dict[str, tuple[Rung, ...]] = {name: ladder_of(records[name], whose, k) for name in columns}
        self.start: Rungs = dict.fromkeys(columns, 0)
        self._forms: dict[tuple[str, int], Ints] = {}
        self._sizes: dict[tuple[int, ...], Ints] = {}

    def classes(self, rungs: Mapping[str, int]) -> Ints:
        """For each patient how many look alike when the columns have these forms."""
        key = tuple(rungs[name] for name in self.ladders)
        if key not in self._sizes:
            forms = {name: self._form(name, rung) for name, rung in rungs.items()}
            self._sizes[key] = self.table.replaced(**forms).classes(linked=self.linked)
        return self._sizes[key]

    def single_changes(self) -> list[Step]:
        """What each form of each column would do by itself."""
        return [
            self._step({**self.start, name: rung}, name)
            for name, ladder in self.ladders.items()
            for rung in range(1, len(ladder))
        ]

    def least(self, left: float, start: Mapping[str, int] | None = None, end: Mapping[str, int] | None = None) -> Plan:
        """The plan after which at most a share ``left`` of the patients is in too small a class.

        ``start`` and ``end`` are the finest and the coarsest forms that columns may have, where not all are allowed.
        """
        begin = {**self.start, **(start or {})}
        last = {name: len(ladder) - 1 for name, ladder in self.ladders.items()} | dict(end or {})
        forms = [range(begin[name], last[name] + 1) for name in self.ladders]
        exact = math.prod(map(len, forms)) * len(self.records) <= AFFORDABLE
        goal = self._cheapest(forms, left) if exact else self._step_by_step(begin, last, left)
        return Plan(goal, tuple(self._steps_to(goal)), self._small(goal), exact)

    def _cheapest(self, forms: Sequence[range], left: float) -> Rungs:
        every = [dict(zip(self.ladders, one, strict=True)) for one in itertools.product(*forms)]
        every.sort(key=lambda rungs: (sum(self._lost(*one) for one in rungs.items()), sum(rungs.values())))
        return next((rungs for rungs in every if self._small(rungs) <= left), every[-1])

    def _step_by_step(self, begin: Rungs, last: Rungs, left: float) -> Rungs:
        rungs = dict(begin)
        while self._small(rungs) > left and (moves := list(self._moves(rungs, last))):
            column, rung = max(moves, key=lambda move: self._worth(rungs, *move))
            rungs[column] = rung
        moved = True
        while moved:
            moved = False
            for name in sorted(rungs, key=lambda name: -self._lost(name, rungs[name])):
                back = {**rungs, name: rungs[name] - 1}
                if rungs[name] > begin[name] and self._small(back) <= left:
                    rungs, moved = back, True
        return rungs

    def _moves(self, rungs: Rungs, last: Rungs) -> Iterator[tuple[str, int]]:
        for name in self.ladders:
            yield from ((name, rung) for rung in range(rungs[name] + 1, last[name] + 1))

    def _worth(self, rungs: Rungs, column: str, rung: int) -> tuple[float, float]:
        """Bits hidden for the share that is lost; where nothing is hidden, as little lost as possible."""
        lost = self._lost(column, rung) - self._lost(column, rungs[column])
        hidden = self._hidden({**rungs, column: rung}) - self._hidden(rungs)
        return hidden / max(lost, 1e-9), -lost

    def _hidden(self, rungs: Rungs) -> float:
        """The mean logarithm of class sizes; beyond k more is not better."""
        return float(np.log2(np.minimum(self.classes(rungs), self.k)).mean())

    def _lost(self, column: str, rung: int) -> float:
        whole = _bits(self._form(column, 0))
        return 1 - _bits(self._form(column, rung)) / whole if whole else 0.0

    def _small(self, rungs: Mapping[str, int]) -> float:
        return float((self.classes(rungs) < self.k).mean())

    def _steps_to(self, goal: Rungs) -> Iterator[Step]:
        """The changes one after another, first the one that hides most."""
        rungs, open_ = dict(self.start), [name for name, rung in goal.items() if rung]
        while open_:
            name = max(open_, key=lambda name: self._hidden({**rungs, name: goal[name]}))
            rungs[name] = goal[name]
            open_.remove(name)
            yield self._step(rungs, name)

    def _step(self, rungs: Rungs, column: str) -> Step:
        sizes = self.classes(rungs)
        return Step(column, self.ladders[column][rungs[column]].name, self._small(rungs), float((sizes == 1).mean()))

    def _form(self, column: str, rung: int) -> Ints:
        if (column, rung) not in self._forms:
            self._forms[column, rung] = coded(self.ladders[column][rung].of(self.records[column]))
        return self._forms[column, rung]


def _bits(codes: Ints) -> float:
    """The entropy of a column."""
    share = np.bincount(codes) / len(codes)
    share = share[share > 0]
    return float(-(share * np.log2(share)).sum())
