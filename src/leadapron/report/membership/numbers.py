"""Which of the audit's numbers a page speaks of, and how AUCs are written: as numbers, since patients are shares."""

from __future__ import annotations

from leadapron.report.numerals import out_of, percent, round_percent, so_many
from leadapron.report.results import Results
from leadapron.report.selection import Estimate, select

MARKED = "tpr@fpr="
ABOVE = 0.9
EXPOSED = f"true-patients-above={ABOVE:g}"
TOP = "auc@top="
SELDOM = 1e-5
"""Chances below are written as that they are: next to none."""
ALWAYS = 0.9995
"""AUCs above would be rounded to one, which nobody has measured."""


def auc(value: float) -> str:
    return f"> {ALWAYS:.4f}" if ALWAYS < value < 1 else f"{value:.3f}"


def at_least(value: float) -> str:
    return f"above {ALWAYS:.4f}" if ALWAYS < value < 1 else f"of {auc(value)} or more"


def auc_range(low: float, high: float) -> str:
    return f"{low:.3f}–{high:.3f}"


def is_auc(metric: str) -> bool:
    return metric == "auc" or metric.startswith(TOP)


def by_chance(row: Estimate) -> str:
    if is_auc(row["metric"]):
        return auc(row["chance"])
    return f"< {round_percent(SELDOM)}" if row["chance"] < SELDOM else percent(row["chance"])


def first(results: Results, **wanted: object) -> Estimate | None:
    """The estimate for everybody that has these values; None where it was not measured."""
    return next(iter(select(results, group=None, **wanted)), None)


def attacks(results: Results) -> list[str]:
    """The attacks on several models, that of the measured risk first: the order of the line styles."""
    found = dict.fromkeys(row["attacker"] for row in select(results, protocol="aggregate"))
    strongest = results.content.get("risk", {}).get("measured", {}).get("attacker")
    return sorted(found, key=lambda name: name != strongest)


def fpr_of(row: Estimate) -> float:
    return float(row["metric"].removeprefix(MARKED))


def rates(results: Results, attacker: str) -> list[Estimate]:
    """An attack's estimates at given rates of false alarms, the most frequent first."""
    found = select(results, protocol="aggregate", attacker=attacker)
    return sorted((row for row in found if row["metric"].startswith(MARKED)), key=fpr_of, reverse=True)


def people(share: float, high: float, tested: int | None = None) -> int:
    """The round number of patients of whom so many can be counted; of whom at most so many, where there are none."""
    return out_of(share if share > SELDOM else high, tested)


def counted(share: float, low: float, high: float, size: int) -> str:
    """A share of so many with its interval: 4 (2 to 7)."""
    number = "none" if share * size < 0.5 and share <= SELDOM else so_many(share, size)
    return f"{number} ({round(low * size):,} to {round(high * size):,})"


def in_so_many(fpr: float) -> str:
    return f"one false alarm in {1 / fpr:,.0f}"
