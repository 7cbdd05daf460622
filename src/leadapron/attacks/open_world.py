"""The open world: most probes have no mate, and an attacker who names somebody for each of them is mostly wrong.

So the attacker names the first of a list only where its score lies above a threshold. The threshold is where one in a
hundred probes without a mate is taken for somebody: the false-positive identification rate (FPIR) of ISO/IEC 19795-1.
What counts is how many probes with a mate are named rightly there; one less that is the false-negative identification
rate (FNIR). In a closed pool, where everybody has a mate, the threshold would lie below all scores.

A probe without a mate is one whose mates were taken out of the candidates, or one who never had any. With c of its S
strangers above a threshold, one of N drawn is above it with the chance 1 − C(S − c, N) / C(S, N): no pool is drawn.

Two scores compete. The bare one finds copies for certain. The other is how far a candidate lies above the mean of the
ten nearest others, strangers all of them: some probes are near to everybody, and an attacker can compare with others.
(Speaker recognition knows it as adaptive cohort normalisation.) A candidate is none of its own cohort: else false
alarms would be held down, and right names would not. Each half of the patients is judged by the score that names more
of the other half, so that the choice flatters nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

from leadapron.stats import Estimate, at_false_rate

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

FPIR = 0.01
METRIC = f"tpir@fpir={FPIR:g}"
FEWEST_ALARMS = 2
"""With fewer expected, there is no such rate."""
LEAST_POOL = 1 / 1000
"""Of the candidates; for a smaller pool too many of a probe's strangers would have to be listed."""
COHORT = 10
"""So many of the nearest strangers say what is near for a probe."""
KEPT = 32
"""So many of each probe's nearest strangers are listed at first."""

ENTRY = ("probe", "score", "count", "whose")


@dataclass(frozen=True)
class Strangers:
    """Whom each probe met when its mates were not there: those with the highest scores, one entry each.

    Entries stand probe after probe, the highest score first.
    ``count[i]`` candidates of others have entry i's score with ``probe[i]``; ``whose[i]`` is a patient of theirs. What
    lies at ``floor[q]`` or below need not be listed. ``met[q]`` is how many there are, ``patient[q]`` the probe's own,
    and ``patients`` how many patients the candidates are of.
    """

    probe: Ints
    score: Doubles
    count: Ints
    whose: Ints
    floor: Doubles
    met: Ints
    patient: Ints
    patients: int

    def alarms(self, pool: int, *, plain: bool = False) -> FalseAlarms:
        """How often they are taken for somebody in a pool of this size, by the lead over the cohort or, ``plain``, by
        the bare score. Those of the pool that was asked for last are kept."""
        if pool not in self._alarms:
            self._alarms.clear()
            self._alarms[pool] = FalseAlarms(self, pool), FalseAlarms(self, pool, plain=True)
        return self._alarms[pool][plain]

    @cached_property
    def _alarms(self) -> dict[int, tuple[FalseAlarms, FalseAlarms]]:
        return {}

    def entries(self, kept: NDArray[np.bool_]) -> Strangers:
        """Some of the entries."""
        return self._with([getattr(self, name)[kept] for name in ENTRY])

    def joined(self, more: Strangers, floor: Doubles) -> Strangers:
        """With more entries, and what then need not be listed."""
        columns = [np.concatenate([getattr(self, name), getattr(more, name)]) for name in ENTRY]
        order = np.lexsort((-columns[1], columns[0]))
        return replace(self._with([column[order] for column in columns]), floor=floor)

    def _with(self, columns: list[NDArray[Any]]) -> Strangers:
        probe, score, count, whose = columns
        return replace(self, probe=probe, score=score, count=count, whose=whose)

    def only(self, kept: NDArray[np.bool_]) -> Strangers:
        """Some of the probes."""
        number, some = np.cumsum(kept) - 1, self.entries(kept[self.probe])
        floor, met, patient = self.floor[kept], self.met[kept], self.patient[kept]
        return replace(some, probe=number[some.probe], floor=floor, met=met, patient=patient)

    @cached_property
    def nearest(self) -> Doubles:
        """The highest scores of each probe, one more than the cohort has; NaN where there are no more."""
        sizes = np.bincount(self.probe, minlength=len(self.met))
        rank = np.arange(len(self.probe)) - (np.cumsum(sizes) - sizes)[self.probe]
        table = np.full((len(self.met), COHORT + 1), np.nan)
        first = rank <= COHORT
        table[self.probe[first], rank[first]] = self.score[first]
        return table

    @cached_property
    def level(self) -> Doubles:
        """The mean of each probe's cohort; 0 where it met nobody."""
        there = ~np.isnan(self.nearest[:, :COHORT])
        level: Doubles = np.where(there, self.nearest[:, :COHORT], 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
        return level

    @cached_property
    def lead(self) -> Doubles:
        """How far each entry lies above the cohort, of which it is no part itself."""
        others = np.minimum((~np.isnan(self.nearest)).sum(axis=1) - 1, COHORT)[self.probe]
        inside = (
            self.score >= np.take_along_axis(self.nearest[self.probe], np.maximum(others, 0)[:, None], axis=1)[:, 0]
        )
        whole = np.nansum(self.nearest, axis=1)[self.probe]
        without = (whole - self.score) / np.maximum(others, 1)
        lead: Doubles = self.score - np.where(inside, np.where(others > 0, without, 0.0), self.level[self.probe])
        return lead

    @cached_property
    def first(self) -> NDArray[np.bool_]:
        """Which entries are the first of their probe."""
        first: NDArray[np.bool_] = np.diff(self.probe, prepend=-1) != 0
        return first

    @cached_property
    def so_far(self) -> Ints:
        """How many of its probe's strangers each entry and those before it are."""
        sums = np.cumsum(self.count)
        starts = np.flatnonzero(self.first)
        so_far: Ints = sums - np.repeat((sums - self.count)[starts], np.diff(starts, append=len(sums)))
        return so_far

    def falling(self, *, plain: bool) -> Ints:
        """The entries of all probes, the highest lead or score first."""
        if plain not in self._falling:
            self._falling[plain] = np.argsort(-(self.score if plain else self.lead), kind="stable")
        return self._falling[plain]

    @cached_property
    def _falling(self) -> dict[bool, Ints]:
        return {}

    def brought(self, pool: int) -> Doubles:
        """What each entry adds to its probe's chance of an alarm in a pool of this size."""
        if pool not in self._brought:
            self._brought.clear()
            kinds, kind = np.unique(self.met, return_inverse=True)
            numbers = np.arange(int(self.so_far.max(initial=0)) + 1)
            if len(kinds) * len(numbers) < len(self.probe):  # as a rule many entries are alike, and few differ
                chance = alarm_chance(numbers, kinds[:, None], pool)[kind[self.probe], self.so_far]
            else:
                chance = alarm_chance(self.so_far, self.met[self.probe], pool)
            self._brought[pool] = np.where(self.first, chance, np.diff(chance, prepend=0.0))
        return self._brought[pool]

    @cached_property
    def _brought(self) -> dict[int, Doubles]:
        return {}


def is_measured(probes: int, pool: int, candidates: int) -> bool:
    """Whether there are probes enough for the rate, and the pool is not too small among so many candidates."""
    return probes * FPIR >= FEWEST_ALARMS and pool >= LEAST_POOL * candidates


@dataclass(frozen=True)
class FalseAlarms:
    """How often a probe without a mate is taken for somebody in a random pool, at every threshold."""

    strangers: Strangers
    pool: int
    plain: bool = False
    """Whether candidates are judged by the bare score."""

    @property
    def level(self) -> Doubles:
        """Of each probe the score that counts as none."""
        return np.zeros(len(self.strangers.met)) if self.plain else self.strangers.level

    @property
    def lead(self) -> Doubles:
        """Of each entry what is compared with the threshold."""
        return self.strangers.score if self.plain else self.strangers.lead

    @cached_property
    def _curve(self) -> tuple[Doubles, Doubles]:
        """Thresholds in falling order, and the rate of alarms by leads above each."""
        falling = self.strangers.falling(plain=self.plain)
        lead = self.lead[falling]
        first = np.flatnonzero(np.diff(-lead, prepend=-np.inf))
        sums = np.append(0.0, np.cumsum(self.strangers.brought(self.pool)[falling])) / max(len(self.strangers.met), 1)
        return np.append(lead[first], -np.inf), sums[np.append(first, len(lead))]

    def threshold(self, rate: float) -> float:
        """The lowest lead above which no more than this share of the probes without a mate gives an alarm."""
        thresholds, rates = self._curve
        return float(thresholds[np.searchsorted(rates, rate * (1 + 1e-12), side="right") - 1])

    def open_lists(self, rate: float = FPIR) -> NDArray[np.bool_]:
        """Probes whose list ends above the threshold, so that it must be longer."""
        return self.strangers.floor - self.level > self.threshold(rate)

    def together(self, threshold: float) -> float:
        """How many alarms tell as much as one: those of one patient's probes, and those that one patient brings about.

        Their number scatters as the parts of the patients on either side, less what each alarm would by itself.
        """
        them, every = self.strangers, self.strangers.brought(self.pool)
        rows = np.flatnonzero(self.lead > threshold)
        brought = np.bincount(them.whose[rows], weights=every[rows], minlength=1)
        alarm = np.bincount(them.probe[rows], weights=every[rows], minlength=len(them.met))
        alarms, rate = float(alarm.sum()), float(alarm.mean())
        if alarms == 0 or rate >= 1:
            return 1.0
        _, whose = np.unique(them.patient, return_inverse=True)
        off = np.bincount(whose, weights=alarm - rate)
        absent = (them.patients - len(brought)) * (alarms / them.patients) ** 2
        scatter = float(off @ off + ((brought - alarms / them.patients) ** 2).sum() + absent)
        return max(1.0, scatter / (alarms * (1 - rate)) - 1)


Way = tuple[FalseAlarms, Doubles]
"""A score: its false alarms, and of each probe with a mate what the best mate has."""


def both_ways(strangers: Strangers, pool: int, score: Doubles, level: Doubles) -> tuple[Way, Way]:
    """By the lead over the cohort, and by the bare ``score`` of the best mates; ``level`` is of their probes."""
    return (strangers.alarms(pool), score - level), (strangers.alarms(pool, plain=True), score)


def identified(
    ways: Sequence[Way],
    right: Doubles,
    patient: Ints,
    mean: Callable[[Doubles], Estimate],
    *,
    guess: float,
    rate: float = FPIR,
) -> Estimate:
    """The share of probes with a mate who are named rightly where one in a hundred of the others gives an alarm.

    ``right`` is each probe's chance that a mate comes first. ``mean`` puts an interval over patients around numbers, at
    a threshold that is known; that it is not known exactly widens it (``stats.alarms``). ``guess`` is how often a blind
    guess is right: where a leak is small, a shifted threshold changes no more than that.
    """
    half = np.unique(patient, return_inverse=True)[1] % 2 == 0
    fixed = [right * (lead > alarms.threshold(rate)) for alarms, lead in ways]
    chosen = [int(np.argmax([named[~part].sum() for named in fixed])) for part in (half, ~half)]

    def named_at(wanted: float) -> Doubles:
        columns = [right * (lead > alarms.threshold(wanted)) for alarms, lead in ways]
        return np.where(half, columns[chosen[0]], columns[chosen[1]])

    together = max(ways[at][0].together(ways[at][0].threshold(rate)) for at in chosen)
    probes = float(len(ways[0][0].strangers.met))
    estimate = at_false_rate(mean(named_at(rate)), rate, probes, together, lambda one: float(named_at(one).mean()))
    return estimate if estimate.slack >= 1 else replace(estimate, slack=guess * estimate.slack)


def alarm_chance(above: Ints, met: Ints, pool: int) -> Doubles:
    """The chance that one of those above is among ``pool`` drawn of all who were met, or of as many as there are."""
    drawn = np.minimum(pool, met)
    left = met - above
    ways = gammaln(left + 1.0) - gammaln(np.maximum(left - drawn, 0) + 1.0)
    ways -= gammaln(met + 1.0) - gammaln(met - drawn + 1.0)
    return np.where(left >= drawn, -np.expm1(np.minimum(ways, 0.0)), 1.0)
