"""Who looks alike: how many patients share what a table says about one.

Two attackers are told apart. One knows what the columns say of a single visit, and finds all patients who have such a
row. One knows it of all visits, and finds those who have exactly the same rows; but only where the table says which
rows are of one patient. Whoever shares all rows shares each of them, so the second class is never the larger one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

Ints = NDArray[np.int64]
LARGEST = 2**62
"""Of two columns' numbers as one; beyond it they are numbered anew."""


@dataclass(frozen=True)
class Coded:
    """Columns as numbers, equal ones where values are equal (a missing one is a value, too), and whose rows they are.

    ``patient`` numbers the patients from 0, in the order of ``patients``.
    """

    columns: Mapping[str, Ints]
    patient: Ints
    patients: pl.Series

    @classmethod
    def of(cls, records: pl.DataFrame, columns: Sequence[str], patient: str | None) -> Coded:
        """Without a column of patients every row is one."""
        whose = pl.int_range(len(records), eager=True) if patient is None else records[patient]
        patients = whose.cast(pl.String).unique(maintain_order=True)
        return cls({name: coded(records[name]) for name in columns}, coded(whose), patients)

    def replaced(self, **columns: Ints) -> Coded:
        return Coded({**self.columns, **columns}, self.patient, self.patients)

    def classes(self, columns: Sequence[str] | None = None, *, linked: bool) -> Ints:
        """For each patient how many patients look alike in these columns, the patient included."""
        names = list(self.columns) if columns is None else columns
        return class_sizes(combined([self.columns[name] for name in names], len(self.patient)), self.patient, linked)


def coded(column: pl.Series) -> Ints:
    """Numbers from 0, one per distinct value."""
    values = column.unique(maintain_order=True)
    numbers = pl.DataFrame({"value": values, "number": pl.int_range(len(values), eager=True)})
    found = pl.DataFrame({"value": column}).join(
        numbers, on="value", how="left", nulls_equal=True, maintain_order="left"
    )
    return found["number"].to_numpy().astype(np.int64)


def combined(columns: Sequence[Ints], rows: int) -> Ints:
    """One number per distinct combination of values; one for all where there is no column."""
    found, size = np.zeros(rows, dtype=np.int64), 1
    for column in columns:
        width = int(column.max(initial=0)) + 1
        if size * width > LARGEST:
            found = np.unique(found, return_inverse=True)[1].astype(np.int64)
            size = int(found.max(initial=0)) + 1
        found, size = found * width + column, size * width
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def class_sizes(row: Ints, patient: Ints, linked: bool) -> Ints:
    """From each row's combination and patient to the size of every patient's class."""
    width = int(row.max()) + 1
    pairs = np.sort(patient * width + row)  # by patient, then by combination; each once
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    whose, what = pairs // width, pairs % width
    begins = np.flatnonzero(np.diff(whose, prepend=-1))
    if not linked:
        shared = np.bincount(what)[what]  # patients who have such a row
        smallest: Ints = np.minimum.reduceat(shared, begins)
        return smallest
    content = what.tobytes()
    ends = [*begins[1:].tolist(), len(what)]
    sets = [content[8 * begin : 8 * end] for begin, end in zip(begins.tolist(), ends, strict=True)]
    counted = Counter(sets)
    return np.array([counted[one] for one in sets], dtype=np.int64)


def classes_in(
    population: pl.DataFrame, records: pl.DataFrame, columns: Sequence[str], whose: tuple[str | None, str | None]
) -> Ints:
    """For each patient of the records how many people of the population have a row like the patient's rarest one.

    ``whose`` are the columns that name people there and here. Nobody is alike where there is no such row.
    """
    here = len(records)
    both = pl.concat([_as_text(records, columns), _as_text(population, columns)])
    row = combined([coded(both[name]) for name in columns], len(both))
    people, patient = (
        np.arange(len(table)) if name is None else coded(table[name])
        for table, name in zip((population, records), whose, strict=True)
    )
    found = np.unique(np.stack([row[here:], people]), axis=1)[0]
    count = np.bincount(found, minlength=int(row.max()) + 1)
    fewest = np.full(int(patient.max()) + 1, len(population), dtype=np.int64)
    np.minimum.at(fewest, patient, count[row[:here]])
    return fewest


def _as_text(table: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """So that 64 in one table is 64 in another, whatever they were read as."""
    return table.select(pl.col(name).cast(pl.String) for name in columns)
