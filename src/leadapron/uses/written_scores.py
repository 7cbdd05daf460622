"""Scores of written reports over patients: values, what guessing gives, and differences between writers.

Every score has numbers of each report that add up, so patients are redrawn by one matrix product, and the same redraws
serve all writers: differences are paired.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.stats import Estimate, PairedDifference, two_sided_p
from leadapron.uses.auroc import spread
from leadapron.writing.scores import ReportScore, redrawn_values

Doubles = NDArray[np.float64]

REDRAWS = 1000


@dataclass(frozen=True)
class WrittenScores:
    """Test records, and of every method (a writer or a control) and score the numbers of each report."""

    record_id: NDArray[np.str_]
    patient_id: NDArray[np.str_]
    scores: Mapping[str, ReportScore]
    statistics: Mapping[tuple[str, str], Doubles]
    seed: int

    @cached_property
    def _redrawn(self) -> dict[tuple[str, str], Doubles]:
        return {}

    def value(self, method: str, score: str) -> float:
        return float(self.scores[score].value(self.statistics[method, score].sum(axis=0)))

    def redrawn(self, method: str, score: str) -> Doubles:
        """The values in redraws of patients; the same redraws for all."""
        kept, key = self._redrawn, (method, score)
        if key not in kept:
            how = {"redraws": REDRAWS, "seed": self.seed}
            kept[key] = redrawn_values(self.scores[score], self.statistics[key], self.patient_id, **how)
        return kept[key]

    def estimate(self, method: str, score: str) -> Estimate:
        return self._estimate(self.value(method, score), self.redrawn(method, score))

    def gain(self, method: str, over: str, score: str) -> Estimate:
        """How much more one method has than another."""
        redrawn = self.redrawn(method, score) - self.redrawn(over, score)
        return self._estimate(self.value(method, score) - self.value(over, score), redrawn)

    def _estimate(self, value: float, redrawn: Doubles) -> Estimate:
        return Estimate(value, *spread(redrawn), len(self.record_id), len(np.unique(self.patient_id)))

    def table(self, methods: Iterable[str]) -> pl.DataFrame:
        """Evidence: a row a record, method and score."""
        kept = set(methods)
        parts = [
            pl.DataFrame(
                {
                    "record_id": pl.Series(self.record_id.astype(object), dtype=pl.String),
                    "patient_id": pl.Series(self.patient_id.astype(object), dtype=pl.String),
                    "method": [method] * len(rows),
                    "score": [score] * len(rows),
                    "statistics": pl.Series(rows.tolist(), dtype=pl.List(pl.Float64)),
                }
            )
            for (method, score), rows in self.statistics.items()
            if method in kept
        ]
        return pl.concat(parts)


def scored(
    written: Mapping[str, Sequence[str]],
    truth: Sequence[str],
    scores: Mapping[str, ReportScore],
    records: pl.DataFrame,
    seed: int,
) -> WrittenScores:
    """What each method wrote of every test record, in the order of the records."""
    record, patient = (records[name].to_numpy().astype(str) for name in ("record_id", "patient_id"))
    statistics = {
        (method, name): score.statistics(list(reports), list(truth))
        for method, reports in written.items()
        for name, score in scores.items()
    }
    return WrittenScores(record, patient, scores, statistics, seed)


def difference(
    before: pl.DataFrame, after: pl.DataFrame, method: str, score: ReportScore, *, seed: int
) -> PairedDifference | None:
    """The change of a method's score between two audits of the same test records; None where one does not have it."""
    here = (pl.col("method") == method) & (pl.col("score") == score.name)
    one, two = (table.filter(here).sort("record_id") for table in (before, after))
    if not len(one) or not len(two):
        return None
    if not one["record_id"].equals(two["record_id"]):
        got = f"{len(one):,} and {len(two):,} records"
        raise DataError("the two measurements are not of the same test records", got=got)
    patients = one["patient_id"].to_numpy().astype(str)
    rows = [np.array(table["statistics"].to_list(), dtype=np.float64) for table in (one, two)]
    old, new = (float(score.value(part.sum(axis=0))) for part in rows)
    redrawn = [redrawn_values(score, part, patients, redraws=REDRAWS, seed=seed) for part in rows]
    apart = redrawn[1] - redrawn[0]
    low, high, sd = spread(apart)
    p = two_sided_p(new - old, apart)
    return PairedDifference(old, new, new - old, low, high, sd, p, len(one), len(np.unique(patients)))
