"""Offline RMIA against one model: how much surer is it of a record than models are that have not seen it?

A record's ratio is the target's probability of all that is known of the record by what models usually give it,
((1 + a) p + 1 − a) / 2, where p is the references' mean and ``a`` the slope. Everything is in logarithms: the
probability of fourteen right labels at once is small, and that of a memorised record hardly differs from one.

The slope cannot be tuned, since that takes models whose members are known. It says how sure models are of their
members: ``a`` p + 1 − ``a``. Near 0 they know every member by heart, as networks for small photographs do (Zarifzadeh
and others use 0.33 there), and the references hardly matter. Near 1 members and others look alike, as they do to
clinical models that generalise. With many labels p is small, and a small slope would drown it. So it is 0.9, as in the
study of open clinical models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_expit, logsumexp

from leadapron.attacks.membership.signals import SIGMOID, Ints, Signals
from leadapron.engine import parallel_map

Doubles = NDArray[np.float64]

SLOPE = 0.9
REFERENCE_RECORDS = 500


@dataclass(frozen=True)
class Answers:
    """A number a record: the target's log probability, that of the references' mean, and one minus this mean.

    The last would be lost in rounding if it were taken from the second.
    """

    target: Doubles
    reference: Doubles
    doubt: Doubles


def ask(signals: Signals, target: int, references: Ints) -> Answers:
    """In one pass over the files."""

    def one_block(rows: Ints) -> Answers:
        sure = log_probability(signals, rows)
        others = sure[:, references]
        mean = logsumexp(others, axis=1) - np.log(len(references))
        return Answers(sure[:, target], mean, -np.expm1(others).mean(axis=1))

    blocks = list(signals.blocks())
    parts = parallel_map(one_block, blocks)
    back = np.argsort(np.concatenate(blocks))
    columns = (
        np.concatenate([getattr(part, name) for part in parts])[back] for name in ("target", "reference", "doubt")
    )
    return Answers(*columns)


def log_probability(signals: Signals, rows: Ints) -> Doubles:
    """Records by models: of the true class, or of all labels that are known being right at once."""
    if signals.kind != SIGMOID:
        certain: Doubles = log_expit(signals.of(rows).astype(np.float64))
        return certain
    assert signals.labels is not None
    known = (signals.labels[rows] != 0)[:, None, :]
    by_label: Doubles = log_expit(signals.by_label(rows).astype(np.float64))
    together: Doubles = (by_label * known).sum(axis=2)
    return together


def log_ratio(answers: Answers, slope: float) -> Doubles:
    """By what is usual, from the doubt where that is small: else the ratios of easy records would be rounding."""
    with np.errstate(divide="ignore"):  # with a slope of 1 a logarithm of zero adds nothing
        easy = np.log1p(-(1 + slope) / 2 * answers.doubt)
        hard = np.logaddexp(np.log1p(slope) + answers.reference, np.log1p(-slope)) - np.log(2)
    ratio: Doubles = answers.target - np.where(answers.doubt < 0.5, easy, hard)
    return ratio


def among_random(ratio: Doubles, seed: int, count: int = REFERENCE_RECORDS) -> Doubles:
    """As published: the share of so many other records, drawn anew for each record, whose ratio it reaches.

    How many of the drawn are reached depends only on how many of all are. It is hypergeometric, and drawn as that: the
    same lottery without a table of records by draws.
    """
    others = len(ratio) - 1
    reached = np.searchsorted(np.sort(ratio), ratio, side="right") - 1
    drawn = min(count, others)
    share: Doubles = np.random.default_rng(seed).hypergeometric(reached, others - reached, drawn) / drawn
    return share
