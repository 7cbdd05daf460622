"""What probes say of every test image, and how far that is right, in redraws of patients.

A probe learns findings from real images or from released ones, and is shown real test images or released ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort.truth import UNKNOWN, Labels
from leadapron.errors import DataError
from leadapron.stats import PairedDifference, two_sided_p
from leadapron.uses.auroc import count_redraws, draw, spread

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

REAL, RELEASED, AGREEMENT = "real", "released", "agreement"
METHODS = (RELEASED, REAL, AGREEMENT)


@dataclass(frozen=True)
class ImageScores:
    """Test records, their labels, and each method's score of every label, a column each as the labels stand."""

    record_id: NDArray[np.str_]
    patient_id: NDArray[np.str_]
    labels: Labels
    scores: Mapping[str, Floats]

    def rows(self, rows: Ints) -> ImageScores:
        kept = {name: values[rows] for name, values in self.scores.items()}
        return ImageScores(self.record_id[rows], self.patient_id[rows], self.labels.rows(rows), kept)

    def columns(self, names: Sequence[str]) -> ImageScores:
        at = [self.labels.names.index(name) for name in names]
        kept = {name: values[:, at] for name, values in self.scores.items()}
        return ImageScores(self.record_id, self.patient_id, self.labels.columns(at), kept)

    def areas(self, method: str, redraws: int, seed: int) -> Floats:
        """AUROC of every label (columns) in the sample, first, and in redraws of patients."""
        drawn = draw(self.patient_id, redraws, seed)
        return count_redraws(self.scores[method], self.labels, drawn).auroc()


def mean_area(areas: Floats) -> Floats:
    """The mean over the labels that have both classes in a redraw; NaN where none has."""
    there = ~np.isnan(areas)
    total = np.where(there, areas, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    mean: Floats = np.where(there.any(axis=1), total, np.nan)
    return mean


def to_table(scores: ImageScores) -> pl.DataFrame:
    """The scores as evidence."""
    columns: dict[str, pl.Series] = {
        "record_id": pl.Series(scores.record_id.astype(object), dtype=pl.String),
        "patient_id": pl.Series(scores.patient_id.astype(object), dtype=pl.String),
    }
    for at, name in enumerate(scores.labels.names):
        truth = pl.Series(scores.labels.truth[:, at])
        columns[f"truth_{name}"] = truth.set(truth == UNKNOWN, None)
        columns |= {f"{method}_{name}": pl.Series(values[:, at]) for method, values in scores.scores.items()}
    return pl.DataFrame(columns)


def from_table(table: pl.DataFrame) -> ImageScores:
    names = tuple(name.removeprefix("truth_") for name in table.columns if name.startswith("truth_"))
    truth = np.stack([table[f"truth_{name}"].fill_null(UNKNOWN).to_numpy() for name in names], axis=1)
    scores = {method: np.stack([table[f"{method}_{name}"].to_numpy() for name in names], axis=1) for method in METHODS}
    record, patient = (table[name].to_numpy().astype(str) for name in ("record_id", "patient_id"))
    return ImageScores(record, patient, Labels(names, truth.astype(np.int8)), scores)


def difference(
    before: ImageScores, after: ImageScores, method: str, *, redraws: int, seed: int
) -> PairedDifference | None:
    """The change of the mean area over the labels of both, in the same redraws of the same patients."""
    order, places = np.argsort(before.record_id), np.argsort(after.record_id)
    if not np.array_equal(before.record_id[order], after.record_id[places]):
        got = f"{len(order):,} and {len(places):,} records"
        raise DataError("the two measurements are not of the same test records", got=got)
    names = [name for name in before.labels.names if name in after.labels.names]
    if not names:
        return None
    old, new = (
        mean_area(one.rows(rows).columns(names).areas(method, redraws, seed))
        for one, rows in ((before, order), (after, places))
    )
    apart = new - old
    low, high, sd = spread(apart[1:])
    return PairedDifference(
        before=float(old[0]),
        after=float(new[0]),
        difference=float(apart[0]),
        low=low,
        high=high,
        sd=sd,
        p=two_sided_p(float(apart[0]), apart[1:][~np.isnan(apart[1:])]),
        n=len(order),
        clusters=len(np.unique(before.patient_id)),
    )
