"""Microaggregation: a vector is released only as the mean of a group in which at least k patients are."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy import sparse

from leadapron.defences.guarantee import Guarantee
from leadapron.defences.vectors.defended import Floats, Ints, defended, vectors_of, whole_number
from leadapron.defences.vectors.mdav import group_rows
from leadapron.defences.vectors.sharing import count_sharing
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release
from leadapron.release.fitting import grouped
from leadapron.release.rows import distinct_rows, unit

STATEMENT = (
    "k-anonymity of a vector with k = {k}: every vector that is released is shared by at least {k} patients, so a "
    "vector by itself points to a group of {k} and to nobody in it. Images and texts are grouped each by themselves. "
    "{limits} Nothing is promised against what a whole group has in common, nor about the table of records beside the "
    "vectors. It is not differential privacy."
)


def microaggregate(
    release: Release,
    strength: float,
    *,
    seed: int | None = None,  # noqa: ARG001 (nothing is drawn)
    fitted_on: Release | None = None,  # noqa: ARG001 (nothing is fitted)
) -> Release:
    """Means of groups of at least ``strength`` patients, images and texts each by themselves.

    A patient counts once in a mean, however many of the rows are theirs. The prompts are public and stay as they are.
    """
    patient = numbered_patients(release)
    k = check_k(strength, int(patient.max()) + 1, release.where)
    vectors, groups, facts = {}, {}, {}
    for side, rows in vectors_of(release).items():
        vectors[side], groups[side], facts[side] = _aggregate(rows, patient, k)
    sharing = count_sharing(groups, patient, release.records)
    guarantee = Guarantee(
        "k-anonymity",
        "vector",
        statement=STATEMENT.format(k=k, limits=sharing.limits()),
        details={"k": k, **sharing.details()},
    )
    return defended(
        release,
        vectors,
        None,
        method="microaggregate",
        strength=strength,
        guarantee=guarantee,
        facts={"groups": facts},
        fitted=(grouped("microaggregate", release.records),),
    )


def _aggregate(rows: Floats, patient: Ints, k: int) -> tuple[Floats, Ints, dict[str, object]]:
    """The mean of its group for every row, the number of that group, and how large the groups became."""
    first, number = distinct_rows(rows)
    patients = int(patient.max()) + 1
    shared_by = sparse.csr_array((np.ones(len(rows)), (number, patient)), shape=(len(first), patients))
    shared_by.sum_duplicates()
    group = group_rows(rows[first], shared_by, k)[number]
    means, patients_in = patient_means(rows, group, patient)
    spread, lost = (float(np.square(rows - middle).sum()) for middle in (rows.mean(axis=0), means[group]))
    facts: dict[str, object] = {
        "groups": len(means),
        "fewest_patients": int(patients_in.min()),
        "most_patients": int(patients_in.max()),
        "variance_kept": round(1 - lost / spread, 4) if spread else 1.0,
    }
    return unit(means)[group], group, facts


def patient_means(rows: Floats, group: Ints, patient: Ints) -> tuple[Floats, Ints]:
    """For each group the mean of its patients' means, and the number of its patients.

    A patient with many rows would otherwise make the mean nearly their own.
    """
    groups, patients = int(group.max()) + 1, int(patient.max()) + 1
    pairs, pair, rows_of_pair = np.unique(group * patients + patient, return_inverse=True, return_counts=True)
    patients_in = np.bincount(pairs // patients, minlength=groups)
    weight = 1 / (rows_of_pair[pair] * patients_in[group])
    averaging = sparse.csr_array((weight, (group, np.arange(len(rows)))), shape=(groups, len(rows)))
    return (averaging @ rows.astype(np.float64)).astype(np.float32), patients_in


def numbered_patients(release: Release) -> Ints:
    if "patient_id" not in release.records.columns:
        raise DataError(
            "groups of patients need to know the patients",
            where=release.where,
            got=", ".join(release.records.columns),
            allowed="a column 'patient_id'",
        )
    numbers = release.records["patient_id"].rank("dense").cast(pl.Int64) - 1
    return numbers.to_numpy()


def check_k(strength: float, patients: int, where: str) -> int:
    if strength > patients:
        raise ConfigError(
            "there are fewer patients than a group must hold",
            where=where,
            got=f"{patients} patients for k = {strength:g}",
            allowed=f"2 to {patients}",
            fix=f"With --strength {max(2, min(5, patients // 10))} there would be several groups."
            if patients >= 4
            else "Release more patients together.",
        )
    return whole_number(strength, "patients", least=2, most=patients, reason="the number of patients")
