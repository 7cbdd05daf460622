"""A hospital: it opens its own folder, trains when it is asked, and keeps its own state there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from leadapron.errors import DataError
from leadapron.federated.architectures import Inputs, new_model
from leadapron.federated.federation_folder import CARD, RECORDS, FederationCard, read_card, read_public, read_records
from leadapron.federated.local_training import one_thread
from leadapron.federated.methods import METHODS
from leadapron.federated.methods.method import Answer, Memory, Place
from leadapron.federated.round_state import keep_state, read_state
from leadapron.federated.station import Arrays

PATIENTS = "patients"
"""The hashes of its patients, which a hospital sends in its first round, to find a patient who is at two hospitals."""


@dataclass(frozen=True)
class Request:
    """What the server sends: the number of the round, the hash of what all agreed on, and arrays."""

    round: int
    plan: str
    arrays: Arrays


class Hospital:
    """One hospital. ``device`` and ``weights`` (of the published encoders) are its own matter."""

    def __init__(self, folder: Path, device: str = "cpu", weights: Path | None = None) -> None:
        self.folder = folder
        self.card: FederationCard = read_card(folder)
        self.name = self.card.place
        if not (folder / RECORDS).is_dir():
            raise DataError(
                f"{self.name} has no records yet",
                where=folder,
                fix="Put them in with `leadapron federation fill`.",
            )
        self.station = read_records(folder / RECORDS, self.card)
        self.public = read_public(folder, self.card)
        self.model = new_model(self.card.plan, inputs_of(self.card), weights=weights).to(torch.device(device))

    def answer(self, request: Request) -> Answer:
        """Train as the method says, from what was received and what was kept after the round before."""
        plan = self.card.plan
        if request.plan != self.card.agreed:
            raise DataError(
                f"{self.name} has another version of the plan than the server, or records of another deal",
                where=self.folder / CARD,
                got=f"plan {self.card.agreed[:12]}",
                allowed=f"plan {request.plan[:12]}",
                fix="Give every hospital its folder of the same deal.",
            )
        memory: Memory = read_state(self.folder, request.round - 1, plan.fingerprint)
        is_new = not memory
        place = Place(plan, self.model, self.station, self.public, request.round, memory)
        with one_thread():
            arrays, loss = METHODS.find(plan.method).answer(place, request.arrays)
        keep_state(self.folder, request.round, plan.fingerprint, place.memory)
        if is_new:
            arrays = arrays | {PATIENTS: np.unique(self.station.patients)}
        return Answer(arrays, len(self.station), None if plan.noise else loss)


def inputs_of(card: FederationCard) -> Inputs:
    """What the model of a federation is made for."""
    return Inputs(card.image_width, card.text_width, len(card.labels))
