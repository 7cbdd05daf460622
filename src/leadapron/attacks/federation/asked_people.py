"""Of whom the attacker asks: patients of each hospital, outsiders who were at none, and others to set a scale by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leadapron.federated.federation_plan import Holds
from leadapron.federated.station import Station

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

OUTSIDER, TUNING = -1, -2


@dataclass(frozen=True)
class People:
    """Records of patients, by where they were: at a hospital, at none, or at none and known to the attacker as such."""

    members: Mapping[str, Station]
    outsiders: Station
    tuning: Station


@dataclass(frozen=True)
class Asked:
    """All who are asked about at the hospitals of one kind, with the half that these hold."""

    records: Station
    patient: Ints
    """Of every record, the number of its patient."""
    hospital: Ints
    """Of every patient, the place of the own hospital among those of the kind; or OUTSIDER, or TUNING."""
    names: tuple[str, ...]
    """Of every patient: the place, and the row of the first record there."""

    def means(self, values: Doubles) -> Doubles:
        """From records to patients."""
        found: Doubles = np.bincount(self.patient, values) / np.bincount(self.patient)
        return found


def asked_of(people: People, holds: Holds, hospitals: list[str]) -> Asked:
    """The patients of the hospitals of one kind, outsiders and tuning patients, one below the other."""
    sides = [*enumerate(people.members[name] for name in hospitals)]
    sides += [(OUTSIDER, people.outsiders), (TUNING, people.tuning)]
    numbers, whose = [], []
    names: list[str] = []
    for at, station in sides:
        first, number = np.unique(station.patients, return_inverse=True)
        numbers.append(number + len(names))
        whose.append(np.full(len(first), at))
        names += [f"{station.name}/{row}" for row in first]
    records = _stacked(holds, [station.masked(holds) for _, station in sides])
    return Asked(records, np.concatenate(numbers), np.concatenate(whose), tuple(names))


def known_by_place(station: Station) -> Station:
    """The same records, each patient known by the row of the first one.

    The keyed hash of a patient is another in every deal; the rows are the same where the same patients are dealt.
    """
    _, first, number = np.unique(station.patients, return_index=True, return_inverse=True)
    return replace(station, patients=first[number].astype(np.uint64))


def some_patients(station: Station, *sizes: int, seed: int) -> list[Station]:
    """Parts of a station: at most so many patients each, with all of their records, and no patient in two parts."""
    drawn = np.random.default_rng(seed).permutation(np.unique(station.patients))
    parts = np.split(drawn, np.cumsum(sizes))[: len(sizes)]
    return [station.rows(np.flatnonzero(np.isin(station.patients, part))) for part in parts]


def count_patients(station: Station) -> int:
    return len(np.unique(station.patients))


def _stacked(name: str, stations: list[Station]) -> Station:
    """Records of stations that hold the same half."""
    columns = {
        column: np.concatenate([getattr(one, column) for one in stations])
        for column in ("truth", "patients", "image", "text")
        if getattr(stations[0], column) is not None
    }
    return Station(name, **columns)
