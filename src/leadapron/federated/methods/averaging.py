"""Federated averaging of a model with two encoders: who lacks a half neither has its encoder nor changes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import torch

from leadapron.federated.aggregation import Share, weight_of, weighted_mean
from leadapron.federated.federation_plan import Plan
from leadapron.federated.fusion_model import GROUPS, load_weights, weights_of
from leadapron.federated.local_training import Batches, adam, train_pass
from leadapron.federated.methods.method import Answer, Method, Place, Server
from leadapron.federated.noised_updates import clipped
from leadapron.federated.scoring import macro_auroc
from leadapron.federated.seeded_streams import stream
from leadapron.federated.station import Arrays, Station

if TYPE_CHECKING:
    from leadapron.federated.hidden_updates import Summed

ALPHAS = (0.0, 0.2, 0.3, 0.4, 0.5, 1.0)
"""Those that the study compared."""


class Averaging(Method):
    """The mean of the hospitals' weights; with ``needs_public`` the public set counts as one more hospital."""

    line: ClassVar[str] = "federated averaging; a missing half is a vector of zeros"
    averages: ClassVar[bool] = True
    needs_public: ClassVar[bool] = False
    borrows: ClassVar[bool] = False
    """Whether the missing half is lent by the public set, so that every hospital trains both encoders."""

    def sends(self, server: Server) -> Arrays:
        return weights_of(server.model)

    def filled(self, hospital: Place) -> Station:
        """The records that a hospital trains on."""
        return hospital.station

    def answer(self, hospital: Place, received: Arrays) -> tuple[Arrays, float]:
        load_weights(hospital.model, received)
        station = self.filled(hospital)
        loss = train_station(hospital, station)
        learnt = weights_of(hospital.model, groups_of(station))
        return learnt if hospital.plan.clip is None else clipped(learnt, received, hospital.plan), loss

    def weights(self, share: Share, plan: Plan, alpha: float | None = None) -> dict[str, float]:
        """What a station counts in each part of the model, before all are divided by their sum."""
        if not self.borrows:
            return {group: weight_of(share, group, "linear", 1.0) for group in GROUPS}
        chosen = plan.alpha if alpha is None else alpha
        return {group: weight_of(share, group, plan.normalise, chosen) for group in GROUPS}

    def takes(self, server: Server, answers: Mapping[str, Answer]) -> None:
        before = weights_of(server.model)
        updates = [answer.arrays for answer in answers.values()]
        held = [(server.holds[name], answer.records) for name, answer in answers.items()]
        if (learnt := self._learnt_from_public(server)) is not None:
            updates.append(learnt)
            held.append(("both", len(server.public)))
        total = sum(records for _, records in held)
        shares = [Share(holds, records, records / total) for holds, records in held]

        def mean(alpha: float | None) -> Arrays:
            return weighted_mean(updates, [self.weights(one, server.plan, alpha) for one in shares], before)

        alpha = None
        if self.borrows and server.plan.alpha_by_validation and server.validate is not None:
            alpha = server.notes["alpha"] = _best_alpha(server, mean)
        load_weights(server.model, mean(alpha))

    def takes_sum(self, server: Server, summed: Summed) -> None:
        """The same, where the server learns nothing but the sum of the hospitals' updates."""
        before = weights_of(server.model)
        updates, weights = [summed.mean], [summed.weights]
        if (learnt := self._learnt_from_public(server)) is not None:
            updates.append(learnt)
            weights.append(summed.weighing.weights(self, server.plan, "both", len(server.public)))
        load_weights(server.model, weighted_mean(updates, weights, before))

    def _learnt_from_public(self, server: Server) -> Arrays | None:
        """What the public set teaches as if it were a hospital's, where it takes part."""
        if self.needs_public and len(server.public):
            train_station(server, server.public)
            server.own_update = weights_of(server.model)
        return server.own_update


class AveragingWithPublic(Averaging):
    line: ClassVar[str] = "the same, and the public set counts as one more hospital"
    needs_public: ClassVar[bool] = True


def train_station(place: Place, station: Station, after_each: Callable[[], object] = lambda: None) -> float:
    """The plan's passes over a station's records, from the place's model as it is; the mean loss of the last one."""
    batches = Batches.of(station, place.device)
    optimiser = adam(place.model, place.plan, place.memory.get("adam"))
    rng = stream(place.plan, "order", station.name, place.round)

    def loss_of(rows: torch.Tensor) -> torch.Tensor:
        return batches.loss(place.model, rows)

    for _ in range(place.plan.epochs):
        loss = train_pass(place.model, optimiser, len(batches), loss_of, place.plan, rng)
        after_each()
    place.memory["adam"] = optimiser.state_dict()
    return loss


def groups_of(station: Station) -> tuple[str, ...]:
    """The parts of the model that its records change."""
    return tuple(
        group for group in GROUPS if station.holds == "both" or group in (f"{station.holds}_encoder", "classifier")
    )


def _best_alpha(server: Server, mean: Callable[[float], Arrays]) -> float:
    assert server.validate is not None
    scores = []
    for alpha in ALPHAS:
        load_weights(server.model, mean(alpha))
        scores.append(macro_auroc(server.model, server.validate, "both"))
    return ALPHAS[int(np.argmax(scores))]


MFEDAVG = Averaging()
MFEDAVG_PUBLIC = AveragingWithPublic()
