"""The 14 CheXpert findings, and the one meaning of a label: 1 positive, 0 negative, null unknown.

A labeller also says −1, uncertain. In a cohort a policy decides what becomes of it; everywhere else it is unknown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from leadapron.errors import ConfigError, DataError, did_you_mean

FINDINGS = (
    "Atelectasis",
    "Cardiomegaly",
    "Consolidation",
    "Edema",
    "Enlarged Cardiomediastinum",
    "Fracture",
    "Lung Lesion",
    "Lung Opacity",
    "No Finding",
    "Pleural Effusion",
    "Pleural Other",
    "Pneumonia",
    "Pneumothorax",
    "Support Devices",
)


def label_column(finding: str) -> str:
    """``Pleural Effusion`` -> ``label_pleural_effusion``."""
    return "label_" + finding.lower().replace(" ", "_")


LABEL_COLUMNS = tuple(label_column(finding) for finding in FINDINGS)


@dataclass(frozen=True)
class LabelPolicy:
    """What a labeller's −1 (uncertain) and blank (not mentioned) become: 1, 0, or null, which masks the label.

    A record without any labels at all (no row in the label table) is masked under every policy.
    """

    uncertain: int | None
    unmentioned: int | None
    meaning: str


POLICIES = {
    "positive-only": LabelPolicy(0, 0, "only positive is positive (the linkage study's policy)"),
    "uncertain-positive": LabelPolicy(1, 0, "uncertain counts as positive"),
    "uncertain-masked": LabelPolicy(None, 0, "uncertain is masked, unmentioned is negative"),
    "mentioned-only": LabelPolicy(None, None, "uncertain and unmentioned are masked"),
}


def find_policy(name: str) -> LabelPolicy:
    if name not in POLICIES:
        raise ConfigError("unknown label policy", got=name, allowed=did_you_mean(name, POLICIES))
    return POLICIES[name]


def apply_policy(table: pl.DataFrame, policy: str, *, labelled: pl.Expr, where: str) -> pl.DataFrame:
    """Label columns of 1 / 0 / −1 / null turned into 1 / 0 / null.

    ``labelled`` is true for the rows that a labeller has seen: a null there means "not mentioned"; elsewhere it
    means "unknown" and stays null.
    """
    check_labels(table, where=where, allowed=(1, 0, -1))
    rule = find_policy(policy)
    return table.with_columns(
        pl.when(pl.col(column) == -1)
        .then(pl.lit(rule.uncertain, dtype=pl.Int8))
        .when(pl.col(column).is_null() & labelled)
        .then(pl.lit(rule.unmentioned, dtype=pl.Int8))
        .otherwise(pl.col(column).cast(pl.Int8))
        .alias(column)
        for column in LABEL_COLUMNS
    )


def label_names(table: pl.DataFrame) -> list[str]:
    """The columns that hold labels, whether of the 14 findings or others."""
    return [name for name in table.columns if name.startswith("label_")]


def with_known_labels(table: pl.DataFrame, *, where: str) -> pl.DataFrame:
    """The table with labels of 1, 0 and null alone: −1 (uncertain) and NaN are unknown.

    Every table that comes from outside passes through here, so that all who read a label take it for the same.
    """
    names = label_names(table)
    if all(table[name].dtype == pl.Int8 and table[name].is_between(0, 1).all() for name in names):
        return table  # as we write it ourselves
    numbers = [name for name in names if table[name].dtype.is_numeric() or table[name].dtype in (pl.Boolean, pl.Null)]
    table = table.with_columns(pl.col(numbers).cast(pl.Float64).fill_nan(None))
    check_labels(table, where=where, allowed=(1, 0, -1), columns=names)
    check_no_signs(table, where=where)
    return table.with_columns(pl.col(names).replace(-1.0, None).cast(pl.Int8))


def check_no_signs(table: pl.DataFrame, *, where: str) -> None:
    """Whoever writes −1 and never 0 may mean "negative", and would be taken to mean "uncertain"."""
    labels = table.select(label_names(table))
    if any((label == -1).any() for label in labels) and not any((label == 0).any() for label in labels):
        raise DataError(
            "the labels hold −1 and no 0, and −1 means uncertain, not negative",
            where=where,
            allowed="1 positive, 0 negative, −1 uncertain, null unknown",
            fix="Write 0 for negative. Where −1 does mean uncertain, leave the label empty.",
        )


def check_labels(
    table: pl.DataFrame,
    *,
    where: str,
    allowed: Sequence[int] = (1, 0),
    columns: Sequence[str] = LABEL_COLUMNS,
) -> None:
    """Every label is allowed or null, or the error names the row of the first that is not."""
    permitted = ", ".join(str(value) for value in allowed) + " or null"
    for column in columns:
        if not table[column].dtype.is_numeric():
            raise DataError(
                f"column {column!r} is not numeric",
                where=where,
                got=str(table[column].dtype),
                allowed=permitted,
            )
        known = pl.col(column).cast(pl.Float64).is_in([float(value) for value in allowed])
        wrong = table.select(pl.col(column).is_not_null() & ~known).to_series().arg_true()
        if len(wrong):
            raise DataError(
                f"column {column!r} holds an unknown label in row {wrong[0]} ({len(wrong)} rows do)",
                where=where,
                got=table[column][wrong[0]],
                allowed=permitted,
            )
