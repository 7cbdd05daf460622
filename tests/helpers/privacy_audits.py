"""Audits of a private mechanism that can fail: what an attacker with canaries measures against what is claimed.

A. ``gaussian_audit``: scores of canaries that are in or out, each N(in?, sigma²) if the mechanism is right. The lower
   confidence bound of their distance in standard deviations must not exceed the claimed 1/sigma.
B. ``one_run_epsilon``: Steinke, Nasr and Jagielski (2023), theorem 5.2: guesses who was in, in one run of training.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def gaussian_audit(scores, inside, *, z=1.64) -> float:
    """The least mu that the scores allow, at 95 % confidence."""
    ins, outs = scores[inside], scores[~inside]
    spread = math.sqrt((ins.var(ddof=1) + outs.var(ddof=1)) / 2)
    if spread == 0:
        return math.inf
    mu = (ins.mean() - outs.mean()) / spread
    return float(mu - z * math.sqrt(1 / len(ins) + 1 / len(outs)) * math.sqrt(1 + mu**2 / 8))


def one_run_epsilon(scores, inside, guesses, delta, *, significance=0.05) -> float:
    """The largest epsilon that one run disproves, from the ``guesses`` surest guesses (half "in", half "out")."""
    order = np.argsort(scores)
    half = guesses // 2
    correct = int((~inside[order[:half]]).sum() + inside[order[-half:]].sum())
    low, high = 0.0, 20.0
    if _p_value(len(scores), 2 * half, correct, low, delta) > significance:
        return 0.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        disproved = _p_value(len(scores), 2 * half, correct, middle, delta) <= significance
        low, high = (middle, high) if disproved else (low, middle)
    return low


def _p_value(canaries, guesses, correct, epsilon, delta) -> float:
    """The chance of so many right guesses against a mechanism of this epsilon and delta."""
    right = stats.binom(guesses, 1 / (1 + math.exp(-epsilon)))
    at_least = right.sf(correct - 1)
    if delta == 0 or correct == 0:
        return float(at_least)
    steps = np.arange(1, correct + 1)
    between = right.cdf(correct - 1) - right.cdf(correct - steps - 1)
    return float(min(1.0, at_least + 2 * canaries * delta * np.max(between / steps)))
