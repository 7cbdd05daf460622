"""What one scenario found of one release, beside what it found of the undefended one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from leadapron.audits.audit import Audit
from leadapron.audits.wording import titled
from leadapron.comparisons.clear_change import Status, status_of
from leadapron.comparisons.comparison import difference_of
from leadapron.comparisons.pairing import pair_strongest, tested_row
from leadapron.comparisons.use_changes import UseChange, use_changes
from leadapron.errors import DataError
from leadapron.results import Measured, Results
from leadapron.results.selection import first as first_of
from leadapron.results.selection import headline
from leadapron.stats import PairedDifference
from leadapron.trials.common_scale import above_guessing
from leadapron.trials.excess_cut import Share, excess_cut


@dataclass(frozen=True)
class Answer:
    """What one scenario found of one release.

    ``change`` is the tested difference to the undefended release; ``cut`` is how much of what lies above guessing the
    defence removes, None where the undefended release is not shown to have any, or where it is no share. ``beside`` are
    other numbers that a table shows. ``costs`` are, of a use, all of its changes, the worst clear one first.
    """

    audit: Audit
    row: Measured
    placed: Measured
    """The number by which it is set beside other risks: the headline, or what the audit names in its place."""
    before: Measured
    """The same of the undefended release."""
    tested: Measured
    """What the change is of: the headline, or what is paired in its place."""
    change: PairedDifference | None
    cut: Share | None
    beside: tuple[Measured | None, ...]
    results: Results
    costs: tuple[UseChange, ...] = ()

    @property
    def status(self) -> Status | None:
        """Against the undefended release, by the interval of the tested difference; None of that release itself."""
        return None if self.change is None else status_of(self.audit.measure_of(self.tested.metric), self.change)

    @property
    def above_guessing(self) -> Share | None:
        """The risk between guessing, 0, and always, 1."""
        return above_guessing(self.audit, self.placed)

    @property
    def kept(self) -> Share | None:
        """Of a use: the share of it that is left."""
        if self.change is None or not self.change.before:
            return None
        before = self.change.before
        return Share(self.change.after / before, 1 + self.change.low / before, 1 + self.change.high / before)


def answer_of(audit: Audit, before: Results, after: Results, seed: int, *, first: bool) -> Answer:
    """The headline after, and every paired change from ``before``; of the ``first`` release there is none."""
    row, placed, old = headline(after), _placed(audit, after), _placed(audit, before)
    beside = tuple(_beside(after, **wanted) for wanted in audit.in_trials)
    at, other = tested_row(audit, before), tested_row(audit, after)
    if first:
        return Answer(audit, row, placed, old, other, None, None, beside, after)
    if (at.metric, at.at) != (other.metric, other.at):
        got = " and ".join(titled(audit, one) for one in (at, other))
        raise DataError("the releases were judged by different numbers", got=got)
    measure = audit.measure_of(at.metric)
    if measure.paired is not None:
        costs = tuple(use_changes(before, after)) if audit.about == "use" else ()
        change = measure.paired(before, after, at)
        return Answer(audit, row, placed, old, other, change, None, beside, after, costs)
    pairs = pair_strongest(audit, before, after, at)
    cut = None
    if measure.scale == "share":
        cut = excess_cut(pairs.before, pairs.after, pairs.patients, at.chance, pairs.weights)
    return Answer(audit, row, placed, old, other, difference_of(audit, pairs, seed), cut, beside, after)


def _placed(audit: Audit, results: Results) -> Measured:
    named = first_of(results, **audit.placed_by) if audit.placed_by else None
    return named or headline(results)


def _beside(results: Results, **wanted: object) -> Measured | None:
    """By the headline's attacker where no other is named."""
    asked: dict[str, Any] = {"attacker": results.spot.attacker, **wanted}
    return first_of(results, **asked)
