"""What a release owes to patients: which part of it was fitted on whom.

Two questions are answered from it. Which splits may an audit count (those that nothing was fitted on)? And may an ε be
promised to these patients (only where nothing else was fitted on them)?
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from leadapron.errors import DataError
from leadapron.release.beside import PATIENTS
from leadapron.release.patient_sets import PatientSet, patient_set

if TYPE_CHECKING:
    from leadapron.release.release import Release

HERE, OTHER, ELSEWHERE = "this release", "another release", "elsewhere"
"""Whose patients. Elsewhere is what came ready-made: that these patients were not in it is the user's word."""
ON_TRUST = "That what was made elsewhere (an encoder and its heads) was not fitted on these patients is taken on trust."


@dataclass(frozen=True)
class Fitting:
    """A part (``encoder``, ``alignment`` or ``defence``), how it was fitted, and on whom.

    ``splits`` are those of this release whose pairs or labels it was fitted to. ``patients`` are all whose records went
    into it, also those who were only grouped; None where nobody wrote them down. ``chosen`` is what they chose.
    """

    part: str
    method: str
    on: str
    splits: tuple[str, ...] = ()
    patients: PatientSet | None = None
    chosen: str = ""

    @property
    def name(self) -> str:
        return f"the {self.part} ({self.method})"

    def as_dict(self) -> dict[str, object]:
        """For the card of a release."""
        return {
            "part": self.part,
            "method": self.method,
            "on": self.on,
            "splits": list(self.splits),
            "patients": None if self.patients is None else self.patients.id,
            **({"chosen": self.chosen} if self.chosen else {}),
        }

    def for_release(self, records: pl.DataFrame) -> Fitting:
        """The same part, fitted already, in a release of these records: the splits in which one of its patients is."""
        if self.on == ELSEWHERE:
            return self
        if self.patients is None or "patient_id" not in records.columns:
            return replace(self, on=OTHER, splits=())
        both = self.patients.among(records["patient_id"].unique())
        return replace(self, on=OTHER, splits=_splits(records.filter(pl.col("patient_id").is_in(both))))

    def on_sides(self, before: pl.DataFrame, after: pl.DataFrame) -> Fitting:
        """The same part, after the same records were given another split, or their first."""
        if self.on == OTHER and self.patients is not None and self.patients.hashes is not None:
            return self.for_release(after)
        if not self.splits:
            return self
        theirs = after.filter(before["split"].cast(pl.String).is_in(self.splits))
        if "patient_id" in after.columns:
            theirs = after.filter(pl.col("patient_id").is_in(theirs["patient_id"].unique().implode()))
        return replace(self, splits=_splits(theirs))


def fitted_to(part: str, method: str, seen: pl.DataFrame, released: pl.DataFrame, *, on: str = HERE) -> Fitting:
    """A part that was fitted to the records ``seen``, in a release of the records ``released``.

    The splits are those in which one of these patients is, whichever split the records seen were of.
    """
    if "patient_id" not in seen.columns or "patient_id" not in released.columns:
        return Fitting(part, method, on, _splits(seen) if on == HERE else ())
    patients = seen["patient_id"].unique()
    theirs = released.filter(pl.col("patient_id").is_in(patients.implode()))
    return Fitting(part, method, on, _splits(theirs), patient_set(patients))


def grouped(method: str, released: pl.DataFrame) -> Fitting:
    """A defence that puts everybody's vectors into groups: it learns no pair and no label, but mixes patients."""
    patients = patient_set(released["patient_id"].unique()) if "patient_id" in released.columns else None
    return Fitting("defence", method, HERE, (), patients)


def _splits(records: pl.DataFrame) -> tuple[str, ...]:
    if "split" not in records.columns:
        return ()
    return tuple(records["split"].cast(pl.String).drop_nulls().unique().sort())


def fitted_splits(release: Release) -> tuple[str, ...]:
    """The splits of the release that something was fitted on."""
    return tuple(sorted({split for fitting in release.fitted for split in fitting.splits}))


def unseen_splits(release: Release) -> tuple[str, ...]:
    """The splits of the release that nothing was fitted on."""
    return tuple(split for split in _splits(release.records) if split not in fitted_splits(release))


def attacked(release: Release) -> dict[str, object]:
    """For the results of an audit: the splits of the records that were attacked, and what was fitted on which."""
    parts = [{"part": one.part, "method": one.method, "splits": list(one.splits)} for one in release.fitted]
    return {"splits": list(_splits(release.records)), "fitted_on": [part for part in parts if part["splits"]]}


def why_not_private(fittings: Iterable[Fitting], records: pl.DataFrame) -> str | None:
    """Why no ε can be promised to the patients of these records; None where nothing stands against it."""
    for fitting in fittings:
        if fitting.on == ELSEWHERE:
            continue
        patients = fitting.patients
        if patients is None or "patient_id" not in records.columns:
            return f"{fitting.name} was fitted on patients, and nobody wrote down on which"
        if patients.hashes is None:
            return (
                f"{fitting.name} was fitted on patients, and on which cannot be checked: bring the file that ends in "
                f"{PATIENTS} and was written beside the release, or make the release again"
            )
        if patients.among(records["patient_id"].unique()):
            return f"{fitting.name} was fitted on these very patients"
    return None


def from_card(card: Mapping[str, Any], sets: Mapping[str, PatientSet], where: str) -> tuple[Fitting, ...]:
    """What a card says, with the sets that are at hand. A card of an older version says it in other words."""
    if "fitted_on" not in card:
        return tuple(_from_older(card))
    try:
        return tuple(
            Fitting(
                str(entry["part"]),
                str(entry["method"]),
                str(entry["on"]),
                tuple(map(str, entry["splits"])),
                None if entry["patients"] is None else sets.get(entry["patients"], PatientSet(str(entry["patients"]))),
                str(entry.get("chosen", "")),
            )
            for entry in card["fitted_on"]
        )
    except (KeyError, TypeError) as error:
        raise DataError("'fitted_on' cannot be read", where=where, got=card["fitted_on"]) from error


def _from_older(card: Mapping[str, Any]) -> list[Fitting]:
    found = []
    encoder, defence = card.get("encoder"), card.get("defence")
    if isinstance(encoder, dict) and isinstance(encoder.get("trained_on"), dict):
        own = encoder["trained_on"].get("cohort") == card.get("cohort")
        found.append(_older("encoder", str(encoder.get("name")), own=own))
    if str(card.get("alignment", "")).startswith("canonical correlation fitted"):
        found.append(_older("alignment", "canonical correlation", own=True))
    while isinstance(defence, dict):
        method = str(defence.get("method"))
        if defence.get("fitted_on") or (defence.get("trained") and method != "noise_only"):
            found.append(_older("defence", method, own=defence.get("fitted_on") != OTHER))
        if method in ("microaggregate", "prototypes"):
            found.append(Fitting("defence", method, HERE))
        defence = defence.get("before")
    return found


def _older(part: str, method: str, *, own: bool) -> Fitting:
    return Fitting(part, method, HERE, ("train",)) if own else Fitting(part, method, OTHER)
