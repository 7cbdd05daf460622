"""Which numbers the pages on membership speak of, and how they are counted in sentences."""

from __future__ import annotations

from functools import partial

from leadapron.attacks.membership.beyond_promise import PromiseHeld
from leadapron.attacks.membership.declared import RiskApart, Share, rate_of
from leadapron.attacks.membership.membership_measures import AGGREGATE, MARKED
from leadapron.audits.wording import SELDOM, written
from leadapron.pages.numerals import out_of, so_many
from leadapron.results import Measured, Results
from leadapron.results.selection import NOT_ATTACKERS, first, select
from leadapron.results.selection import few as few_or_none

few = partial(few_or_none, none="no")
auc = partial(written, "auc")


def risk_of(results: Results) -> RiskApart:
    return RiskApart.model_validate(results.details["risk"])


def promise_of(results: Results) -> PromiseHeld | None:
    held = results.details.get("promise")
    return None if held is None else PromiseHeld.model_validate(held)


def attacks(results: Results, level: str = AGGREGATE) -> list[str]:
    """The attackers of records, that of the measured risk first: the order of the line styles."""
    found = dict.fromkeys(row.attacker for row in select(results, protocol=level) if row.attacker not in NOT_ATTACKERS)
    recognised = risk_of(results).measured.recognised
    return sorted(found, key=lambda name: recognised is None or name != recognised.attacker)


def strongest_rate(results: Results) -> Measured | None:
    """The attack of the measured risk at its rate of false alarms."""
    recognised = risk_of(results).measured.recognised
    if recognised is None:
        return None
    return first(results, protocol=AGGREGATE, attacker=recognised.attacker, metric=f"{MARKED}{recognised.fpr:g}")


def highest_auc(results: Results) -> Measured | None:
    """The attack that does best on average: it need not be the one that recognises most at rare false alarms."""
    own = [row for row in select(results, protocol=AGGREGATE, metric="auc") if row.attacker in attacks(results)]
    return max(own, key=lambda row: row.value, default=None)


def rates(results: Results, attacker: str, level: str = AGGREGATE) -> list[Measured]:
    """An attack's estimates at given rates of false alarms, the most frequent first."""
    found = select(results, protocol=level, attacker=attacker)
    return sorted((row for row in found if row.metric.startswith(MARKED)), key=rate_of, reverse=True)


def people(share: float, high: float, tested: int | None = None) -> int:
    """The round number of patients of whom so many can be counted; of whom at most so many, where there are none."""
    return out_of(share if share > SELDOM else high, tested)


def counted(share: Share | Measured, size: int) -> str:
    """A share of so many with its interval: 4 (2 to 7)."""
    number = "none" if share.value * size < 0.5 and share.value <= SELDOM else so_many(share.value, size)
    return f"{number} ({round(share.low * size):,} to {round(share.high * size):,})"


def in_so_many(fpr: float) -> str:
    return f"one false alarm in {1 / fpr:,.0f}"


def listed(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else "".join(names)
