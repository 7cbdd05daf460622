"""Measured, declared and combined risk, kept apart.

Measured is what the attacks reached. Declared is what the attacker is taken to have: nobody can measure that, so the
person who signs says it. Combined is calculated from both, and is as good as what was declared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pydantic import Field

from leadapron.attacks.membership.membership_measures import AGGREGATE, EXPOSED, MARKED
from leadapron.audits.audit import AuditConfig
from leadapron.engine.documents import Document
from leadapron.results import Measured

RARE_ALARMS = 0.001
"""The rate of false alarms at which an attacker is believed, or the next higher one that was measured."""


class Declared(Document):
    """What cannot be measured: whether the attacker holds a record, and how many of those asked about are members."""

    access: float = 1.0
    prior: float = 0.5


class DeclaredConfig(AuditConfig):
    """The same as options of an audit."""

    access: float = Field(
        default=1.0,
        gt=0,
        le=1,
        description="Declared and not measured: how likely an attacker holds a given patient's record.",
    )
    prior: float = Field(
        default=0.5,
        gt=0,
        lt=1,
        description="Declared and not measured: the share of members among the people that the attacker asks about.",
    )

    @property
    def declared(self) -> Declared:
        return Declared(access=self.access, prior=self.prior)


class Share(Document):
    """A share with its 95 % interval."""

    value: float
    low: float
    high: float

    def turned(self, into: Callable[[float], float]) -> Share:
        """By a function that grows with the share: so do the ends of the interval."""
        return Share(value=into(self.value), low=into(self.low), high=into(self.high))


class Recognised(Document):
    """The strongest attack on records at rare false alarms."""

    attacker: str
    fpr: float
    tpr: Share


class MeasuredRisk(Document):
    recognised: Recognised | None
    exposed: Share | None = Field(description="the share of the patients whose true AUC is high")


class CombinedRisk(Document):
    predictive_value: Share | None = Field(description="of those called members, the share that are")
    exposed: Share | None = Field(description="the same patients, to an attacker who may hold their record")


class RiskApart(Document):
    """The three kinds. What was not measured is None, and so is what would follow from it."""

    measured: MeasuredRisk
    declared: Declared
    combined: CombinedRisk


def risk_apart(estimates: Iterable[Measured], declared: Declared) -> RiskApart:
    everybody = [row for row in estimates if row.group is None]
    recognised, value = None, None
    if strongest := strongest_attack(everybody):
        fpr = rate_of(strongest)
        recognised = Recognised(attacker=strongest.attacker, fpr=fpr, tpr=_share(strongest))
        value = recognised.tpr.turned(lambda tpr: predictive_value(declared.prior, tpr, fpr))
    exposed = next((_share(row) for row in everybody if row.metric == EXPOSED), None)
    return RiskApart(
        measured=MeasuredRisk(recognised=recognised, exposed=exposed),
        declared=declared,
        combined=CombinedRisk(
            predictive_value=value, exposed=exposed and exposed.turned(lambda share: declared.access * share)
        ),
    )


def strongest_attack(estimates: Iterable[Measured]) -> Measured | None:
    """The attack on several models that recognises most members at rare false alarms."""
    rates = [row for row in estimates if row.protocol == AGGREGATE and row.metric.startswith(MARKED)]
    usable = [row for row in rates if rate_of(row) >= RARE_ALARMS]
    return min(usable, key=lambda row: (rate_of(row), -row.value), default=None)


def predictive_value(prior: float, tpr: float, fpr: float) -> float:
    """Of those whom the attack calls members, the share that are. It grows with the TPR."""
    caught, wrongly = prior * tpr, (1 - prior) * fpr
    return caught / (caught + wrongly)


def rate_of(row: Measured) -> float:
    return float(row.metric.removeprefix(MARKED))


def _share(row: Measured) -> Share:
    """Though the end of a symmetric interval may lie outside of shares."""
    return Share(value=row.value, low=min(max(row.low, 0.0), 1.0), high=min(max(row.high, 0.0), 1.0))
