"""Any table: a CSV or parquet file, and a mapping from our column names to its own."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from leadapron.cohort.cohort import ID_COLUMNS, TEXT_COLUMNS, Cohort
from leadapron.cohort.labels import LABEL_COLUMNS, apply_policy, check_no_signs
from leadapron.cohort.sources.draft import Draft, keep_views
from leadapron.cohort.sources.source_options import ReadOptions
from leadapron.cohort.sources.tables import first_line, require_columns, to_numbers
from leadapron.errors import ConfigError, DataError, did_you_mean

NAME = "table"
AS_TEXT = (*ID_COLUMNS, *TEXT_COLUMNS, "split")
OURS = (*AS_TEXT, *LABEL_COLUMNS, "age", "sex", "race", "ethnicity", "date")
REQUIRED = ("record_id", "patient_id")


def read(path: Path, options: ReadOptions) -> Cohort:
    """The table's rows. A column that bears our name needs no mapping; any other is kept as an attribute.

    Without ``study_id`` each record is a study of its own. Relative image paths start at the table's folder.
    Labels are 1, 0, −1 (uncertain) or empty: the label policy says what the latter two become, in the rows
    that have a label at all and in the columns that somebody filled in; elsewhere they stay unknown.
    """
    draft = Draft.start(f"rows of {path.name}", _rename(_load(path, options), path, options))
    table = to_numbers(draft.table, (name for name in LABEL_COLUMNS if name in draft.table.columns), where=path)
    if "study_id" not in table.columns:
        table = table.with_columns(study_id="record_id")
    if "image_path" in table.columns:
        table = table.with_columns(image_path=_absolute(path))
    if "view" in table.columns:
        table = table.with_columns(pl.col("view").str.strip_chars().str.to_uppercase())
        draft = keep_views(draft.with_table(table), options.views)
    else:
        draft = draft.with_table(table).note("view", "the table has no column for it: the views are unknown")
    return draft.with_table(_with_labels(draft.table, path, options)).cohort(NAME, options)


def _load(path: Path, options: ReadOptions) -> pl.DataFrame:
    """The file, with ids and texts as text whatever they look like."""
    for ours in options.columns:
        if ours not in OURS:
            raise ConfigError("unknown column to map", got=ours, allowed=did_you_mean(ours, OURS))
    if not path.is_file():
        raise DataError("the table does not exist", where=path, fix="Expected: a .csv, .csv.gz or .parquet file.")
    texts = {options.columns.get(ours, ours) for ours in AS_TEXT}
    try:
        if path.suffix == ".parquet":
            table = pl.read_parquet(path)
            return table.with_columns(pl.col(name).cast(pl.String) for name in table.columns if name in texts)
        columns = pl.scan_csv(path, infer_schema=False).collect_schema().names()
        overrides = {column: pl.String for column in columns if column in texts}
        return pl.read_csv(path, schema_overrides=overrides, infer_schema_length=None)
    except pl.exceptions.PolarsError as error:
        raise DataError(f"the file cannot be read as a table ({first_line(error)})", where=path) from error


def _rename(table: pl.DataFrame, path: Path, options: ReadOptions) -> pl.DataFrame:
    """Our names for the mapped columns; a column that bears such a name but is not the mapped one goes."""
    require_columns(path, table.columns, options.columns.values())
    mapped = [pl.col(theirs).alias(ours) for ours, theirs in options.columns.items()]
    taken = {*options.columns, *options.columns.values()}
    table = table.select(*mapped, *(column for column in table.columns if column not in taken))
    for column in table.columns:
        if column.startswith("label_") and column not in LABEL_COLUMNS:
            allowed = did_you_mean(column, LABEL_COLUMNS)
            raise DataError("unknown label column", where=path, got=column, allowed=allowed, fix="Rename the column.")
    for column in REQUIRED:
        if column not in table.columns:
            raise DataError(
                f"no column {column!r}, and none is mapped to it",
                where=path,
                got=", ".join(table.columns),
                fix=f'Name the column that holds it: columns = {{ {column} = "…" }}.',
            )
    return table


def _absolute(path: Path) -> pl.Expr:
    place = pl.col("image_path")
    return (
        pl.when(place.str.starts_with("/"))
        .then(place)
        .otherwise(pl.format("{}/{}", pl.lit(str(path.absolute().parent)), place))
    )


def _with_labels(table: pl.DataFrame, path: Path, options: ReadOptions) -> pl.DataFrame:
    filled = [column for column in LABEL_COLUMNS if column in table.columns and table[column].count()]
    unknown = [pl.lit(None, dtype=pl.Int8).alias(column) for column in LABEL_COLUMNS if column not in filled]
    labelled = pl.any_horizontal(pl.col(*filled).is_not_null()) if filled else pl.lit(value=False)
    table = table.with_columns(unknown, labelled=labelled)
    decided = apply_policy(table, options.label_policy, labelled=pl.col("labelled"), where=str(path))
    check_no_signs(table, where=str(path))
    return decided.with_columns(unknown).drop("labelled")
