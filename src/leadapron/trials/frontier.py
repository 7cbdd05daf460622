"""The frontier: how much risk each defence leaves, how much use it leaves, and which ones nothing else beats.

Risk is read off the attacker that does best against that very release, who knows patients that were defended in the
same way. What counts is what lies above guessing: guessing is not the release's doing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leadapron.audits.audit import Audit
from leadapron.audits.basis import is_verified
from leadapron.audits.wording import titled
from leadapron.comparisons.comparison import difference_of
from leadapron.comparisons.pairing import pair_strongest, tested_row
from leadapron.errors import DataError
from leadapron.pages.html import framed
from leadapron.privacy import bound_of_guarantee
from leadapron.results import Measured, Results
from leadapron.results.selection import first, headline, select
from leadapron.stats import PairedDifference
from leadapron.trials.entrant_trial import Trial
from leadapron.trials.excess_cut import Share, excess_cut
from leadapron.trials.scenario import Scenario


@dataclass(frozen=True)
class Gap:
    """Linkage of training pairs beside that of held-out pairs, by the published attacker.

    ``bound`` is the most that the guarantee allows for training pairs; None where there is none. For held-out pairs
    there is never one.
    """

    train: Measured
    test: Measured
    difference: float
    low: float
    high: float
    bound: float | None


@dataclass(frozen=True)
class Answer:
    """What one scenario found of one release.

    ``change`` is the tested difference to the undefended release; ``cut`` is how much of what lies above guessing the
    defence removes, None where the undefended release is not shown to have any, or where it is no share. ``beside`` are
    other numbers that a table shows.
    """

    audit: Audit
    row: Measured
    tested: Measured
    """What the change is of: the headline, or what is paired in its place."""
    change: PairedDifference | None
    cut: Share | None
    beside: tuple[Measured | None, ...]
    results: Results

    @property
    def kept(self) -> Share | None:
        """Of a use: the share of it that is left."""
        if self.change is None or not self.change.before:
            return None
        before = self.change.before
        return Share(self.change.after / before, 1 + self.change.low / before, 1 + self.change.high / before)


@dataclass(frozen=True)
class Point:
    """A release on the frontier's plane, with its answers by scenario."""

    name: str
    role: str
    of: str | None
    method: str | None
    strength: float | None
    guarantee: Mapping[str, Any]
    answers: Mapping[str, Answer]
    absent: Mapping[str, str]
    gap: Gap | None
    on_front: bool
    verified: bool
    errors: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class Frontier:
    """``risk`` and ``use`` are the scenarios of the plane's axes; without a use, points stand by their risk alone."""

    scenarios: tuple[Scenario, ...]
    risk: str
    use: str | None
    seed: int
    points: tuple[Point, ...]
    notes: tuple[str, ...]
    """What could not be asked, and why; and how the patients came to their sides."""
    kind: str
    """What was tried: release or run."""

    def __repr__(self) -> str:
        from leadapron.trials.trial_page import as_table

        return as_table(self)

    def _repr_html_(self) -> str:
        from leadapron.trials.trial_page import as_page

        return framed(as_page(self), "trial")

    def answers(self, scenario: str) -> list[tuple[Point, Answer]]:
        return [(point, point.answers[scenario]) for point in self.points if scenario in point.answers]


def build_frontier(scenarios: list[Scenario], trials: list[Trial], *, seed: int = 0) -> Frontier:
    """The first trial is the release before; every other is measured against it, unit by unit."""
    asked = [one for one in scenarios if one.key in trials[0].results]
    everywhere = [one for one in asked if all(one.key in trial.results for trial in trials)]
    risks = [one.key for one in everywhere if one.audit.about == "risk"]
    uses = [one.key for one in asked if one.audit.about == "use"]
    unmeasured = tuple(said for one in scenarios for said in _unmeasured(one, trials))
    if not risks:
        raise DataError("there is no risk that could be measured of every release", got=" ".join(unmeasured))
    risk, use = risks[0], uses[0] if uses else None
    answers = [_answers(asked, trials[0], trial, seed) for trial in trials]
    places = [_place(found, risk, use) for found in answers]
    points = [
        _point(trial, found, on_front=place is not None and _unbeaten(list(filter(None, places)), place))
        for trial, found, place in zip(trials, answers, places, strict=True)
    ]
    notes = (*unmeasured, *trials[0].entrant.notes)
    return Frontier(tuple(asked), risk, use, seed, tuple(points), notes, trials[0].entrant.kind)


def _unmeasured(scenario: Scenario, trials: list[Trial]) -> list[str]:
    """What could not be asked, of which releases, and why."""
    lacking: dict[str, list[str]] = {}
    for trial in trials:
        if scenario.key in trial.absent:
            lacking.setdefault(trial.absent[scenario.key], []).append(trial.entrant.name)
    whose = {why: "" if len(names) == len(trials) else f" of {', '.join(names)}" for why, names in lacking.items()}
    return [f"{scenario.title} Not measured{of}: {why}" for why, of in whose.items()]


def _place(found: Mapping[str, Answer], risk: str, use: str | None) -> tuple[float, float] | None:
    """Turned so that less risk is lower and more use is higher; None where the use is not known."""
    at = _as_risk(found[risk])
    if use is None:
        return at, 0.0
    return (at, -_as_risk(found[use])) if use in found else None


def _as_risk(answer: Answer) -> float:
    return answer.audit.measure_of(answer.row.metric).as_risk(answer.row.value)


def _unbeaten(places: list[tuple[float, float]], mine: tuple[float, float]) -> bool:
    """No other release has at most its risk and at least its use, and is better in one of them."""
    return not any(risk <= mine[0] and use >= mine[1] and (risk, use) != mine for risk, use in places)


def _answers(scenarios: list[Scenario], before: Trial, trial: Trial, seed: int) -> dict[str, Answer]:
    return {
        one.key: _answer(one.audit, before.results[one.key], trial.results[one.key], seed, first=trial is before)
        for one in scenarios
        if one.key in trial.results and one.key in before.results
    }


def _answer(audit: Audit, before: Results, after: Results, seed: int, *, first: bool) -> Answer:
    row = headline(after)
    beside = tuple(_beside(after, **wanted) for wanted in audit.in_trials)
    at, other = tested_row(audit, before), tested_row(audit, after)
    if first:
        return Answer(audit, row, other, None, None, beside, after)
    if (at.metric, at.at) != (other.metric, other.at):
        got = " and ".join(titled(audit, one) for one in (at, other))
        raise DataError("the releases were judged by different numbers", got=got)
    measure = audit.measure_of(at.metric)
    if measure.paired is not None:
        return Answer(audit, row, other, measure.paired(before, after, at), None, beside, after)
    pairs = pair_strongest(audit, before, after, at)
    cut = None
    if measure.scale == "share":
        cut = excess_cut(pairs.before, pairs.after, pairs.patients, at.chance, pairs.weights)
    return Answer(audit, row, other, difference_of(audit, pairs, seed), cut, beside, after)


def _beside(results: Results, **wanted: object) -> Measured | None:
    """By the headline's attacker where no other is named."""
    asked: dict[str, Any] = {"attacker": results.spot.attacker, **wanted}
    return first(results, **asked)


def _point(trial: Trial, answers: Mapping[str, Answer], *, on_front: bool) -> Point:
    defence = trial.defence
    return Point(
        name=trial.entrant.name,
        role=trial.entrant.role,
        of=trial.entrant.of,
        method=defence.get("method"),
        strength=defence.get("strength"),
        guarantee=dict(defence.get("guarantee") or {}),
        answers=answers,
        absent=trial.absent,
        gap=_gap(trial),
        on_front=on_front,
        verified=all(is_verified(results) for results in trial.results.values()),
        errors=trial.errors,
    )


def _gap(trial: Trial) -> Gap | None:
    train = trial.training
    if train is None or "linkage" not in trial.results:
        return None
    held_out = select(trial.results["linkage"], metric=train.metric, attacker=train.attacker, **train.at)
    if not held_out:
        return None
    test = held_out[0]
    difference = train.value - test.value
    error = 1.96 * math.hypot(train.sd, test.sd)  # other patients: the two are independent
    bound = bound_of_guarantee(trial.defence.get("guarantee") or {}, test.value)
    return Gap(train, test, difference, difference - error, difference + error, bound)
