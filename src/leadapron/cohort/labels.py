"""The 14 CheXpert findings, and what becomes of uncertain and unmentioned ones."""

from __future__ import annotations

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


def check_labels(table: pl.DataFrame, *, where: str, allowed: tuple[int, ...] = (1, 0)) -> None:
    """Every label is one of the allowed values or null, or the error names the first that is not."""
    permitted = ", ".join(str(value) for value in allowed) + " or null"
    for column in LABEL_COLUMNS:
        if not table[column].dtype.is_numeric():
            raise DataError(
                f"column {column!r} is not numeric",
                where=where,
                got=str(table[column].dtype),
                allowed=permitted,
            )
        known = pl.col(column).cast(pl.Float64).is_in([float(value) for value in allowed])
        wrong = table.filter(pl.col(column).is_not_null() & ~known)
        if len(wrong):
            raise DataError(
                f"column {column!r} holds an unknown label ({len(wrong)} rows do)",
                where=where,
                got=wrong[column][0],
                allowed=permitted,
            )
