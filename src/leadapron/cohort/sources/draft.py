"""A cohort in the making: a table, and the funnel of what was dropped from it."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace

import polars as pl

from leadapron.cohort.cohort import Cohort, build_cohort
from leadapron.cohort.funnel import Funnel
from leadapron.cohort.sources.source_options import ReadOptions

OLDEST = 122
"""Years: the longest human life on record."""


@dataclass(frozen=True)
class Draft:
    """Immutable: each step gives a new draft."""

    table: pl.DataFrame
    funnel: Funnel

    @classmethod
    def start(cls, what: str, table: pl.DataFrame) -> Draft:
        return cls(table, Funnel.start(what, len(table)))

    def keep(self, condition: pl.Expr, what: str, why: str) -> Draft:
        kept = self.table.filter(condition)
        return Draft(kept, self.funnel.then(what, len(kept), why))

    def note(self, what: str, why: str) -> Draft:
        """A step that dropped nothing but that a reader of the funnel must know of."""
        return replace(self, funnel=self.funnel.then(what, len(self.table), why))

    def with_table(self, table: pl.DataFrame) -> Draft:
        """The same rows with other columns."""
        return replace(self, table=table)

    def cohort(self, name: str, options: ReadOptions) -> Cohort:
        draft = forget_impossible_ages(self)
        return build_cohort(name, draft.table, draft.funnel, seed=options.seed, official_split=options.official_split)


def forget_impossible_ages(draft: Draft) -> Draft:
    """Nobody is 414 years old: such an age is unknown, and the funnel says how many there were."""
    if "age" not in draft.table.columns:
        return draft
    impossible = pl.col("age").cast(pl.Float64, strict=False) > OLDEST
    count = draft.table.select(impossible.sum()).item()
    if not count:
        return draft
    table = draft.table.with_columns(age=pl.when(~impossible.fill_null(value=False)).then("age"))
    return draft.with_table(table).note("age possible", f"{count:,} ages above {OLDEST} years count as unknown")


def keep_views(draft: Draft, views: tuple[str, ...]) -> Draft:
    """The rows of these projections; no projections asked for keeps every row."""
    if not views:
        return draft
    known = draft.keep(pl.col("view").is_not_null(), "view known", "the table does not say which view it is")
    allowed = " or ".join(views)
    return known.keep(pl.col("view").is_in(views), f"view {allowed}", f"any view but {allowed}")


def keep_images(draft: Draft, folders: Iterable[str], *, row_key: pl.Expr, file_key: pl.Expr) -> Draft:
    """The rows whose image lies in one of the folders, each with the path it lies at.

    ``file_key`` turns the ``image_path`` of a file into the key that ``row_key`` gives for a row. Where not
    one image is found the release came without images (an audit of embeddings needs none): every row stays.
    """
    files = pl.DataFrame({"image_path": _list_files(folders)}, schema={"image_path": pl.String})
    files = files.select(found="image_path", key=file_key).unique("key", keep="first", maintain_order=True)
    table = draft.table.with_columns(key=row_key).join(files, on="key", how="left", maintain_order="left")
    if table["found"].null_count() == len(table):
        return draft.note("image files", "none found: no row is dropped for it")
    table = table.with_columns(image_path="found").drop("found", "key")
    return draft.with_table(table).keep(pl.col("image_path").is_not_null(), "image file present", "no such file")


def _list_files(folders: Iterable[str]) -> list[str]:
    """Every file directly in the folders, by one listing a folder and not one look a row."""
    files: list[str] = []
    for folder in sorted(set(folders)):
        try:
            with os.scandir(folder) as entries:
                files.extend(sorted(entry.path for entry in entries if not entry.is_dir()))
        except (FileNotFoundError, NotADirectoryError):
            continue
    return files
