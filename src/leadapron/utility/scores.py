"""The scores of the test records: all that the metrics are computed from, and what two releases are compared by."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort.truth import UNKNOWN, Labels
from leadapron.errors import DataError

Floats = NDArray[np.float64]

RETRIEVAL = ("precision@10", "jaccard@10", "agreement@10")


@dataclass(frozen=True)
class Scores:
    """A row a test record.

    ``probe`` and ``zero_shot`` are keyed by label and higher where the finding is likelier; the probe says "positive"
    from 0 up. ``retrieval`` holds, for each query, how like it the reports are that it finds, and ``chance`` how like
    it those are that are drawn blindly; NaN where a record is no query.
    """

    record_id: NDArray[np.str_]
    patient_id: NDArray[np.str_]
    labels: Labels
    probe: Mapping[str, Floats]
    zero_shot: Mapping[str, Floats]
    retrieval: Mapping[str, Floats]
    chance: Mapping[str, Floats]

    def parts(self) -> dict[str, Mapping[str, Floats]]:
        """What is kept under which beginning of a column's name."""
        return {
            "probe": self.probe,
            "zero_shot": self.zero_shot,
            "retrieval": self.retrieval,
            "chance": self.chance,
        }

    def rows(self, rows: NDArray[np.int64]) -> Scores:
        """Some of the records, or all in another order."""
        return Scores(
            self.record_id[rows],
            self.patient_id[rows],
            self.labels.rows(rows),
            *({name: values[rows] for name, values in held.items()} for held in self.parts().values()),
        )

    def only(self, probe: Collection[str], zero_shot: Collection[str]) -> Scores:
        """With the scores of these labels alone."""
        return replace(
            self,
            probe={name: self.probe[name] for name in probe},
            zero_shot={name: self.zero_shot[name] for name in zero_shot},
        )


def to_table(scores: Scores) -> pl.DataFrame:
    """The scores as evidence. Unknown labels, and scores of records that are not judged, are null."""
    columns: dict[str, pl.Series] = {
        "record_id": pl.Series(scores.record_id.astype(object), dtype=pl.String),
        "patient_id": pl.Series(scores.patient_id.astype(object), dtype=pl.String),
    }
    for at, label in enumerate(scores.labels.names):
        truth = pl.Series(scores.labels.truth[:, at])
        columns[f"truth_{label}"] = truth.set(truth == UNKNOWN, None)
    for part, held in scores.parts().items():
        columns |= {f"{part}_{name}": pl.Series(values).fill_nan(None) for name, values in held.items()}
    return pl.DataFrame(columns)


def from_table(table: pl.DataFrame, where: str) -> Scores:
    """The scores that a table of evidence was made from."""
    missing = {"record_id", "patient_id"} - set(table.columns)
    names = tuple(name.removeprefix("truth_") for name in table.columns if name.startswith("truth_"))
    if missing or not names:
        raise DataError("the table holds no scores", where=where, got=", ".join(table.columns))
    truth = np.stack([table[f"truth_{name}"].fill_null(UNKNOWN).to_numpy() for name in names], axis=1).astype(np.int8)

    def part(beginning: str) -> dict[str, Floats]:
        return {
            name.removeprefix(f"{beginning}_"): table[name].fill_null(float("nan")).to_numpy()
            for name in table.columns
            if name.startswith(f"{beginning}_")
        }

    return Scores(
        table["record_id"].to_numpy().astype(str),
        table["patient_id"].to_numpy().astype(str),
        Labels(names, truth),
        part("probe"),
        part("zero_shot"),
        part("retrieval"),
        part("chance"),
    )
