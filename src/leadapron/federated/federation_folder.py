"""The folders of a federation: one per hospital and one of the server, each with all that its place needs.

    FOLDER/server/federation.json  public/  validate/  test/
    FOLDER/hospital-00/federation.json  records/  public/

Hospitals that were invited put their records in themselves (``invitations``). A place opens its own folder alone.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from pydantic import Field

from leadapron import __version__
from leadapron.engine import atomic_folder
from leadapron.engine.documents import Document, parse
from leadapron.engine.private import private_folder
from leadapron.errors import DataError
from leadapron.federated.dealing import Dealt
from leadapron.federated.federation_plan import Holds, Plan
from leadapron.federated.methods import METHODS
from leadapron.federated.station import Station, read_station, write_station

FORMAT = 1
CARD, SERVER, RECORDS = "federation.json", "server", "records"
MAKE_ANEW = "Deal the patients again with `leadapron federation deal`."


class Member(Document):
    """A hospital, as the others know it."""

    name: str
    holds: Holds
    patients: int = Field(ge=0)
    records: int = Field(ge=0)


class FederationCard(Document):
    """What every place knows before the first round."""

    format: int = FORMAT
    leadapron: str
    place: str
    plan: Plan
    labels: tuple[str, ...]
    image_width: int
    text_width: int
    source: str
    """What was dealt: a hash of the input."""
    members: tuple[Member, ...] = ()
    """The hospitals; only the server knows them."""

    @property
    def agreed(self) -> str:
        """The same at all places of one deal: the plan, the findings, the widths and the input."""
        words = (self.plan.fingerprint, *self.labels, self.image_width, self.text_width, self.source)
        return hashlib.sha256("\n".join(map(str, words)).encode()).hexdigest()


def write_federation(dealt: Dealt, folder: Path, *, source: str, overwrite: bool = False) -> None:
    """Everything that was dealt, in a folder per place."""
    members = tuple(member_of(station) for station in dealt.hospitals)
    with atomic_folder(folder, overwrite=overwrite, private=True) as partial:
        write_server(dealt, partial / SERVER, source, members)
        for station in dealt.hospitals:
            write_station(station, partial / station.name / RECORDS)
            write_hospital(dealt, partial / station.name, source)


def member_of(station: Station) -> Member:
    patients = len(np.unique(station.patients))
    return Member(name=station.name, holds=station.holds, patients=patients, records=len(station))


def write_server(dealt: Dealt, place: Path, source: str, members: tuple[Member, ...]) -> None:
    """The server's sets, and its card, which names the hospitals."""
    for station in (dealt.public, dealt.validate, dealt.test):
        if len(station):
            write_station(station, place / station.name)
    _write_card(dealt, place, source, members)


def write_hospital(dealt: Dealt, place: Path, source: str) -> None:
    """What a hospital has beside its records."""
    if METHODS.find(dealt.plan.method).needs_public:
        write_station(dealt.public, place / "public")
    _write_card(dealt, place, source)


def _write_card(dealt: Dealt, place: Path, source: str, members: tuple[Member, ...] = ()) -> None:
    assert dealt.public.image is not None
    assert dealt.public.text is not None
    card = FederationCard(
        leadapron=__version__,
        place=place.name,
        plan=dealt.plan,
        labels=dealt.labels,
        image_width=dealt.public.image.shape[-1],
        text_width=dealt.public.text.shape[-1],
        source=source,
        members=members,
    )
    private_folder(place)
    (place / CARD).write_text(card.model_dump_json(indent=1))


def read_card(folder: Path) -> FederationCard:
    """The card of a place."""
    file = folder / CARD
    try:
        text = file.read_text()
    except OSError as error:
        raise DataError("this is not the folder of a hospital or server", where=folder, fix=MAKE_ANEW) from error
    return parse(text, FederationCard, file, fix=MAKE_ANEW, of_format=FORMAT)


def read_admitted(folder: Path) -> FederationCard:
    """The card of a server whose hospitals all have records; those that were invited bring them later."""
    card = read_card(folder)
    if missing := [member.name for member in card.members if not member.records]:
        raise DataError(
            f"hospitals that were invited have not been admitted: {', '.join(missing)}",
            where=folder / CARD,
            fix="Ask each for its member.json and run `leadapron federation admit`.",
        )
    return card


def read_records(folder: Path, card: FederationCard) -> Station:
    """The records in a folder of a place, with as many findings and as wide as its card says."""
    station = read_station(folder)
    for name, wanted in (("truth", len(card.labels)), ("image", card.image_width), ("text", card.text_width)):
        array = getattr(station, name)
        if array is not None and array.shape[-1] != wanted:
            raise DataError(
                f"{card.place}: the file has another number of columns than the card of the place says",
                where=folder / f"{name}.npy",
                got=array.shape[-1],
                allowed=str(wanted),
                fix=MAKE_ANEW,
            )
    return station


def read_public(folder: Path, card: FederationCard) -> Station:
    """The public set of a place; without records where the place has none."""
    if (folder / "public").is_dir():
        return read_records(folder / "public", card)
    return Station(
        "public",
        np.empty((0, len(card.labels)), np.int8),
        np.empty(0, np.uint64),
        np.empty((0, card.image_width), np.float32),
        np.empty((0, card.text_width), np.float32),
    )
