"""The risk of every record: its AUC over all models, by two estimators, and which of them to trust."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.attacks.membership.binormal import Auc, binormal
from leadapron.attacks.membership.normality import LEVEL, normality_p
from leadapron.attacks.membership.rank_aucs import rank_auc
from leadapron.attacks.membership.signal_moments import Moments, describe, joined
from leadapron.attacks.membership.signals import Ints, Signals
from leadapron.engine import parallel_map

Doubles = NDArray[np.float64]


@dataclass(frozen=True)
class RecordRisks:
    """In the order of the file: the bi-normal AUC, the one by ranks, and the p-value of "the signals are Gaussian"."""

    moments: Moments
    gaussian: Auc
    ranked: Auc
    normal_p: Doubles

    @property
    def ranks_trusted(self) -> NDArray[np.bool_]:
        """Where the signals are not Gaussian. On those that are, either estimator is right, so a false alarm is
        harmless."""
        trusted: NDArray[np.bool_] = self.normal_p < LEVEL
        return trusted


def record_risks(signals: Signals) -> RecordRisks:
    """A block of records at a time, on as many threads as there are."""
    everyone = np.ones(signals.models, dtype=bool)

    def measure(rows: Ints) -> tuple[Moments, Auc]:
        values, members = signals.of(rows), signals.members_of(rows)
        return describe(values, members, everyone), rank_auc(values, members)

    blocks = list(signals.blocks())
    found = parallel_map(measure, blocks)
    back = np.argsort(np.concatenate(blocks))
    moments = reordered(joined([part for part, _ in found]), back)
    ranked = Auc(*(np.concatenate([getattr(part, name) for _, part in found])[back] for name in ("distance", "error")))
    return RecordRisks(moments, binormal(moments), ranked, normality_p(moments))


def reordered(moments: Moments, order: Ints) -> Moments:
    names = ("count", "mean", "variance", "skewness", "kurtosis")
    return Moments(*(getattr(moments, name)[order] for name in names))


def record_table(signals: Signals, found: RecordRisks) -> pl.DataFrame:
    """A row a record, for the evidence."""
    return pl.DataFrame(
        {
            "record_id": signals.records["record_id"].cast(pl.String),
            "patient_id": signals.records["patient_id"].cast(pl.String),
            "auc": found.gaussian.value,
            "low": found.gaussian.low,
            "high": found.gaussian.high,
            "auc_ranks": found.ranked.value,
            "low_ranks": found.ranked.low,
            "high_ranks": found.ranked.high,
            "normal_p": found.normal_p,
            "trusted": np.where(found.ranks_trusted, "ranks", "bi-normal"),
            "models_with": found.moments.count[:, 1].astype(np.int64),
            "models_without": found.moments.count[:, 0].astype(np.int64),
        }
    ).with_columns(pl.col("normal_p").fill_nan(None))
