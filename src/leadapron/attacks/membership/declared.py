"""Measured, declared and combined risk, kept apart.

Measured is what the attacks reached. Declared is what the attacker is taken to have: nobody can measure that, so
whoever signs says it. Combined is calculated from both, and is as good as what was declared.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

from leadapron.attacks.risk import RiskEstimate
from leadapron.errors import ConfigError

RARE_ALARMS = 0.001
"""The rate of false alarms at which an attacker is believed, or the next higher one that was measured."""
EXPOSED = 0.9
"""A patient whose true AUC is above is exposed."""
TPR = "tpr@fpr="

Range = dict[str, float]


@dataclass(frozen=True)
class Declared:
    """``access``: how likely an attacker holds a given patient's record; ``prior``: members among those asked about."""

    access: float = 1.0
    prior: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.access <= 1:
            raise ConfigError("not a probability to hold a record", where="access", got=self.access, allowed="0 to 1")
        if not 0 < self.prior < 1:
            raise ConfigError("not a share of members", where="prior", got=self.prior, allowed="between 0 and 1")


def risk_apart(estimates: Iterable[RiskEstimate], declared: Declared) -> dict[str, dict[str, object]]:
    """The three kinds, each under its name. What was not measured is left out, and what would follow from it."""
    everybody = [row for row in estimates if row.group is None]
    measured: dict[str, object] = {}
    combined: dict[str, object] = {}
    strongest = strongest_attack(everybody)
    if strongest is not None:
        fpr = rate_of(strongest)
        measured |= {"attacker": strongest.attacker, "fpr": fpr, "tpr": _range(strongest)}
        combined["predictive_value"] = {
            end: predictive_value(declared.prior, tpr, fpr) for end, tpr in _range(strongest).items()
        }
    for row in everybody:
        if row.metric == f"true-patients-above={EXPOSED:g}":
            measured |= {"exposed_above": EXPOSED, "patients": _range(row)}
            combined["patients_exposed"] = {end: declared.access * share for end, share in _range(row).items()}
    return {"measured": measured, "declared": asdict(declared), "combined": combined}


def strongest_attack(estimates: Iterable[RiskEstimate]) -> RiskEstimate | None:
    """The attack on several models that recognises most members at rare false alarms."""
    rates = [row for row in estimates if row.protocol == "aggregate" and row.metric.startswith(TPR)]
    usable = [row for row in rates if rate_of(row) >= RARE_ALARMS]
    return min(usable, key=lambda row: (rate_of(row), -row.value), default=None)


def predictive_value(prior: float, tpr: float, fpr: float) -> float:
    """Of those whom the attack calls members, the share that are. It grows with the TPR: so do its interval's ends."""
    caught, wrongly = prior * tpr, (1 - prior) * fpr
    return caught / (caught + wrongly)


def rate_of(row: RiskEstimate) -> float:
    return float(row.metric.removeprefix(TPR))


def _range(row: RiskEstimate) -> Range:
    """Shares, though the end of a symmetric interval may lie outside."""
    return {"value": row.value, "low": min(max(row.low, 0.0), 1.0), "high": min(max(row.high, 0.0), 1.0)}
