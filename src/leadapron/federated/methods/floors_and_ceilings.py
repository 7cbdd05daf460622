"""Floors and ceilings: each hospital alone, the public set alone, nothing missing, and everything in one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from leadapron.federated.fusion_model import load_weights, tensor, weights_of
from leadapron.federated.methods.averaging import AveragingWithPublic, groups_of, train_station
from leadapron.federated.methods.method import Answer, Joining, Method, Place, Server
from leadapron.federated.station import Arrays


class LocalOnly(Method):
    """Every hospital for itself; what it sends is judged and goes to nobody."""

    line: ClassVar[str] = "each hospital for itself; the mean over hospitals, each with the halves that it holds"
    one_model_each: ClassVar[bool] = True
    needs_public: ClassVar[bool] = False

    def sends(self, server: Server) -> Arrays:
        return weights_of(server.model)

    def answer(self, hospital: Place, received: Arrays) -> tuple[Arrays, float]:
        load_weights(hospital.model, hospital.memory.get("model", received))
        loss = train_station(hospital, hospital.station)
        learnt = weights_of(hospital.model, groups_of(hospital.station))
        hospital.memory["model"] = {name: tensor(array) for name, array in learnt.items()}
        return learnt, loss

    def takes(self, server: Server, answers: Mapping[str, Answer]) -> None:
        """Nothing is made of the answers."""


class NoMissing(AveragingWithPublic):
    """The ceiling of a federation: every hospital holds both halves."""

    line: ClassVar[str] = "mfedavg-public where every hospital holds both halves"

    joining: ClassVar[Joining] = "complete"


class PublicOnly(AveragingWithPublic):
    """The floor: nobody joins."""

    line: ClassVar[str] = "the public set alone, and no hospital"
    averages: ClassVar[bool] = False
    joining: ClassVar[Joining] = "nobody"


class Centralised(PublicOnly):
    """The ceiling without federation: all records in one place, with both halves."""

    line: ClassVar[str] = "all records in one place, with both halves"
    joining: ClassVar[Joining] = "centre"


LOCAL_ONLY = LocalOnly()
PUBLIC_ONLY = PublicOnly()
NO_MISSING = NoMissing()
CENTRALISED = Centralised()
