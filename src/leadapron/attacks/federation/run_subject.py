"""A federated run as the subject of an audit: what was seen of it, and who was at which hospital in truth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from leadapron.attacks.federation.asked_people import known_by_place
from leadapron.attacks.federation.witnessed import SeenRound, Witnessed
from leadapron.audits.audit import NOTHING, Loaded
from leadapron.engine import sha256
from leadapron.engine.documents import Config
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import DataError
from leadapron.federated import METHODS, Run, hospitals_beside, read_run
from leadapron.federated.federate import need_torch
from leadapron.federated.federation_folder import SERVER, FederationCard, read_card, read_public
from leadapron.federated.run_card import CARD, GLOBAL, MODEL, PUBLIC, ROUNDS, RUN_AGAIN, read_arrays, round_file
from leadapron.federated.station import Station, read_station
from leadapron.results import Inputs, Subject

ELSEWHERE = (
    "Put the folders of this run's hospitals there, or name them: `leadapron audit federation RUN --hospitals FOLDER`."
)


class RunConfig(Config):
    """Where the rest of a run lies."""

    hospitals: Path | None = Field(
        default=None,
        description="The folder of the hospitals and the server, which tells who was where. [default: beside RUN]",
    )
    weights: Path | None = Field(default=None, description="Of a run with the published encoders.")


@dataclass(frozen=True)
class FederatedRun:
    """A run that is finished, and the truth. Patients are known by the place of their first record."""

    run: Run
    seen: Witnessed
    hospitals: Mapping[str, Station]
    validate: Station
    test: Station


def load_run(path: Path, asked: Config, verify: bool) -> Loaded:
    """The run in a folder and the hospitals' folders beside it."""
    assert isinstance(asked, RunConfig)
    need_torch()
    run, folder = read_run(path), asked.hospitals or hospitals_beside(path)
    if not run.finished:
        raise DataError("the training is not finished", where=path / CARD, fix=RUN_AGAIN)
    if not run.members or METHODS.find(run.plan.method).one_model_each:
        what = f"no hospital sends anything to others in {run.plan.method}, so there is nothing to attack"
        raise DataError(what, where=path / CARD)
    card = _card(run, folder)
    if verify:
        _verify(run, path)
    server = folder / SERVER
    subject = FederatedRun(
        run,
        _seen(run, path, card, server, asked.weights),
        {member.name: known_by_place(read_station(folder / member.name / "records")) for member in run.members},
        *(known_by_place(read_station(server / split)) for split in ("validate", "test")),
    )
    return Loaded(subject, NOTHING, _inputs(run, path, folder, verify=verify))


def _card(run: Run, folder: Path) -> FederationCard:
    """The server's card; of another federation, it is refused."""
    if not folder.is_dir():
        raise DataError(
            "the folders of the hospitals are not there, and only they tell who was at which",
            where=folder,
            fix=ELSEWHERE,
        )
    card = read_card(folder / SERVER)
    if (card.plan.fingerprint, card.source) != (run.plan.fingerprint, run.source):
        raise DataError("these are the hospitals of another run", where=folder, fix=ELSEWHERE)
    return card


def _seen(run: Run, path: Path, card: FederationCard, server: Path, weights: Path | None) -> Witnessed:
    from leadapron.federated.architectures import new_model
    from leadapron.federated.hospital import inputs_of
    from leadapron.federated.methods.averaging import Averaging

    method = METHODS.find(run.plan.method)
    shows = run.updates_kept and not run.plan.secure and not method.sends_features
    return Witnessed(
        run.plan,
        {member.name: member for member in run.members},
        read_public(server, card),
        lambda: new_model(run.plan, inputs_of(card), weights=weights),
        read_arrays(path / MODEL),
        lambda: _rounds(run, path, shows=shows),
        shows_updates=shows,
        lends=isinstance(method, Averaging) and method.borrows,
    )


def _rounds(run: Run, path: Path, *, shows: bool) -> Iterator[SeenRound]:
    sent = read_arrays(round_file(path, 0, GLOBAL))
    for one in run.rounds:
        updates = {name: read_arrays(round_file(path, one.number, name)) for name in one.losses} if shows else {}
        taught = round_file(path, one.number, PUBLIC)
        public = read_arrays(taught) if taught.exists() else None
        after = read_arrays(round_file(path, one.number, GLOBAL))
        alpha = one.chosen.get("alpha", run.plan.alpha)
        yield SeenRound(one.number, sent, updates, public, after, tuple(one.losses), alpha)
        sent = after


def _verify(run: Run, path: Path) -> None:
    """The models of all rounds are those whose hashes the run recorded."""
    from leadapron.federated.fusion_model import fingerprint

    for number, recorded in enumerate((run.begin, *(one.weights for one in run.rounds))):
        file = round_file(path, number, GLOBAL)
        if (found := fingerprint(read_arrays(file))) != recorded:
            raise DataError(
                "the weights are not those that the run recorded",
                where=file,
                got=f"sha256 {found[:12]}…",
                allowed=f"sha256 {recorded[:12]}…",
                fix="Train again, or audit it as it is with --no-verify.",
            )


def _inputs(run: Run, path: Path, folder: Path, *, verify: bool) -> Inputs:
    """One hash per round and per place: those of every update would fill pages."""
    places = [path / ROUNDS / f"{number:04d}" for number in range(len(run.rounds) + 1)]
    hashes = {f"{ROUNDS}/{place.name}": _hash_of(place, "*.npz") for place in places}
    hashes |= {f"hospitals/{one.name}": _hash_of(folder / one.name / "records", "*.npy") for one in run.members}
    hashes |= {f"server/{split}": _hash_of(folder / SERVER / split, "*.npy") for split in ("validate", "test")}
    hashes[CARD] = sha256(path / CARD)
    plan = run.plan
    guards = {"secure aggregation": plan.secure, "clipped updates": plan.clip, "noised updates": plan.noise}
    method = ", ".join([name for name, chosen in guards.items() if chosen]) or plan.method
    return Inputs(
        release=path.resolve().name,
        cohort=run.source,
        defence={"method": method, "strength": plan.noise or plan.clip, "guarantee": run.guarantee},
        sha256=hashes,
        verified=verify,
        subject=Subject(kind="run", id=id_of_files(hashes)),
    )


def _hash_of(folder: Path, pattern: str) -> str:
    return id_of_files({file.name: sha256(file) for file in sorted(folder.glob(pattern))})
