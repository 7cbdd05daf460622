"""Handing over: what a recipient is given of a release, and the truth that stays in the house.

Given are the vectors, the table beside the images, prompts and heads, and a short card. Ids and the split stay, and so
does the order: images and reports lie each in a random order of their own, and each report once, so that neither the
number of a row nor how often it comes tells which belong together. All that is needed to undo it is the truth.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.errors import DataError
from leadapron.release.release import ID_COLUMNS, Release
from leadapron.release.rows import distinct_rows

Ints = NDArray[np.int64]
PATIENT, REPORT, SPLIT = "patient_id", "report_id", "split"
IMAGE_ROW, TEXT_ROW = "image_row", "text_row"
TOLD = ("alignment", "preprocessing", "prompts")
"""Of the card of a release; all else may tell of patients: counts, paths, the names of cohorts, hashes of sources."""
TOLD_OF_ENCODER = ("name", "image_size", "text_length")
TOLD_OF_DEFENCE = ("method", "group", "summary", "settings", "strength")
TOLD_OF_GUARANTEE = ("kind", "unit", "epsilon", "delta", "statement")
PAIRS_GIVEN = (
    "Row n of the reports belongs to row n of the images: which report is of which image is given away, whatever an "
    "audit of linkage says."
)
PAIRS_KEPT = "Images and reports lie each in a random order of their own; the table is in the order of the images."
SHUFFLED = "The rows lie in a random order."


@dataclass(frozen=True)
class Handover:
    """What is given, and the truth: a row per record of the release, in its order."""

    records: pl.DataFrame
    arrays: Mapping[str, NDArray[np.float32]]
    card: Mapping[str, Any]
    truth: pl.DataFrame


def hand_over(release: Release, *, keep_pairs: bool = False, key: bytes | None = None) -> Handover:
    """``keep_pairs`` leaves images and reports row by row; ``key`` gives every patient a pseudonym in the table."""
    records = release.records
    if taken := {IMAGE_ROW, TEXT_ROW} & set(records.columns):
        raise DataError("a column has a name that the truth needs", where=release.where, got=sorted(taken)[0])
    kept = [name for name in (*ID_COLUMNS, SPLIT) if name in records.columns]
    texts = [name for name in release.arrays if name.startswith("text")]
    one_sided = len(texts) in (0, len(release.arrays))
    order = _random_order(len(records))
    report = np.arange(len(records)) if keep_pairs or one_sided else _distinct_reports(release, texts)
    text_order = order if keep_pairs or one_sided else _random_order(int(report.max()) + 1)
    row_of_report = np.unique(report, return_index=True)[1]
    arrays = {
        name: array[row_of_report[text_order] if name in texts else order] for name, array in release.arrays.items()
    }
    table = records.drop(kept)[order.tolist()]
    if key is not None:
        if PATIENT not in records.columns:
            raise DataError("there are no patients to give pseudonyms to", where=release.where, got=", ".join(kept))
        table = table.insert_column(0, pseudonyms(records[PATIENT], key)[order.tolist()])
    card = {
        **_told(release.card),
        "order": SHUFFLED if one_sided else PAIRS_GIVEN if keep_pairs else PAIRS_KEPT,
        "pairs_given": keep_pairs and not one_sided,
        "rows_linked": key is not None,
        "ids": [PATIENT] if key is not None else [],
    }
    places = {IMAGE_ROW: np.argsort(order), TEXT_ROW: np.argsort(text_order)[report]}
    truth = records.select(kept).with_columns(pl.Series(name, place) for name, place in places.items())
    return Handover(table, arrays, card, truth)


def pseudonyms(patients: pl.Series, key: bytes) -> pl.Series:
    """The same for a patient under the same key, and nothing to those who do not have it."""
    names = {one: hmac.digest(key, f"patient\0{one}".encode(), "sha256").hex()[:32] for one in patients.unique()}
    return pl.Series(patients.name, [names[one] for one in patients])


def _random_order(rows: int) -> Ints:
    """From the system's source of secrets: an order that came from a seed could be computed again."""
    drawn = np.frombuffer(secrets.token_bytes(8 * rows), dtype=np.uint64)
    order: Ints = np.argsort(drawn, kind="stable").astype(np.int64)
    return order


def _distinct_reports(release: Release, texts: Sequence[str]) -> Ints:
    """Numbers of reports: each goes along once, since of how many images it is would tell which they are.

    Rows of one report that a defence made different stay apart.
    """
    if REPORT not in release.records.columns:
        return np.arange(len(release))
    numbers = [
        release.records[REPORT].rank("dense").to_numpy(),
        *(distinct_rows(release.arrays[name])[1] for name in texts),
    ]
    return np.unique(np.stack(numbers), axis=1, return_inverse=True)[1].astype(np.int64)


def _told(card: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: card[name] for name in TOLD if name in card}
    if isinstance(encoder := card.get("encoder"), Mapping):
        told["encoder"] = {name: encoder[name] for name in TOLD_OF_ENCODER if name in encoder}
    if isinstance(defence := card.get("defence"), Mapping):
        told["defence"] = _told_defence(defence)
    return told


def _told_defence(defence: Mapping[str, Any]) -> dict[str, Any]:
    told = {name: defence[name] for name in TOLD_OF_DEFENCE if name in defence}
    guarantee = defence.get("guarantee")
    if isinstance(guarantee, Mapping):
        told["guarantee"] = {name: guarantee[name] for name in TOLD_OF_GUARANTEE if name in guarantee}
    facts = defence.get("facts")
    if isinstance(facts, Mapping) and facts.get("moved"):
        told["facts"] = {"moved": facts["moved"]}
    if isinstance(before := defence.get("before"), Mapping):
        told["before"] = _told_defence(before)
    return told
