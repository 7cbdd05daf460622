"""A federation in memory of few patients and many passes, which remembers every one: the attack must find them."""

from __future__ import annotations

from collections.abc import Mapping

from leadapron.attacks.federation.asked_people import some_patients
from leadapron.attacks.federation.witnessed import SeenRound, Witnessed
from leadapron.federated import METHODS
from leadapron.federated.station import Station

ROUNDS, EPOCHS = 3, 20
PUBLIC = 50
"""Patients of the public set, if there is one."""


def trained_on(seen: Witnessed, hospitals: Mapping[str, Station]) -> Witnessed:
    """The training goes on from its final model, by the same method, with other patients and without any noise."""
    from leadapron.federated.fusion_model import FusionModel, load_weights, weights_of
    from leadapron.federated.local_training import one_thread
    from leadapron.federated.methods.method import Answer, Place, Server

    plan = seen.plan.model_copy(update={"rounds": ROUNDS, "clip": None, "noise": 0.0})
    often = plan.model_copy(update={"epochs": EPOCHS})
    method = METHODS.find(plan.method)

    def new_model() -> FusionModel:
        model = seen.new_model()
        load_weights(model, seen.final)
        return model

    holds = {name: seen.members[name].holds for name in hospitals}
    (public,) = some_patients(seen.public, PUBLIC, seed=plan.seed)
    server = Server(plan, new_model(), public, public, holds=holds)
    places = {name: Place(often, new_model(), station, public) for name, station in hospitals.items()}
    rounds = []
    with one_thread():
        for number in range(1, ROUNDS + 1):
            server.round, server.own_update = number, None
            before, sent = weights_of(server.model), method.sends(server)
            answers = {}
            for name, place in places.items():
                place.round = number
                arrays, loss = method.answer(place, sent)
                answers[name] = Answer(arrays, len(place.station), loss)
            method.takes(server, answers)
            updates = {name: answer.arrays for name, answer in answers.items()} if seen.shows_updates else {}
            after = weights_of(server.model)
            rounds.append(SeenRound(number, before, updates, server.own_update, after, tuple(answers), plan.alpha))
    members = {
        name: seen.members[name].model_copy(update={"records": len(station)}) for name, station in hospitals.items()
    }
    return Witnessed(
        plan,
        members,
        public,
        new_model,
        rounds[-1].after,
        lambda: iter(rounds),
        shows_updates=seen.shows_updates,
        lends=seen.lends,
    )
