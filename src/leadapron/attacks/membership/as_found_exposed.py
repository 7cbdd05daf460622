"""Who is exposed: the patients whom an attacker accuses who allows few false accusations, and their groups."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.membership.as_found_reading import AsFound
from leadapron.attacks.membership.binormal import NINETY_FIVE
from leadapron.attacks.membership.declared import predictive_value
from leadapron.attacks.membership.membership_roc import Figure, cut_at
from leadapron.attacks.membership.membership_rows import add_tail
from leadapron.attacks.membership.signals import Flags
from leadapron.attacks.membership.tail import TailGroups, in_tail, tail_groups
from leadapron.audits.gathering import Gathering
from leadapron.stats import Estimate

Doubles = NDArray[np.float64]

FALSE_ALARMS = (0.01, 0.001)


def exposed(attacker: str, scores: Doubles, truth: Flags, figures: list[Figure]) -> pl.DataFrame:
    """A row a rate of false accusations that was measured: how many are accused, how many of them are members.

    Precision is that of an attacker who asks about this collection, with its share of members. Its interval is the
    recognised share's, carried over: the one grows with the other.
    """
    measured = {figure.metric: figure.estimate for figure in figures}
    prior = float(truth.mean())
    rows = []
    for fpr in FALSE_ALARMS:
        rate = measured.get(f"tpr@fpr={fpr:g}")
        if rate is None:
            continue
        accused = scores > cut_at(np.sort(scores[~truth]), fpr)
        ends = (rate.value, max(rate.low, 0.0), min(rate.high, 1.0))
        value, low, high = (predictive_value(prior, end, fpr) for end in ends)
        rows.append(
            {
                "attacker": attacker,
                "fpr": fpr,
                "accused": int(accused.sum()),
                "members": int((accused & truth).sum()),
                "others": int((accused & ~truth).sum()),
                "precision": value,
                "low": low,
                "high": high,
                "prior": prior,
            }
        )
    return pl.DataFrame(rows)


def add_precision(found: Gathering, table: pl.DataFrame, at: Mapping[str, Any]) -> None:
    for row in table.iter_rows(named=True):
        sd = (row["high"] - row["low"]) / (2 * NINETY_FIVE)
        estimate = Estimate(row["precision"], row["low"], row["high"], sd, row["accused"])
        metric = f"precision@fpr={row['fpr']:g}"
        found.add_of_some(metric, estimate, attacker=row["attacker"], chance=row["prior"], **at)


def add_exposed_groups(found: Gathering, one: AsFound, ratio: Doubles) -> TailGroups:
    """Groups among the most exposed: of the members where they are known, else of everybody, and no estimates then."""
    asked = np.ones(len(one.signals), dtype=np.bool_) if one.truth is None else one.truth
    tail, patient = in_tail(ratio[asked]), one.signals.patient[asked]
    groups = tail_groups(one.signals.records.filter(asked), patient, tail, found.seed)
    if one.truth is not None:
        add_tail(found, groups, tail, patient, attacker="rmia-offline", models=one.signals.models)
    return groups
