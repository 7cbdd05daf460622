"""``table``: coarsen the columns of a release's or a cohort's table until every patient looks like k others.

Ids stay: audits and trials need them to know whose a row is, and `leadapron handover` leaves them out or puts keyed
pseudonyms in their place. Vectors, images, reports and findings stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import polars as pl
from pydantic import Field

from leadapron.cohort import Cohort
from leadapron.cohort.cohort import TEXT_COLUMNS
from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.reports.key_file import days_moved, read_key
from leadapron.defences.table.blanking import left_empty, too_rare
from leadapron.defences.vectors.microaggregate import check_k
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError, DataError, did_you_mean
from leadapron.privacy import Guarantee
from leadapron.release import Release
from leadapron.tables.alike import Coded
from leadapron.tables.column_roles import PATIENT, names_in, roles_of
from leadapron.tables.ladders import AGE_BANDS, GONE, Rung, age_form, date_form, is_age, is_date
from leadapron.tables.least_coarsening import Coarsening

VISITS = {True: "in all visits together", False: "in any one visit"}
STATEMENT = (
    "k-anonymity of the table's columns {columns} with k = {k}, counted after the change: every patient looks like at "
    "least {others} others in them {visits}. Nothing is promised about other columns ({rest}), about ids, which must "
    "not be handed over, about vectors, images and reports, nor about what a whole class has in common. It is not "
    "differential privacy."
)
ALL_GONE = "No column is left in the table that others may know: by its columns no patient is told from another."
MISSED = (
    "No guarantee: {share} of the patients still look like fewer than {k} in the columns {columns} {visits}. Allow "
    "more empty values (--blank), or keep fewer columns as they are."
)
MOVED = " The dates in {columns} were moved by a secret number of days: how far apart they lie is as it was."


class TableDefenceConfig(Config):
    k: int = Field(
        11,
        ge=2,
        description="Fewest patients who look alike; more protect more.",
        json_schema_extra={"option": ["--k", "--strength"]},
    )
    columns: tuple[str, ...] = Field(
        default=(),
        description="What others may know: names of columns, with commas between them. [default: all but ids, split, "
        "labels and texts]",
    )
    drop: tuple[str, ...] = Field(default=(), description="Leave this column out, whatever is needed for k.")
    keep: tuple[str, ...] = Field(default=(), description="Leave this column as it is. May be given several times.")
    dates: Literal["as-needed", "month", "year", "five-years", "drop", "shift"] = Field(
        default="as-needed",
        description="How fine dates may stay at most; 'shift' moves them by a secret number of days a patient (--key).",
    )
    age_band: int | None = Field(
        default=None, description=f"The narrowest band of ages: {', '.join(map(str, AGE_BANDS))} years."
    )
    blank: float = Field(
        default=0.05, ge=0, lt=1, description="The share of the patients whose values may be left empty instead."
    )
    one_visit: bool = Field(
        default=False,
        description="Count what is known of one visit alone: where rows are handed over without pseudonyms.",
    )
    key: Path | None = Field(
        default=None,
        description="The file with the secret key of --dates shift: `leadapron key new FILE`. Dates in reports move as "
        "far under the same key.",
        json_schema_extra={"on_card": False},
    )


@dataclass(frozen=True)
class _Coarse:
    """A table in the forms that were found: which of its columns are still there, and who was left empty."""

    records: pl.DataFrame
    forms: dict[str, str]
    columns: list[str]
    blanked: int


def coarsen_table(
    subject: Release | Cohort, config: TableDefenceConfig, _progress: Progress
) -> tuple[Release | Cohort, DefenceCard]:
    where = subject.name if isinstance(subject, Cohort) else subject.where
    records, patient = subject.records, PATIENT if PATIENT in subject.records.columns else None
    roles = roles_of(records, names_in(config.columns), where=where)
    for option, names in (("--drop", config.drop), ("--keep", config.keep)):
        for name in names_in(names):
            if name not in roles.known:
                allowed = did_you_mean(name, roles.known)
                raise ConfigError("not a column to coarsen", where=option, got=name, allowed=allowed)
    check_k(config.k, records[PATIENT].n_unique() if patient else len(records), where)
    moved = [name for name in roles.known if is_date(records[name])] if config.dates == "shift" else []
    records = _moved(records, moved, patient, config.key)
    columns = [name for name in roles.known if name not in moved]
    linked = patient is not None and not config.one_visit
    coarse = _coarsened(Coarsening(records, columns, patient, config.k, linked=linked), config)
    guarantee = _guarantee(coarse, patient, config, moved, linked=linked, rest=[*roles.findings, *moved])
    card = TABLE.card(config, guarantee, forms=coarse.forms, moved=moved, blanked=coarse.blanked)
    done = "; ".join(f"{name} {form}" for name, form in coarse.forms.items()) or "no column had to be coarsened"
    empty = f"; values of {coarse.blanked:,} patients left empty" if coarse.blanked else ""
    needed = TEXT_COLUMNS if isinstance(subject, Cohort) else ()
    gone = [name for name, form in coarse.forms.items() if form == GONE and name not in needed]
    return replace(subject, records=coarse.records.drop(gone)), card.model_copy(update={"done": f"{done}{empty}."})


def _coarsened(coarsening: Coarsening, config: TableDefenceConfig) -> _Coarse:
    """The least that reaches the goal. Leaving values empty may make others rare: if too many, it is done without."""
    records, ladders, patients = coarsening.records, coarsening.ladders, len(coarsening.table.patients)
    start = {name: _first(records[name], ladder, config) for name, ladder in ladders.items()}
    most = max(config.blank * patients, config.k) if config.blank else 0
    for left in (config.blank, 0.0):
        plan = coarsening.least(left, start, dict.fromkeys(names_in(config.keep), 0))
        rungs = {name: ladders[name][rung] for name, rung in plan.rungs.items() if rung}
        made = records.with_columns(**{name: rung.of(records[name]) for name, rung in rungs.items()})
        forms = {name: rung.name for name, rung in rungs.items()}
        columns = [name for name in ladders if forms.get(name) != GONE]
        rare = too_rare(made, columns, coarsening.table.patient, config.k, linked=coarsening.linked)
        if rare.sum() <= most:
            made = left_empty(made, columns, rare[coarsening.table.patient])
            return _Coarse(made, forms, columns, int(rare.sum()))
    return _Coarse(made, forms, columns, 0)


def _first(column: pl.Series, ladder: Sequence[Rung], config: TableDefenceConfig) -> int:
    """The finest form that a column may have."""
    if column.name in names_in(config.keep):
        return 0
    asked = None
    if column.name in names_in(config.drop) or (is_date(column) and config.dates == "drop"):
        asked = GONE
    elif is_date(column) and config.dates not in ("as-needed", "shift"):
        asked = date_form(config.dates)
    elif is_age(column) and config.age_band is not None:
        if config.age_band not in AGE_BANDS:
            allowed = ", ".join(map(str, AGE_BANDS))
            raise ConfigError("no such band", where="--age-band", got=config.age_band, allowed=allowed)
        asked = age_form(config.age_band)
    names = [rung.name for rung in ladder]
    return names.index(asked) if asked in names else 0


def _moved(records: pl.DataFrame, columns: Sequence[str], patient: str | None, file: Path | None) -> pl.DataFrame:
    """All dates of a patient by the same number of days, which the key and the patient's id tell."""
    if not columns:
        return records
    if file is None:
        raise ConfigError("dates are moved by a secret", where="--key", fix="Make one with `leadapron key new FILE`.")
    if patient is None:
        raise DataError(
            "no column says whose the dates are", got=", ".join(records.columns), allowed="a column patient_id"
        )
    key = read_key(file)
    days = {one: days_moved(key, one) for one in records[patient].unique()}
    by = pl.duration(days=pl.lit(pl.Series([days[one] for one in records[patient]])))
    return records.with_columns((pl.lit(_as_date(records[name])) + by).alias(name) for name in columns)


def _as_date(column: pl.Series) -> pl.Series:
    return column.str.to_date() if column.dtype == pl.String else column


def _guarantee(
    coarse: _Coarse,
    patient: str | None,
    config: TableDefenceConfig,
    moved: Sequence[str],
    *,
    linked: bool,
    rest: Sequence[str],
) -> Guarantee:
    """Counted anew on the table as it is released."""
    beside = MOVED.format(columns=", ".join(moved)) if moved else ""
    sizes = Coded.of(coarse.records, coarse.columns, patient).classes(linked=linked)
    details = {"k": config.k, "columns": coarse.columns, "linked": linked}
    said = {"k": config.k, "columns": ", ".join(coarse.columns), "visits": VISITS[linked]}
    if sizes.min() < config.k:
        share = f"{float((sizes < config.k).mean()):.1%}"
        return Guarantee("none", statement=MISSED.format(**said, share=share) + beside, details=details)
    others = {"others": config.k - 1, "rest": ", ".join(rest) or "there are none"}
    statement = STATEMENT.format(**said, **others) if coarse.columns else ALL_GONE
    return Guarantee("k-anonymity", "patient", statement=statement + beside, details=details)


TABLE = Defence(
    "table",
    "coarsen the table beside it until every patient looks like others: k-anonymity",
    "table",
    TableDefenceConfig,
    coarsen_table,
    group="tables",
    strength="k",
)
