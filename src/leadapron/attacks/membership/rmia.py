"""RMIA: is the record surer of its label than usual, more so than other records are?

Zarifzadeh and others (2024). A record's ratio is the target's probability of its true label by what models give it on
average, p(x | target) / p(x); its score is the share of reference records whose ratio it reaches γ times. With one
reference set for all records that is a place in a sorted list, so γ and the set do not change who stands above whom,
they only make ties: γ is 1, and the reference set is all records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.membership.membership_roc import aucs
from leadapron.attacks.membership.references import Gathered, gather
from leadapron.attacks.membership.signals import Ints, Signals

Doubles = NDArray[np.float64]

GRID = tuple(np.linspace(0.0, 1.0, 11).tolist())
TUNED_ON = 20_000
MOST_HELD_OUT = 4


def online(gathered: Gathered) -> Doubles:
    """Models with and without the record count alike, however many there are of each."""
    out, into = gathered.probability.T
    usual = (np.where(np.isnan(out), into, out) + np.where(np.isnan(into), out, into)) / 2
    return placed(ratios(gathered.answered, usual))


def offline(gathered: Gathered, slope: float) -> Doubles:
    """Models with the record are not there: they are taken to be as sure as ``slope`` p + 1 − ``slope``."""
    return placed(offline_ratios(gathered, slope))


def offline_ratios(gathered: Gathered, slope: float) -> Doubles:
    out, into = gathered.probability.T
    out = np.where(np.isnan(out), into, out)
    return ratios(gathered.answered, ((1 + slope) * out + (1 - slope)) / 2)


def ratios(answered: Doubles, usual: Doubles) -> Doubles:
    quotient: Doubles = answered / np.maximum(usual, np.finfo(np.float64).tiny)[:, None]
    return quotient


def placed(ratio: Doubles, gamma: float = 1.0) -> Doubles:
    """The share of all records z with ratio(x) / ratio(z) at least γ, for each target by itself."""
    columns = [np.searchsorted(np.sort(column), column / gamma, side="right") for column in ratio.T]
    return np.stack(columns, axis=1) / len(ratio)


def tuned_slope(signals: Signals, references: Ints, seed: int) -> float:
    """The slope that does best against some of the attacker's own reference models, of which it knows the members.

    The target's truth is not looked at: a slope chosen on it would be an attack that nobody can carry out.
    """
    rng = np.random.default_rng(seed)
    held = rng.permutation(references)[: max(1, min(MOST_HELD_OUT, len(references) // 4))]
    rows = np.sort(rng.permutation(len(signals))[:TUNED_ON])
    gathered = gather(signals, np.setdiff1d(references, held), held, rows)
    scores = [aucs(offline_ratios(gathered, slope), gathered.truth).mean() for slope in GRID]
    return float(GRID[int(np.argmax(scores))])
