"""Who is in the tail: which groups have more of the most exposed records than their share, and whether that is chance.

As published: chi-square on the counts of records, residuals, Bonferroni. But the records of one patient are in the tail
together, so counts of records scatter more than chi-square allows for. Beside it stands a test that deals the
groups anew among patients who have as many records.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import chdtrc

from leadapron.attacks.membership.signals import Flags, Ints
from leadapron.audits.groups import ATTRIBUTES, PERMUTATIONS, coded, groupings, tellable
from leadapron.results import GroupTest

Doubles = NDArray[np.float64]

TOLD_APART = (*ATTRIBUTES, "source")
"""Where a record comes from, too: a small clinic in a large collection is the smallest of groups."""
TAIL = 0.01
METHOD = "chi-square of the tail's counts, groups dealt anew among patients of as many records, Bonferroni"


@dataclass(frozen=True)
class TailGroups:
    """A row per group that may be told of, its records, and a test per attribute."""

    table: pl.DataFrame
    rows: dict[str, Ints]
    tests: tuple[GroupTest, ...]


def in_tail(risk: Doubles, share: float = TAIL) -> Flags:
    """The records with the highest risk; those tied with the last of them, too."""
    wanted = max(1, int(np.ceil(share * len(risk))))
    flags: Flags = risk >= np.partition(risk, len(risk) - wanted)[len(risk) - wanted]
    return flags


def tail_groups(records: pl.DataFrame, patient: Ints, tail: Flags, seed: int) -> TailGroups:
    """Every attribute and every finding by itself: findings overlap, and each splits the records in its own way.

    Groups that must not be told of count as unknown, in the tests as well. One that is left alone is compared with
    nobody.
    """
    told = {name: tellable(column, patient) for name, column in groupings(records, TOLD_APART).items()}
    columns = {name: column for name, column in told.items() if column.drop_nulls().n_unique() > 1}
    if not columns:
        return TailGroups(pl.DataFrame(), {}, ())
    dealt = _dealt_anew(patient, np.flatnonzero(tail), seed)
    tables, tests = [], []
    rows: dict[str, Ints] = {}
    for name, column in columns.items():
        kinds, code = coded(column)
        share = np.bincount(code[code >= 0], minlength=len(kinds)) / (code >= 0).sum()
        observed = _counts(code[np.flatnonzero(tail)][None, :], len(kinds))
        statistic = float(_chi_square(observed, share)[0])
        chance = _chi_square(_counts(code[dealt], len(kinds)), share)
        p = (1 + int((chance >= statistic - 1e-9).sum())) / (1 + len(chance))
        p_published = float(chdtrc(len(kinds) - 1, statistic))
        table = _residuals(kinds, code, share, observed[0], patient)
        tables.append(
            table.select(
                pl.lit(name).alias("attribute"),
                "*",
                *_with_bonferroni("p_chi_square", p_published, len(columns)),
                *_with_bonferroni("p_permutation", p, len(columns)),
            )
        )
        rows |= {f"{name}={kind}": np.flatnonzero(code == place) for place, kind in enumerate(kinds)}
        adjusted, groups = min(1.0, len(columns) * p), len(kinds)
        tests.append(
            GroupTest(attribute=name, groups=groups, statistic=statistic, p=p, p_adjusted=adjusted, method=METHOD)
        )
    return TailGroups(pl.concat(tables), rows, tuple(tests))


def _residuals(kinds: list[str], code: Ints, share: Doubles, observed: Doubles, patient: Ints) -> pl.DataFrame:
    """Observed and expected counts of each group in the tail; the chi-square test wants five expected at least."""
    expected = observed.sum() * share
    residual = (observed - expected) / np.sqrt(np.maximum(expected, 1e-300))
    return pl.DataFrame(
        {
            "group": kinds,
            "records": np.bincount(code[code >= 0], minlength=len(kinds)),
            "patients": [len(np.unique(patient[code == place])) for place in range(len(kinds))],
            "share": share,
            "observed": observed.astype(np.int64),
            "expected": expected,
            "residual": residual,
            "adjusted_residual": residual / np.sqrt(1 - share),
        }
    )


def _with_bonferroni(name: str, p: float, tests: int) -> tuple[pl.Expr, pl.Expr]:
    return pl.lit(p).alias(name), pl.lit(min(1.0, tests * p)).alias(f"{name}_bonferroni")


def _dealt_anew(patient: Ints, tail: Ints, seed: int) -> Ints:
    """Permutations by tail records: the record whose group each tail record is given.

    A patient with tail records takes the place of a patient drawn from those with as many records, without
    replacement; which of the records is which is drawn, too. One with a number of records like nobody else's keeps the
    groups.
    """
    rng = np.random.default_rng(seed)
    order = np.argsort(patient, kind="stable")
    starts = np.flatnonzero(np.diff(patient[order], prepend=-1))
    sizes = np.diff(starts, append=len(order))
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    owner = np.searchsorted(starts, place[tail], side="right") - 1
    dealt = np.empty((PERMUTATIONS, len(tail)), dtype=np.int64)
    for size in np.unique(sizes[owner]):
        mine = np.flatnonzero(sizes[owner] == size)
        pool = starts[sizes == size]
        who, compact = np.unique(owner[mine], return_inverse=True)
        turn = place[tail[mine]] - starts[owner[mine]]
        for row in dealt:
            donors = pool[rng.choice(len(pool), len(who), replace=False, shuffle=True)]
            # a turn of the donor's records by the same step keeps them apart
            step = rng.integers(0, size, len(who))
            row[mine] = order[donors[compact] + (turn + step[compact]) % size]
    return dealt


def _counts(codes: Ints, levels: int) -> Doubles:
    """Permutations by levels; unknown ones (−1) are not counted."""
    flat = codes + 1 + (levels + 1) * np.arange(len(codes))[:, None]
    counts = np.bincount(flat.ravel(), minlength=len(codes) * (levels + 1)).reshape(len(codes), levels + 1)
    return counts[:, 1:].astype(np.float64)


def _chi_square(observed: Doubles, share: Doubles) -> Doubles:
    expected = observed.sum(axis=1, keepdims=True) * share
    statistic: Doubles = ((observed - expected) ** 2 / np.maximum(expected, 1e-300)).sum(axis=1)
    return statistic
