"""CAR-MFL: the missing half of a record is borrowed from the public set, anew in every round.

Poudel et al., "CAR-MFL: Cross-Modal Augmentation by Retrieval for Multimodal Federated Learning with Missing
Modalities", MICCAI 2024.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from leadapron.federated.federation_plan import Plan
from leadapron.federated.fusion_model import FusionModel
from leadapron.federated.local_training import embeddings
from leadapron.federated.methods.averaging import Averaging
from leadapron.federated.methods.method import Place
from leadapron.federated.partners import partners
from leadapron.federated.seeded_streams import stream
from leadapron.federated.station import Station


class CarMfl(Averaging):
    line: ClassVar[str] = "a missing half is borrowed from the public set: the nearest record whose findings fit best"
    needs_public: ClassVar[bool] = True
    borrows: ClassVar[bool] = True

    def filled(self, hospital: Place) -> Station:
        station, public = hospital.station, hospital.public
        if station.holds == "both":
            return station
        chosen = partners_of(hospital.model, station, public, hospital.plan, hospital.round)
        if station.holds == "image":
            assert public.text is not None
            return replace(station, text=np.asarray(public.text)[chosen])
        assert public.image is not None
        return replace(station, image=np.asarray(public.image)[chosen])


def partners_of(model: FusionModel, station: Station, public: Station, plan: Plan, number: int) -> NDArray[np.int64]:
    """The public record that each record of a station with one half is paired with in a round.

    ``model`` is the one that the server sent for the round. Nothing but the seed, the model, the record and its
    findings decides, so whoever has these can work it out again.
    """
    half = station.holds
    own, public_own = getattr(station, half), getattr(public, half)
    other = {"image": "text", "text": "image"}[half] if plan.pairing == "cross-modal" else half
    return partners(
        embeddings(model, half, own),
        embeddings(model, other, getattr(public, other)) if other != half else embeddings(model, half, public_own),
        np.asarray(station.truth) == 1,
        np.asarray(public.truth) == 1,
        pairing=plan.pairing,
        neighbours=plan.neighbours,
        rng=stream(plan, "partners", station.name, number),
    )


CAR_MFL = CarMfl()
