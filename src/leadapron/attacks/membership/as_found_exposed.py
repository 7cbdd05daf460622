"""Who is exposed: the patients an attacker accuses who allows few false accusations, how often that is right, and
which groups they are from."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.groups import groupings
from leadapron.attacks.measurements import Measurements
from leadapron.attacks.membership.as_found_reading import AsFound
from leadapron.attacks.membership.binormal import NINETY_FIVE
from leadapron.attacks.membership.declared import predictive_value
from leadapron.attacks.membership.found import DIRECTION, share_in
from leadapron.attacks.membership.roc import Figure, cut_at
from leadapron.attacks.membership.signals import Flags
from leadapron.attacks.membership.tail import TOLD_APART, TailGroups, in_tail, tail_groups
from leadapron.attacks.withheld import FEWEST_PATIENTS
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


def add_precision(made: Measurements, models: int, table: pl.DataFrame) -> None:
    for row in table.iter_rows(named=True):
        if row["accused"] < FEWEST_PATIENTS:
            continue
        sd = (row["high"] - row["low"]) / (2 * NINETY_FIVE)
        estimate = Estimate(row["precision"], row["low"], row["high"], sd, row["accused"])
        metric = f"precision@fpr={row['fpr']:g}"
        made.add(DIRECTION, row["attacker"], models, metric, row["prior"], estimate, protocol="patient")


def exposed_groups(found: AsFound, ratio: Doubles, seed: int) -> tuple[TailGroups, Flags]:
    """Of the members where they are known, else of everybody; with it, who of these is in the tail."""
    rows = _asked(found)
    tail = in_tail(ratio[rows])
    records = found.signals.records[np.flatnonzero(rows).tolist()]
    return tail_groups(records, found.signals.patient[rows], tail, seed), tail


def add_groups(made: Measurements, found: AsFound, tail: Flags, groups: TailGroups) -> None:
    """The share in the tail, of everybody and of each group that may be told of."""
    rows = np.flatnonzero(_asked(found))
    patient = found.signals.patient[rows]
    where = DIRECTION, "rmia-offline", found.signals.models, "in-tail", float(tail.mean())
    made.add(*where, share_in(tail, patient), protocol="record")
    columns = groupings(found.signals.records[rows.tolist()], TOLD_APART)
    for row in groups.table.iter_rows(named=True):
        mine = (columns[row["attribute"]] == row["group"]).fill_null(False).to_numpy()
        name = f"{row['attribute']}={row['group']}"
        made.add(*where, share_in(tail[mine], patient[mine]), protocol="record", group=name)


def _asked(found: AsFound) -> Flags:
    return np.ones(len(found.signals), dtype=np.bool_) if found.truth is None else found.truth
