"""CreamFL: hospitals keep their models, and what they say of the public set is distilled into the server's.

Yu et al., "Multimodal Federated Learning via Contrastive Representation Ensemble", ICLR 2023. Here the task is to
find the findings, so the retrieval loss of the study is binary cross-entropy.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.special import softmax
from torch.nn import functional

from leadapron.federated.fusion_model import load_weights, tensor, weights_of
from leadapron.federated.local_training import adam, embeddings, train_pass
from leadapron.federated.methods.averaging import groups_of, train_station
from leadapron.federated.methods.method import Answer, Method, Place, Server
from leadapron.federated.seeded_streams import stream
from leadapron.federated.station import Arrays

TEMPERATURE = 0.5
CONTRAST, DISTILLATION = 0.5, 0.3
"""Weights of the two contrastive losses at a hospital, and of the distillation at the server, as published."""
OTHER = {"image": "text", "text": "image"}
ROWS_AT_ONCE = 512


class CreamFL(Method):
    line: ClassVar[str] = "hospitals keep their models and send features of the public set, which the server distils"
    sends_features: ClassVar[bool] = True

    def sends(self, server: Server) -> Arrays:
        """What the server's model makes of the public set after training on it; in the first round also the model."""
        train_station(server, server.public)
        features = {half: embeddings(server.model, half, getattr(server.public, half)) for half in OTHER}
        return features | (weights_of(server.model) if server.round == 1 else {})

    def answer(self, hospital: Place, received: Arrays) -> tuple[Arrays, float]:
        load_weights(hospital.model, hospital.memory.get("model", received))
        halves = [half for half in OTHER if getattr(hospital.station, half) is not None]
        before = {half: embeddings(hospital.model, half, getattr(hospital.public, half)) for half in halves}
        contrast = self._contrast(hospital, halves, received, before)
        loss = train_station(hospital, hospital.station, after_each=contrast)
        hospital.memory["contrast"] = contrast.keywords["optimiser"].state_dict()
        hospital.memory["model"] = {
            name: tensor(array) for name, array in weights_of(hospital.model, groups_of(hospital.station)).items()
        }
        return {half: embeddings(hospital.model, half, getattr(hospital.public, half)) for half in halves}, loss

    def _contrast(self, hospital: Place, halves: list[str], received: Arrays, before: Arrays) -> partial[float]:
        """A pass that draws each public record to the server's view of it, and away from the hospital's old one."""
        device = hospital.device
        public = {half: tensor(getattr(hospital.public, half), device) for half in halves}
        sent = {half: tensor(received[half], device) for half in OTHER}
        others = {half: (sent[OTHER[half]] / TEMPERATURE).T.contiguous() for half in halves}
        old = {half: tensor(before[half], device) for half in halves}

        def loss_of(rows: torch.Tensor) -> torch.Tensor:
            losses = []
            for half in halves:
                now = hospital.model.embed(half, public[half][rows])
                across = functional.cross_entropy(now @ others[half], rows)
                sides = torch.stack([(now * sent[half][rows]).sum(1), (now * old[half][rows]).sum(1)], dim=1)
                within = functional.cross_entropy(sides / TEMPERATURE, torch.zeros_like(rows))
                losses.append(across + within)
            return CONTRAST * torch.stack(losses).sum()

        return partial(
            train_pass,
            hospital.model,
            optimiser=adam(hospital.model, hospital.plan, hospital.memory.get("contrast")),
            rows=len(hospital.public),
            loss_of=loss_of,
            plan=hospital.plan,
            rng=stream(hospital.plan, "contrast", hospital.station.name, hospital.round),
        )

    def takes(self, server: Server, answers: Mapping[str, Answer]) -> None:
        targets = {
            half: tensor(ensemble([answer.arrays[half] for answer in answers.values() if half in answer.arrays], other))
            for half, other in self._views(server).items()
            if any(half in answer.arrays for answer in answers.values())
        }
        if not targets:
            return
        public = {half: tensor(getattr(server.public, half), server.device) for half in targets}

        def loss_of(rows: torch.Tensor) -> torch.Tensor:
            apart = [
                functional.mse_loss(server.model.embed(half, public[half][rows]), targets[half].to(server.device)[rows])
                for half in targets
            ]
            return DISTILLATION * torch.stack(apart).sum()

        optimiser = adam(server.model, server.plan, server.memory.get("distil"))
        rng = stream(server.plan, "distil", server.round)
        for _ in range(server.plan.epochs):
            train_pass(server.model, optimiser, len(server.public), loss_of, server.plan, rng)
        server.memory["distil"] = optimiser.state_dict()

    def _views(self, server: Server) -> dict[str, NDArray[np.float32]]:
        """For each half the server's features of the other one, by which hospitals' features are weighed."""
        return {half: embeddings(server.model, other, getattr(server.public, other)) for half, other in OTHER.items()}


def ensemble(features: list[NDArray[np.float32]], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Per public record the hospitals' features, weighted by how surely each finds the record's other half."""
    weights = softmax(np.stack([sureness(one, other) for one in features]), axis=0)
    mean = sum(weight[:, None] * one for weight, one in zip(weights, features, strict=True))
    return np.asarray(mean, dtype=np.float32)


def sureness(features: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float64]:
    """The log-softmax of each row's nearness to its own row of the other half; a block at a time stays in the cache."""
    others = tensor(other).double().T.contiguous()
    found = []
    for start in range(0, len(features), ROWS_AT_ONCE):
        nearness = tensor(features[start : start + ROWS_AT_ONCE]).double() @ others
        found.append(nearness.diagonal(start) - nearness.logsumexp(dim=1))
    own: NDArray[np.float64] = torch.cat(found).numpy()
    return own


CREAMFL = CreamFL()
