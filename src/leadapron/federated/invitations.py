"""Hospitals that bring their own records: the server invites them, each fills its folder, and the server admits it.

    FOLDER/hospital-00/invitation.npz    the scale of the features, and the key under which patients are hashed
    FOLDER/hospital-00/member.json       what the hospital tells the server before the first round

No place ever holds the records of all.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from leadapron.engine import atomic_folder, atomic_path
from leadapron.engine.documents import parse
from leadapron.errors import ConfigError, DataError
from leadapron.federated.dealing import HALVES, Dealt, Source, deal_to_server, name_of, shared
from leadapron.federated.feature_scale import Scale
from leadapron.federated.federate import hash_of
from leadapron.federated.federation_folder import (
    CARD,
    RECORDS,
    SERVER,
    Member,
    member_of,
    read_card,
    read_public,
    write_hospital,
    write_server,
)
from leadapron.federated.federation_plan import Holds, Plan
from leadapron.federated.gathered import Gathered
from leadapron.federated.methods import check_method
from leadapron.federated.run_card import read_arrays, write_arrays
from leadapron.federated.station import Arrays, write_station

INVITATION, MEMBER = "invitation.npz", "member.json"


def invited(plan: Plan) -> dict[str, Holds]:
    """The hospitals of a plan by name, and what each holds."""
    holds = [group.holds for group in plan.members() for _ in range(group.hospitals)]
    return {name_of(number): one for number, one in enumerate(holds)}


def invite(folder: Path, plan: Plan, home: Gathered) -> list[str]:
    """The server's folder, and one per hospital with all that it needs but its records; the hospitals' names.

    ``home`` is the server's own: the public patients (split 'train') and those who judge.
    """
    _check_nothing_is_dealt(plan)
    source, public, sides, _ = deal_to_server(plan, home)
    dealt = Dealt(plan, home.labels, (), public, *sides)
    # the key is drawn anew, so folders of two invitations do not agree, and patients would be hashed otherwise
    made = hashlib.sha256(f"{hash_of(plan, home, {})} {hashlib.sha256(source.key).hexdigest()}".encode()).hexdigest()
    hospitals = invited(plan)
    members = tuple(Member(name=name, holds=holds, patients=0, records=0) for name, holds in hospitals.items())
    with atomic_folder(folder, private=True) as partial:
        write_server(dealt, partial / SERVER, made, members)
        for name in hospitals:
            write_hospital(dealt, partial / name, made)
            write_arrays(_arrays_of(source), partial / name / INVITATION)
    return list(hospitals)


def fill(folder: Path, own: Gathered) -> Member:
    """Put a hospital's records (its patients of split 'train') into the folder that it was sent."""
    card = read_card(folder)
    if not (folder / INVITATION).exists():
        raise DataError(
            "this folder is not an invitation",
            where=folder,
            allowed=f"a folder with {INVITATION}, which `leadapron federation invite` made",
        )
    if own.labels != card.labels:
        raise DataError(
            "the labels are not those of the federation",
            where=own.where,
            got=", ".join(own.labels),
            allowed=", ".join(card.labels),
        )
    patients = np.unique(own.patients[own.splits == "train"])
    station = _source_of(folder / INVITATION, own).station(card.place, patients, invited(card.plan)[card.place])
    if (found := shared(station.patients, np.unique(read_public(folder, card).patients))) is not None:
        raise DataError(
            f"a patient of {card.place} is in the public set",
            where=own.where,
            got=f"patient hash {found}",
            allowed="each patient in one place",
        )
    member = member_of(station)
    with atomic_folder(folder / RECORDS, private=True) as partial, atomic_path(folder / MEMBER) as told:
        write_station(station, partial)
        told.write_text(member.model_dump_json(indent=1))
    return member


def admit(folder: Path, files: Sequence[Path]) -> list[str]:
    """Write down in the server's folder what hospitals tell of themselves; the names of those still missing."""
    card = read_card(folder)
    members = {member.name: member for member in card.members}
    for file in files:
        member = parse(file.read_text(), Member, file, fix="Take the file that `leadapron federation fill` made.")
        known = members.get(member.name)
        if known is None or known.holds != member.holds or not member.records:
            allowed = "; ".join(f"{one.name} with {one.holds}" for one in members.values())
            got = f"{member.name} with {member.holds}, {member.records} records"
            raise DataError("this hospital is not in the plan", where=file, got=got, allowed=allowed or "none")
        members[member.name] = member
    with atomic_path(folder / CARD, private=True) as path:
        path.write_text(card.model_copy(update={"members": tuple(members.values())}).model_dump_json(indent=1))
    return [member.name for member in members.values() if not member.records]


def _check_nothing_is_dealt(plan: Plan) -> None:
    """A plan may not say how patients are dealt, because hospitals bring their own."""
    if check_method(plan).joining != "federation":
        raise ConfigError(
            "hospitals that bring their own records cannot train by this method", where="method", got=plan.method
        )
    groups = plan.members()
    for what, there in (
        ("patients", any(group.patients is not None for group in groups)),
        ("release", any(group.release is not None for group in groups)),
        ("partition", plan.partition != "homogeneous"),
    ):
        if there:
            raise ConfigError(
                "hospitals bring their own records, so the plan does not say who gets which patients",
                where=what,
                fix=f"Leave out {what!r}, or deal with `leadapron federation deal`.",
            )


def _arrays_of(source: Source) -> Arrays:
    arrays: Arrays = {"key": np.frombuffer(source.key, np.uint8)}
    for half, scale in source.scales.items():
        arrays |= {f"{half}_centre": scale.centre, f"{half}_directions": scale.directions}
    return arrays


def _source_of(file: Path, own: Gathered) -> Source:
    arrays = read_arrays(file)
    scales = {
        half: Scale(arrays[f"{half}_centre"], arrays[f"{half}_directions"])
        for half in HALVES
        if f"{half}_centre" in arrays
    }
    return Source(own, scales, arrays["key"].tobytes())
