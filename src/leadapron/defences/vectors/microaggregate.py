"""Microaggregation: a vector is released only as the mean of a group in which at least k patients are."""

from __future__ import annotations

import numpy as np
import polars as pl
from pydantic import Field
from scipy import sparse

from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.vectors.defended import GROUP, Floats, Ints, defended, vectors_of
from leadapron.defences.vectors.mdav import group_rows
from leadapron.defences.vectors.sharing import count_sharing
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError, DataError
from leadapron.privacy import Guarantee
from leadapron.release import Release
from leadapron.release.fitting import grouped
from leadapron.release.rows import distinct_rows, unit

STATEMENT = (
    "k-anonymity of a vector with k = {k}: every vector that is released is shared by at least {k} patients, so a "
    "vector by itself points to a group of {k} and to nobody in it. Images and texts are grouped each by themselves. "
    "{limits} Nothing is promised against what a whole group has in common, nor about the table of records beside the "
    "vectors. It is not differential privacy."
)


class MicroaggregateConfig(Config):
    k: int = Field(
        5,
        ge=2,
        description="Fewest patients in a group; more protect more.",
        json_schema_extra={"option": ["--k", "--strength"]},
    )


def microaggregate(release: Release, config: MicroaggregateConfig, _progress: Progress) -> tuple[Release, DefenceCard]:
    """Means of groups of at least ``k`` patients, images and texts each by themselves.

    A patient counts once in a mean, however many of the rows are theirs. The prompts are public and stay as they are.
    """
    patient, k = numbered_patients(release), config.k
    check_k(k, int(patient.max()) + 1, release.where)
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
    card = MICROAGGREGATE.card(config, guarantee, groups=facts)
    return defended(release, vectors, None, card, (grouped("microaggregate", release.records),))


MICROAGGREGATE = Defence(
    "microaggregate",
    "release means of groups of patients: k-anonymity",
    "release",
    MicroaggregateConfig,
    microaggregate,
    group=GROUP,
    strength="k",
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


def check_k(k: int, patients: int, where: str) -> None:
    if k > patients:
        raise ConfigError(
            "there are fewer patients than a group must hold",
            where=where,
            got=f"{patients} patients for k = {k}",
            allowed=f"2 to {patients}",
            fix=f"With k = {max(2, min(5, patients // 10))} there would be several groups."
            if patients >= 4
            else "Release more patients together.",
        )
