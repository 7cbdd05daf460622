"""What controls of every audit share: how they judge a number where there is nothing to find, or all there is.

A control is the whole audit once more, every attacker and the choice among them, on data of which the answer is known.
It vouches for the attackers that came out right, and for no others.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from scipy.special import betaincinv

from leadapron.results import Findings, Measured
from leadapron.stats import Outcome

RARE = 1e-5
"""How often a share may be taken for off that is not: every audit asks it of every attacker."""
ERRORS_APART = 5.0
"""The same for a number whose standard error is known."""
FEWEST = 10
"""Patients; a control of fewer shows little, and says so. How many they are is withheld."""


def with_controls(risk: Findings, run: Callable[[str], list[Outcome]]) -> Findings:
    """The audit with the outcomes of its controls, which are told which attacker the headline is of."""
    started = time.perf_counter()
    controls = run(risk.spot.attacker)
    timings = {**risk.timings, "controls": time.perf_counter() - started}
    return risk.updated(outcomes=(*controls, *risk.outcomes), timings=timings)


def off_chance(row: Measured) -> bool:
    """Whether a share lies beyond what guessing explains; each patient counts as one try, however many rows it has."""
    tries = row.patients or min(row.n, FEWEST - 1)
    hits = row.value * tries
    low = betaincinv(hits, tries - hits + 1, RARE) if hits > 0 else 0.0
    high = betaincinv(hits + 1, tries - hits, 1 - RARE) if hits < tries else 1.0
    return not low <= row.chance <= high


def off_half(row: Measured) -> bool:
    """The same of an AUC; the second error guards a handful of pairs that agree by chance."""
    return bool(abs(row.value - 0.5) > ERRORS_APART * max(row.sd, 0.5 / row.n**0.5 / 3))


def null_outcome(check: str, rows: Sequence[Measured], off: Sequence[Measured], world: str) -> Outcome:
    """``rows`` are what every attacker found where there is nothing to find, ``off`` those that are not chance."""
    attackers = dict.fromkeys(row.attacker for row in rows)
    wrong = {row.attacker for row in off}
    covered = tuple(name for name in attackers if name not in wrong)
    if off:
        told = "; ".join(f"{_what(row)} by {row.attacker}, guessing {row.chance:.4f}" for row in off[:3])
        return Outcome(check, "error", f"{world}, and still: {told}", covered)
    few = any(row.patients is None for row in rows)  # fewer than ten are not counted out
    worst = max(rows, key=lambda row: row.value - row.chance)
    reason = f"{world}: at most {_what(worst)} (by {worst.attacker}), guessing {worst.chance:.4f}"
    return Outcome(check, "warn" if few else "pass", reason, covered)


def planted_outcome(
    check: str, found: dict[str, float], relied_on: str, world: str, *, least: float, few: bool = False
) -> Outcome:
    """``found`` is the share of the planted that each attacker finds; whom the headline is of must find ``least``."""
    covered = tuple(name for name, share in found.items() if share >= least)
    told = ", ".join(f"{name} {share:.3f}" for name, share in found.items())
    reason = f"{world}; found by attacker: {told}"
    return Outcome(check, "error" if relied_on not in covered else "warn" if few else "pass", reason, covered)


def _what(row: Measured) -> str:
    place = ", ".join(map(str, row.at.values()))
    return f"{row.metric} {row.value:.4f}{f' ({place})' if place else ''}"
