"""The release itself: checked once when it is made, immutable afterwards."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort import FINDINGS
from leadapron.cohort.labels import with_known_labels
from leadapron.engine.twins import rows_of_twins
from leadapron.errors import DataError
from leadapron.release.fitting import Fitting
from leadapron.release.heads import SIDES, Projection, read_only
from leadapron.release.in_memory import as_column, as_rows, check_rows

ARRAYS = ("image", "text", "image_features", "text_features")
"""Embeddings in the shared space, and the backbone features that the alignment heads were given."""

PROMPTS = ("text", "text_features")
"""What may be kept of the prompts: a sentence that says a finding is there, and one that says it is not."""

ID_COLUMNS = ("record_id", "patient_id", "study_id", "report_id")
SHORT_NAMES = {"patient": "patient_id", "record": "record_id", "study": "study_id"}
"""What ``Release.of`` also calls an id. A report is not among them: its words must never be taken for its id."""

ATTRIBUTES = ("age", "sex", "race", "ethnicity", "date", "insurance_type", "follow_up", "offset", "source")
RELEASED_COLUMNS = (*ID_COLUMNS, "split", "view", *ATTRIBUTES)
"""What is released unasked, beside numeric ``label_*`` columns: nobody can list all the columns that hold a name."""

NEVER_RELEASED = ("report", "findings", "impression", "caption", "image_path")
"""Columns of text and paths: a release does not hold them, even if asked."""

ROWS_CHECKED_AT_ONCE = 65_536


@dataclass(frozen=True)
class Release:
    """Records with the embeddings of their images and reports, row by row.

    ``records`` holds at least ``record_id``, and where they are known ``patient_id``, ``study_id``, ``report_id``,
    ``split``, labels (1, 0 or null) and attributes: the truth that an audit needs. It never holds report text or image
    paths. A record without a report has no row in ``text``: it is not in the release. The arrays are read-only views.

    ``heads`` are those of the ``image`` and the ``text`` side, where they are known. ``prompts`` are two rows a
    finding, present and absent, in the order of ``cohort.FINDINGS``: with them a release can be asked for findings.
    ``fitted`` tells what of it was fitted on which patients.
    """

    records: pl.DataFrame
    arrays: Mapping[str, NDArray[np.float32]]
    card: Mapping[str, object] = field(default_factory=dict)
    where: str = "release"
    heads: Mapping[str, Projection] = field(default_factory=dict)
    prompts: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    verified: bool | None = None
    """Whether its files, and those that it was made from, are as recorded; None where nothing was recorded."""
    fitted: tuple[Fitting, ...] = ()

    @classmethod
    def of(cls, image: object = None, text: object = None, patient: object = None, **columns: object) -> Release:
        """A release from what is in memory: NumPy arrays, torch tensors, Polars or pandas columns, or lists.

        ``image`` and ``text`` are embeddings, one row per record; one of them is enough. ``patient`` says whose each
        record is: without it every record counts as a patient of its own. Every other keyword is a column of the
        records: ``study``, ``report_id``, ``split`` (train, validate or test), ``sex``, ``age``, ``view``, findings as
        ``label_edema`` (1, 0 or None) and so on. Records without ids (``record``) are known by their row.

        >>> import numpy as np
        >>> from leadapron.release import Release
        >>> rng = np.random.default_rng(0)
        >>> release = Release.of(
        ...     image=rng.normal(size=(4, 8)),
        ...     text=rng.normal(size=(4, 8)),
        ...     patient=[17, 17, 23, 42],
        ...     sex=["F", "F", "M", "F"],
        ...     label_edema=[1, 0, None, 0],
        ... )
        >>> len(release), release.image.dtype.name, release.records["patient_id"].to_list()
        (4, 'float32', ['17', '17', '23', '42'])

        A table of records goes in whole: ``Release.of(image=vectors, **table.to_dict())``.
        """
        given = {"image": image, "text": text, **{name: columns.pop(name, None) for name in ARRAYS[2:]}}
        arrays = {name: as_rows(value, f"release: {name}") for name, value in given.items() if value is not None}
        if patient is not None:
            columns = {"patient": patient, **columns}
        records = [as_column(SHORT_NAMES.get(name, name), value, "release") for name, value in columns.items()]
        names = [column.name for column in records]
        if twice := [name for name in names if names.count(name) > 1]:
            raise DataError("a column is given twice", where="release", got=twice[0])
        counts = {name: len(rows) for name, rows in arrays.items()} | {one.name: len(one) for one in records}
        check_rows(counts, "release")
        return cls(with_ids(pl.DataFrame(records), next(iter(counts.values()), 0)), arrays)

    def __post_init__(self) -> None:
        if not self.arrays:
            raise DataError("there is no array in it", where=self.where, allowed=", ".join(ARRAYS))
        if not len(self.records):
            raise DataError("there is no record in it", where=self.where, got=0, allowed="1 row or more")
        for name, array in self.arrays.items():
            if name not in ARRAYS:
                raise DataError("unknown array", where=self.where, got=name, allowed=", ".join(ARRAYS))
            _check_array(array, rows=len(self.records), counted="as in the records", where=f"{self.where}: {name}")
        _check_columns(self.records, where=self.where)
        twice = self.records["record_id"].is_duplicated()
        if twice.any():
            raise DataError(
                f"column 'record_id' holds the same id more than once ({int(twice.sum())} rows)",
                where=self.where,
                got=rows_of_twins(self.records["record_id"]),
                allowed="unique ids",
            )
        object.__setattr__(self, "records", with_known_labels(self.records, where=self.where))
        self._check_prompts()
        self._check_heads()
        for name, held in (("arrays", self.arrays), ("prompts", self.prompts)):
            views = {key: read_only(array) if isinstance(array, np.ndarray) else array for key, array in held.items()}
            object.__setattr__(self, name, views)

    def __len__(self) -> int:
        return len(self.records)

    @property
    def image(self) -> NDArray[np.float32]:
        return self.arrays["image"]

    @property
    def text(self) -> NDArray[np.float32]:
        return self.arrays["text"]

    def of_split(self, name: str) -> Release:
        """The records of one split, with the same heads, prompts and card."""
        return self.of_splits((name,))

    def of_splits(self, names: Collection[str]) -> Release:
        """The records of these splits together."""
        if "split" not in self.records.columns:
            raise DataError(
                "the release has no column 'split'",
                where=self.where,
                got=", ".join(self.records.columns),
                fix="Take the whole release, or deal its patients with leadapron.release.with_split.",
            )
        splits = self.records["split"].cast(pl.String)
        known = set(splits.drop_nulls())
        for name in names:
            if name not in known:
                raise DataError(
                    "no record is of this split", where=self.where, got=name, allowed=", ".join(sorted(known))
                )
        kept = splits.is_in(list(names)).fill_null(value=False)
        arrays = {key: array[kept.to_numpy()] for key, array in self.arrays.items()}
        return replace(self, records=self.records.filter(kept), arrays=arrays)

    def _check_prompts(self) -> None:
        if self.prompts and not {"text"} <= set(self.prompts) <= set(PROMPTS):
            raise DataError(
                "unknown prompts",
                where=self.where,
                got=", ".join(self.prompts),
                allowed="text, or both of text and text_features",
            )
        for name, array in self.prompts.items():
            where = f"{self.where}: prompts.{name}"
            _check_array(array, rows=2 * len(FINDINGS), counted="two a finding", where=where)
            if name in self.arrays:
                _check_width(array.shape[1], self.arrays[name].shape[1], f"as {name}", where=where)

    def _check_heads(self) -> None:
        """Both or none, into one space, and of the features and embeddings that are here."""
        if not self.heads:
            return
        if set(self.heads) != set(SIDES):
            raise DataError(
                "the heads of both sides are needed",
                where=self.where,
                got=", ".join(self.heads),
                allowed=", ".join(SIDES),
            )
        _check_width(
            self.heads["text"].outputs,
            self.heads["image"].outputs,
            "as the image head",
            where=f"{self.where}: heads.text",
        )
        held = {**self.arrays, **{f"prompts.{name}": array for name, array in self.prompts.items()}}
        for name, array in held.items():
            side = name.removeprefix("prompts.").removesuffix("_features")
            head = self.heads[side]
            width = head.inputs if name.endswith("_features") else head.outputs
            _check_width(width, array.shape[1], f"as {name}", where=f"{self.where}: heads.{side}")


def split_columns(records: pl.DataFrame, keep: Collection[str] = ()) -> tuple[pl.DataFrame, list[str]]:
    """The records with the columns that may be released and those to ``keep``, and the names of all the others."""
    left_out = [
        name
        for name, dtype in records.schema.items()
        if name not in (*RELEASED_COLUMNS, *keep) and not (name.startswith("label_") and _is_label(dtype))
    ]
    return records.drop(left_out), left_out


def with_ids(records: pl.DataFrame, rows: int) -> pl.DataFrame:
    """The records with ids as text; those of a table without any are the numbers of its rows."""
    if "record_id" not in records.columns:
        numbers = pl.int_range(rows, eager=True).alias("record_id")
        records = pl.DataFrame([numbers, *records.get_columns()])
    return records.with_columns(pl.col(column).cast(pl.String) for column in ID_COLUMNS if column in records.columns)


def _is_label(dtype: pl.DataType) -> bool:
    return dtype.is_numeric() or dtype in (pl.Boolean, pl.Null)


def _check_columns(records: pl.DataFrame, *, where: str) -> None:
    """No reports, no paths, and ids that are text and there in every row."""
    for column in NEVER_RELEASED:
        if column in records.columns:
            raise DataError(
                f"a release must not hold the column {column!r}",
                where=where,
                got=", ".join(records.columns),
                allowed="ids, split, view, labels and attributes, without text and paths",
            )
    if "record_id" not in records.columns:
        raise DataError("column 'record_id' is missing", where=where, got=", ".join(records.columns))
    for column in ID_COLUMNS:
        if column not in records.columns:
            continue
        if records[column].dtype != pl.String:
            raise DataError(
                f"column {column!r} is not text", where=where, got=str(records[column].dtype), allowed="String"
            )
        empty = records[column].fill_null("") == ""
        if empty.any():
            raise DataError(f"column {column!r} is empty in row {empty.arg_true()[0]}", where=where, allowed="an id")


def _check_width(width: int, right: int, reason: str, *, where: str) -> None:
    if width != right:
        raise DataError("the widths differ", where=where, got=width, allowed=f"{right}, {reason}")


def _check_array(array: NDArray[np.float32], *, rows: int, counted: str, where: str) -> None:
    if array.ndim != 2 or array.shape[1] == 0:
        raise DataError("embeddings must be rows x dimensions", where=where, got=array.shape)
    if array.dtype != np.float32:
        raise DataError("embeddings must be float32", where=where, got=str(array.dtype))
    if len(array) != rows:
        raise DataError(
            "the row counts differ",
            where=where,
            got=f"{len(array)} rows",
            allowed=f"{rows}, {counted}",
        )
    for start in range(0, rows, ROWS_CHECKED_AT_ONCE):
        finite = np.isfinite(array[start : start + ROWS_CHECKED_AT_ONCE])
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            raise DataError(
                f"row {start + row} holds a value that is not finite (NaN or infinity)",
                where=where,
                got=float(array[start + row, column]),
                allowed="finite numbers",
            )
