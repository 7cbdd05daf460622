"""A station: the records that one place trains or judges on, and nothing of the half that it does not hold."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.engine.private import private_folder
from leadapron.errors import DataError
from leadapron.federated.federation_plan import HOLDS, Holds

Array = NDArray[Any]
Arrays = dict[str, Array]
"""Arrays by name: what goes from place to place."""
CARD = "station.json"


@dataclass(frozen=True)
class Station:
    """Records in rows. ``image`` or ``text`` is None where the station does not hold that half.

    ``truth`` is 1, 0 or -1 (unknown) per finding. ``patients`` tells by a keyed hash whose each record is: enough to
    see that a patient is in two places, not enough to name the patient.
    """

    name: str
    truth: NDArray[np.int8]
    patients: NDArray[np.uint64]
    image: Array | None = None
    text: Array | None = None

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def holds(self) -> Holds:
        return "both" if self.image is not None and self.text is not None else "text" if self.image is None else "image"

    def rows(self, rows: NDArray[Any]) -> Station:
        return replace(
            self,
            truth=self.truth[rows],
            patients=self.patients[rows],
            image=None if self.image is None else self.image[rows],
            text=None if self.text is None else self.text[rows],
        )

    def masked(self, holds: Holds) -> Station:
        """Without the half that it is not to have."""
        return replace(
            self,
            image=self.image if holds != "text" else None,
            text=self.text if holds != "image" else None,
        )


def joined(name: str, stations: list[Station]) -> Station:
    """The records of several stations that hold both halves."""
    return Station(
        name,
        np.concatenate([one.truth for one in stations]),
        np.concatenate([one.patients for one in stations]),
        np.concatenate([one.image for one in stations if one.image is not None]),
        np.concatenate([one.text for one in stations if one.text is not None]),
    )


def write_station(station: Station, folder: Path) -> None:
    """The files of a station, for its owner's eyes alone."""
    private_folder(folder)
    arrays: dict[str, Array | None] = {
        "truth": station.truth,
        "patients": station.patients,
        "image": station.image,
        "text": station.text,
    }
    for name, array in arrays.items():
        if array is not None:
            np.save(folder / f"{name}.npy", array)
    (folder / CARD).write_text(json.dumps({"name": station.name, "holds": station.holds}))


def read_station(folder: Path) -> Station:
    """A station as it was written; a file of the half that it says it does not hold is refused, not read."""
    try:
        card = json.loads((folder / CARD).read_text())
        name, holds = str(card["name"]), card["holds"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DataError("the station's card cannot be read", where=folder / CARD) from error
    if holds not in HOLDS:
        raise DataError("unknown kind of station", where=folder / CARD, got=holds, allowed=", ".join(HOLDS))
    halves = {half: _half(folder, half, there=holds in (half, "both")) for half in ("image", "text")}
    station = Station(name, _load(folder / "truth.npy"), _load(folder / "patients.npy"), **halves)
    check_station(station, folder)
    return station


def check_station(station: Station, where: Path | str) -> None:
    """Enough to learn from: rows that agree, finite numbers, and findings of which both kinds are there."""
    if not len(station):
        raise DataError(f"{station.name} has no records", where=where, got=0, allowed="1 or more")
    for half in ("image", "text", "patients"):
        array = getattr(station, half)
        if array is not None and len(array) != len(station):
            what = f"{station.name}: the row counts of {half} and truth differ"
            raise DataError(what, where=where, got=len(array), allowed=str(len(station)))
        if array is not None and array.dtype.kind == "f" and not np.isfinite(array).all():
            raise DataError(f"{station.name}: {half} holds a value that is not finite (NaN or infinity)", where=where)
    both = (station.truth == 1).any(axis=0) & (station.truth == 0).any(axis=0)
    if not both.any():
        raise DataError(
            f"{station.name} has one class only: there is no finding that some of its records have and others do not",
            where=where,
            fix="Give it more patients, or leave it out.",
        )


def _half(folder: Path, half: str, *, there: bool) -> Array | None:
    file = folder / f"{half}.npy"
    if not there and file.exists():
        raise DataError(
            f"the station's card says that it holds no {half}, and the file is there",
            where=file,
            fix="Remove the file, or correct 'holds' in the card.",
        )
    return _load(file) if there else None


def _load(file: Path) -> Any:  # noqa: ANN401
    try:
        return np.lib.format.open_memmap(file, mode="r")
    except (OSError, ValueError, EOFError) as error:
        raise DataError(f"the file cannot be read ({error})", where=file) from error
