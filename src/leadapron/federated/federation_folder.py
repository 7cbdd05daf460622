"""The folders of a federation: one per hospital and one of the server, each with all that its place needs.

    FOLDER/server/federation.json  public/  validate/  test/
    FOLDER/hospital-00/federation.json  records/  public/

A place opens its own folder and no other.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
from pydantic import Field

from leadapron import __version__
from leadapron.engine import atomic_folder
from leadapron.engine.documents import Document, parse
from leadapron.errors import DataError
from leadapron.federated.dealing import Dealt
from leadapron.federated.federation_plan import Holds, Plan
from leadapron.federated.methods import METHODS
from leadapron.federated.station import Station, read_station, write_station

FORMAT = 1
CARD, SERVER = "federation.json", "server"
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
    assert dealt.public.image is not None
    assert dealt.public.text is not None

    def card(place: str, members: tuple[Member, ...] = ()) -> str:
        return FederationCard(
            leadapron=__version__,
            place=place,
            plan=dealt.plan,
            labels=dealt.labels,
            image_width=dealt.public.image.shape[-1],  # type: ignore[union-attr]
            text_width=dealt.public.text.shape[-1],  # type: ignore[union-attr]
            source=source,
            members=members,
        ).model_dump_json(indent=1)

    members = tuple(
        Member(name=one.name, holds=one.holds, patients=len(np.unique(one.patients)), records=len(one))
        for one in dealt.hospitals
    )
    with atomic_folder(folder, overwrite=overwrite, private=True) as partial:
        server = partial / SERVER
        for station in (dealt.public, dealt.validate, dealt.test):
            if len(station):
                write_station(station, server / station.name)
        (server / CARD).write_text(card(SERVER, members))
        for station in dealt.hospitals:
            place = partial / station.name
            write_station(station, place / "records")
            if METHODS.find(dealt.plan.method).needs_public:
                write_station(dealt.public, place / "public")
            (place / CARD).write_text(card(station.name))


def read_card(folder: Path) -> FederationCard:
    """The card of a place."""
    file = folder / CARD
    try:
        text = file.read_text()
    except OSError as error:
        raise DataError("this is not the folder of a hospital or server", where=folder, fix=MAKE_ANEW) from error
    return parse(text, FederationCard, file, fix=MAKE_ANEW, of_format=FORMAT)


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
