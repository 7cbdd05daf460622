"""Patients dealt to hospitals, to the public set and to the server, each patient to one place."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.errors import ConfigError, DataError
from leadapron.federated.feature_scale import Scale
from leadapron.federated.federation_plan import Holds, Plan
from leadapron.federated.gathered import Gathered
from leadapron.federated.methods import check_method
from leadapron.federated.patient_piles import Names, equal_piles, piles_of
from leadapron.federated.seeded_streams import stream
from leadapron.federated.station import Station, check_station, joined

HALVES = ("image", "text")


@dataclass(frozen=True)
class Dealt:
    """What each place gets. The server's sets hold both halves."""

    plan: Plan
    labels: tuple[str, ...]
    hospitals: tuple[Station, ...]
    public: Station
    validate: Station
    test: Station


@dataclass(frozen=True)
class Source:
    """Records that stations are made of, and the scale and the key that all sources share."""

    gathered: Gathered
    scales: Mapping[str, Scale]
    key: bytes

    def station(self, name: str, patients: Names, holds: Holds, *, split: str = "train") -> Station:
        """The records of these patients; the half that the station does not hold is not touched."""
        rows = np.flatnonzero(np.isin(self.gathered.patients, patients) & (self.gathered.splits == split))
        halves = {half: self.values(half, rows) for half in HALVES if holds in (half, "both")}
        own = self.gathered.patients[rows]
        station = Station(name, self.gathered.truth[rows], hashed(own, self.key), **halves)
        check_station(station, self.gathered.where)
        return station

    def values(self, half: str, rows: NDArray[np.int64]) -> NDArray[np.generic]:
        """What a station gets of a half, on the common scale."""
        values = self.gathered.half(half)[rows]
        if half not in self.scales:
            return values
        scale = self.scales[half]
        if values.shape[1] != len(scale.centre):
            raise DataError(
                f"the {half} features are of another width than those of the release that is dealt",
                where=self.gathered.where,
                got=values.shape[1],
                allowed=str(len(scale.centre)),
                fix="Encode both cohorts with the same encoder.",
            )
        return scale.apply(values)


def deal(plan: Plan, home: Gathered, others: Mapping[str, Gathered] | None = None) -> Dealt:
    """Stations by the plan. ``others`` are the releases that groups of hospitals name as their own.

    Hospitals are dealt from the front of one order of the patients and the public set from its end: a public set of
    another size changes no hospital, and a smaller one is a part of a larger one.
    """
    source, public, sides, training = deal_to_server(plan, home)
    method = check_method(plan)
    both = method.joining in ("complete", "centre")
    hospitals = _hospitals(plan, source, training, others or {}, both=both)
    _check_apart([*sides, public, *hospitals], home.where)
    if method.joining == "centre":
        public = joined("public", [*([public] if len(public) else []), *hospitals])
    stays = method.joining in ("centre", "nobody")
    return Dealt(plan, home.labels, () if stays else tuple(hospitals), public, *sides)


def deal_to_server(plan: Plan, home: Gathered) -> tuple[Source, Station, list[Station], Names]:
    """The public set and the two sides that judge; the source of all; and the patients that are left for hospitals."""
    method = check_method(plan)
    source = Source(home, _scales(plan, home), secrets.token_bytes(32))
    training = _in_order(plan, home)
    public_patients = training[len(training) - plan.public :] if plan.public else training[:0]
    if plan.public > len(training) or (plan.public == 0 and method.needs_public):
        raise ConfigError(
            f"the public set of {plan.method} cannot be dealt",
            where=home.where,
            got=f"{plan.public:,} patients",
            allowed=f"1 to {len(training):,}, the patients of split 'train'",
        )
    public = source.station("public", public_patients, "both") if plan.public else _empty(source)
    sides = [_side(source, split) for split in ("validate", "test")]
    return source, public, sides, training[: len(training) - plan.public]


def name_of(number: int) -> str:
    """Hospitals are named in the order of the plan."""
    return f"hospital-{number:02d}"


def hashed(patients: Names, key: bytes) -> NDArray[np.uint64]:
    """Patients under a key that is drawn anew for every deal: enough to see one in two places."""
    ids, where = np.unique(patients, return_inverse=True)
    words = [int.from_bytes(hmac.digest(key, one.encode(), "sha256")[:8]) for one in ids.tolist()]
    return np.array(words, dtype=np.uint64)[where]


def shared(one: NDArray[np.uint64], two: NDArray[np.uint64]) -> str | None:
    """A patient that is in both, by hash."""
    common = np.intersect1d(one, two)
    return f"{int(common[0]):016x}" if len(common) else None


def _scales(plan: Plan, home: Gathered) -> dict[str, Scale]:
    if plan.encoders != "features":
        return {}
    rows = home.splits == "validate"
    if not rows.any():
        raise DataError("there are no patients of split 'validate'", where=home.where)
    return {half: Scale.fit(home.half(half)[rows]) for half in HALVES}


def _in_order(plan: Plan, gathered: Gathered) -> Names:
    """The patients of split 'train', in an order that the seed and their ids decide."""
    patients = np.unique(gathered.patients[gathered.splits == "train"])
    return patients[stream(plan, "patients").permutation(len(patients))]


def _side(source: Source, split: str) -> Station:
    patients = np.unique(source.gathered.patients[source.gathered.splits == split])
    if not len(patients):
        raise DataError(f"there are no patients of split {split!r}", where=source.gathered.where)
    return source.station(split, patients, "both", split=split)


def _empty(source: Source) -> Station:
    """A public set of no patients, with arrays of the right width."""
    halves = {half: source.values(half, np.arange(0)) for half in HALVES}
    return Station("public", source.gathered.truth[:0], np.empty(0, np.uint64), **halves)


def _hospitals(
    plan: Plan, source: Source, training: Names, others: Mapping[str, Gathered], *, both: bool
) -> list[Station]:
    stations: list[Station] = []
    groups = plan.members()
    places: dict[str | None, Source] = {}
    piles: dict[str | None, Iterator[Names]] = {}
    for release in dict.fromkeys(group.release for group in groups):
        own = [group for group in groups if group.release == release]
        if release is None:
            places[release], dealt = source, piles_of(plan, source.gathered, training, own)
        else:
            places[release] = Source(_of_the_same_labels(others[release], source), source.scales, source.key)
            dealt = equal_piles(_in_order(plan, others[release]), own, others[release].where)
        piles[release] = iter(dealt)
    for group in groups:
        holds: Holds = "both" if both else group.holds
        for _ in range(group.hospitals):
            name = name_of(len(stations))
            stations.append(places[group.release].station(name, next(piles[group.release]), holds))
    return stations


def _of_the_same_labels(other: Gathered, source: Source) -> Gathered:
    if other.labels != source.gathered.labels:
        raise DataError(
            "the labels are not those of the release that is dealt",
            where=other.where,
            got=", ".join(other.labels),
            allowed=", ".join(source.gathered.labels),
        )
    return other


def _check_apart(stations: list[Station], where: str) -> None:
    """No patient is in two places."""
    for at, station in enumerate(stations):
        for other in stations[:at]:
            if (found := shared(station.patients, other.patients)) is not None:
                raise DataError(
                    f"a patient is in {other.name!r} and in {station.name!r}",
                    where=where,
                    got=f"patient hash {found}",
                    allowed="each patient in one place",
                )
