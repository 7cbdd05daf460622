"""The attackers: from how a patient's loss falls to a suspicion that the patient was at a hospital."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.federation.asked_people import TUNING, Asked
from leadapron.attacks.federation.loss_falls import Falls, Followed, patient_losses
from leadapron.attacks.federation.witnessed import Witnessed

Doubles = NDArray[np.float64]

FINAL, MEANS, UPDATES, PARTNERS = "final-model", "round-means", "updates", "updates-and-partners"
RECORD_AND_FINDINGS, RECORD_ALONE = "record-and-findings", "record-alone"
PLAIN = {
    FINAL: "one who sees the final model",
    MEANS: "one who sees the mean of every round, takes off what the public set taught, and works the partners out",
    UPDATES: "one who sees every update",
    PARTNERS: "one who sees every update and works the partners out",
    RECORD_AND_FINDINGS: "one who holds a record and its findings and works out its partner",
    RECORD_ALONE: "one who holds a record without its findings and takes the nearest public one for its partner",
}
"""What each attacker does."""
REFERENCE = 1 / 3
"""The part of the rounds that the attacker's own model is trained for, on the public set alone. A longer training was a
worse reference for validation patients: it is too sure of itself."""


@dataclass(frozen=True)
class Clues:
    """What an attacker knows of everybody who is asked about at the hospitals of one kind."""

    asked: Asked
    followed: Followed
    gained: Doubles
    """Of every patient: by how much the final model's loss is below that of one trained on the public set alone."""

    @property
    def tuning(self) -> NDArray[np.bool_]:
        found: NDArray[np.bool_] = self.asked.hospital == TUNING
        return found


@dataclass(frozen=True)
class Suspicion:
    """The higher, the likelier. In standard deviations of tuning patients, so that hospitals can be compared."""

    own: Doubles
    """By hospital and patient: that the patient was there."""
    anywhere: Doubles
    """By patient: that the patient was at one of them."""


Attacker = Callable[[Clues], Suspicion]


def attackers_of(seen: Witnessed) -> dict[str, Attacker]:
    """Those who can attack what is seen of this training."""
    found: dict[str, Attacker] = {FINAL: by_final_model, MEANS: by_round_means}
    if seen.shows_updates:
        found[UPDATES] = by_updates
        if seen.pairs:
            found[PARTNERS] = by_updates_and_partners
    return found


def by_final_model(clues: Clues) -> Suspicion:
    return _everywhere(standard(clues.gained, clues.tuning), clues)


def by_round_means(clues: Clues) -> Suspicion:
    falls = clues.followed.paired or clues.followed.alone
    return _everywhere(_over_rounds(falls.hospitals, clues.tuning), clues)


def by_updates(clues: Clues) -> Suspicion:
    return _by_updates(clues.followed.alone, clues.tuning)


def by_updates_and_partners(clues: Clues) -> Suspicion:
    return _by_updates(clues.followed.paired or clues.followed.alone, clues.tuning)


def standard(values: Doubles, tuning: NDArray[np.bool_]) -> Doubles:
    """In standard deviations from the mean of the tuning patients, who are in the last dimension."""
    others = values[..., tuning]
    spread = others.std(axis=-1, keepdims=True)
    found: Doubles = (values - others.mean(axis=-1, keepdims=True)) / np.where(spread > 0, spread, 1.0)
    return found


def above_others(own: Doubles, otherwise: Doubles) -> Doubles:
    """The fall at each hospital (second dimension) above the mean of the others who took part in the round.

    Where no other did, above ``otherwise``; where that is not known either, the fall itself.
    """
    there = ~np.isnan(own)
    others = there.sum(axis=1, keepdims=True) - there
    rest = np.nansum(own, axis=1, keepdims=True) - np.where(there, own, 0.0)
    instead = np.broadcast_to(np.nan_to_num(otherwise)[:, None], own.shape)
    found: Doubles = own - np.divide(rest, others, out=instead.copy(), where=others > 0)
    return found


def _by_updates(falls: Falls, tuning: NDArray[np.bool_]) -> Suspicion:
    """At one hospital, compared with the others; anywhere, compared with what the public set taught."""
    own = _over_rounds(above_others(falls.own, falls.public), tuning)
    beyond_public = falls.own - np.nan_to_num(falls.public)[:, None]
    return Suspicion(own, standard(_over_rounds(beyond_public, tuning).max(axis=0), tuning))


def _over_rounds(falls: Doubles, tuning: NDArray[np.bool_]) -> Doubles:
    """Added up over the rounds (first dimension) that a hospital took part in, each on its own scale."""
    return standard(np.nansum(standard(falls, tuning), axis=0), tuning)


def _everywhere(suspicion: Doubles, clues: Clues) -> Suspicion:
    """One who cannot tell hospitals apart suspects all of them alike."""
    hospitals = clues.followed.alone.own.shape[1]
    return Suspicion(np.broadcast_to(suspicion, (hospitals, len(suspicion))), suspicion)


def final_gain(seen: Witnessed, asked: Asked) -> Doubles:
    """By how much the final model's loss is below that of the attacker's own one, which knows the public set alone."""
    from leadapron.federated.fusion_model import weights_of
    from leadapron.federated.local_training import one_thread
    from leadapron.federated.methods.averaging import train_station
    from leadapron.federated.methods.method import Place

    place = Place(seen.plan, seen.new_model(), seen.public, seen.public)
    with one_thread():
        if len(seen.public):
            for place.round in range(1, math.ceil(seen.plan.rounds * REFERENCE) + 1):
                train_station(place, seen.public)
        reference = patient_losses(place.model, weights_of(place.model), asked, asked.records)
        return reference - patient_losses(place.model, seen.final, asked, asked.records)
