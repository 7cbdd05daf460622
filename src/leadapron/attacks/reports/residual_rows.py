"""What the comparison with the truth found, as rows: every share with its interval over patients."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import polars as pl

from leadapron.attacks.reports.against_truth import Compared
from leadapron.attacks.reports.residual_measures import ALL, HIPAA, NEVER, TRUTH, UNITS
from leadapron.audits.gathering import Gathering
from leadapron.audits.record_gathering import key_of
from leadapron.reports.identifiers.categories import NOT_HIPAA
from leadapron.results import Measured
from leadapron.results.withheld import FEWEST_PATIENTS
from leadapron.stats import Estimate, shares, shares_of

IsOf = Callable[[str], pl.Expr]
"""Whether the category in a column is the one in question."""
Luck = dict[str, float]
"""What guessing gives for recall and for precision: as many words, anywhere in the reports."""


@dataclass
class ResidualGathering(Gathering):
    """Beside the estimates, what each unit got: two audits of the same reports can then be paired."""

    units: list[pl.DataFrame] = field(default_factory=list)

    def add_units(
        self, metric: str, units: pl.DataFrame, *, attacker: str, chance: float, category: str
    ) -> Measured | None:
        """``units`` has record_id, patient_id and value. Of a category with a handful of units nothing is told."""
        if not len(units) or (category != ALL and len(units) < FEWEST_PATIENTS):
            return None
        row = self.add(
            metric, share_of(units), attacker=attacker, chance=min(max(chance, NEVER), 1.0), category=category
        )
        named = units.select("record_id", "patient_id", row=pl.lit(key_of(row)), value=pl.col("value").cast(pl.Float64))
        self.units.append(named)
        return row

    @property
    def evidence(self) -> dict[str, pl.DataFrame]:
        return {UNITS: pl.concat(self.units)} if self.units else {}


def share_of(units: pl.DataFrame) -> Estimate:
    """The mean of ``value`` with an interval over patients."""
    return shares(units["value"].to_numpy()[:, None].astype(np.float64), units["patient_id"].to_numpy())[0]


def patient_units(patients: Sequence[str], hit: set[str]) -> pl.DataFrame:
    """A unit per patient."""
    return pl.DataFrame({"record_id": patients, "patient_id": patients, "value": [one in hit for one in patients]})


def add_truth(found: ResidualGathering, compared: Compared) -> None:
    """Leaks, recall, precision and F1 of all, of HIPAA's and of each category; terms and findings."""
    words = max(compared.words, 1)
    luck = {"recall": compared.either["found"].count() / words, "precision": compared.either["true"].count() / words}
    for category, is_of in _categories(compared):
        _add_identifiers(found, compared, (category, is_of), luck)
        spans = {
            "recall": compared.identifiers.filter(is_of("category")).select("patient_id", hit="touched"),
            "precision": compared.found.filter(is_of("category")).select("patient_id", hit="right"),
        }
        tokens = {
            side: compared.either.drop_nulls(own)
            .filter(is_of(own))
            .select("patient_id", hit=pl.col(other).is_not_null())
            for side, own, other in (("recall", "true", "found"), ("precision", "found", "true"))
        }
        _add(found, "precision", spans["precision"], luck["precision"], category)
        _add_f1(found, "f1", spans, luck, category)
        for side, rows in tokens.items():
            _add(found, f"token-{side}", rows, luck[side], category)
        _add_f1(found, "token-f1", tokens, luck, category)
    changed = compared.findings.group_by("patient_id", maintain_order=True).agg(pl.col("positive_changed").any())
    for metric, table, column, chance in (
        ("terms-kept", compared.terms, "kept", 1 - luck["recall"]),
        ("findings-kept", compared.findings, "same", 0.5),
        ("positive-changed", changed, "positive_changed", NEVER),
        ("unchanged", compared.found.drop_nulls("unchanged"), "unchanged", NEVER),
    ):
        _add(found, metric, table.select("patient_id", hit=column), chance, ALL)


def _categories(compared: Compared) -> Iterator[tuple[str, IsOf]]:
    """All, HIPAA's, and every one by itself."""
    yield ALL, lambda _column: pl.lit(True)
    yield HIPAA, lambda column: ~pl.col(column).is_in(list(NOT_HIPAA))
    for name in sorted(set(compared.identifiers["category"]) | set(compared.found["category"])):
        yield name, lambda column, name=name: pl.col(column) == name  # type: ignore[misc]


def _add_identifiers(found: ResidualGathering, compared: Compared, kind: tuple[str, IsOf], luck: Luck) -> None:
    category, is_of = kind
    own = compared.identifiers.filter(is_of("category"))
    if not len(own):
        return
    leaking = patient_units(compared.patients, set(own.filter("leaks")["patient_id"]))
    found.add_units("leak", leaking, attacker=TRUTH, chance=NEVER, category=category)
    named = own.with_columns(record_id=pl.format("{}/{}-{}", "record_id", "start", "end"))
    for metric, column, chance in (
        ("left", "leaks", NEVER),
        ("recall", "touched", luck["recall"]),
        ("recall-strict", "covered", luck["recall"]),
    ):
        units = named.select("record_id", "patient_id", value=column)
        found.add_units(metric, units, attacker=TRUTH, chance=chance, category=category)


def _add(found: ResidualGathering, metric: str, rows: pl.DataFrame, chance: float, category: str) -> None:
    """A share of rows of no record: spans that were found, words, findings."""
    if len(rows) and (category == ALL or len(rows) >= FEWEST_PATIENTS):
        estimate = share_of(rows.select("patient_id", value="hit"))
        found.add(metric, estimate, attacker=TRUTH, chance=min(max(chance, NEVER), 1.0), category=category)


def _add_f1(found: ResidualGathering, metric: str, sides: dict[str, pl.DataFrame], luck: Luck, category: str) -> None:
    """Hits on both sides by all that there are on both: a share of rows, and so it has the interval of one."""
    rows = pl.concat(sides.values())
    if not len(rows) or (category != ALL and len(rows) < FEWEST_PATIENTS):
        return
    added = rows.group_by("patient_id", maintain_order=True).agg(pl.col("hit").sum(), size=pl.len())
    sums, sizes = (added[name].to_numpy().astype(np.float64) for name in ("hit", "size"))
    at_random = 2 * luck["recall"] * luck["precision"] / max(sum(luck.values()), NEVER)
    estimate = shares_of(sums[:, None], sizes)[0]
    found.add(metric, estimate, attacker=TRUTH, chance=max(at_random, NEVER), category=category)
