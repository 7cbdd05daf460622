"""How far a patient's loss falls when a hospital trains: the trace that training on somebody leaves in an update."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.federation.asked_people import Asked
from leadapron.attacks.federation.witnessed import Witnessed, hospitals_mean
from leadapron.engine import Progress, silent
from leadapron.federated.federation_plan import Holds
from leadapron.federated.station import Arrays, Station

if TYPE_CHECKING:
    from leadapron.federated.fusion_model import FusionModel

Doubles = NDArray[np.float64]
Ints = NDArray[np.int64]

WORDS = {"image": "radiographs", "text": "reports", "both": "both"}
"""What a hospital holds."""


@dataclass(frozen=True)
class Falls:
    """By round and patient, from the model that was sent; NaN where nothing was seen.

    ``own`` is by hospital of the kind, too: the fall to what it sent back. ``public`` is the fall to what the public
    set taught, ``hospitals`` that to the mean of all hospitals.
    """

    own: Doubles
    public: Doubles
    hospitals: Doubles


@dataclass(frozen=True)
class Followed:
    """The falls of records as they are; the falls of records with a partner, and the partners, where there are any."""

    alone: Falls
    paired: Falls | None
    partners: Ints | None
    """By round and record: the row of the public set."""


def follow(seen: Witnessed, holds: Holds, asked: Asked, progress: Progress = silent) -> Followed:
    """Through all rounds, at the hospitals of one kind."""
    from leadapron.federated.fusion_model import load_weights
    from leadapron.federated.local_training import one_thread
    from leadapron.federated.methods.car_mfl import partners_of

    model, pairs = seen.new_model(), seen.lends and holds != "both"
    alone, paired, partners = [], [], []
    with one_thread():
        for one in seen.rounds():
            mean = hospitals_mean(seen, one)
            models = [one.sent, mean, one.public, *(one.updates.get(name) for name in seen.kinds[holds])]
            alone.append(_falls(model, models, asked, asked.records))
            if pairs:
                load_weights(model, one.sent)
                partners.append(partners_of(model, asked.records, seen.public, seen.plan, one.number))
                lent = with_partners(asked.records, seen.public, partners[-1])
                paired.append(_falls(model, models, asked, lent))
            progress(f"rounds, hospitals with {WORDS[holds]}", one.number, seen.plan.rounds)
    return Followed(_by_round(alone), _by_round(paired) if pairs else None, np.stack(partners) if pairs else None)


def patient_losses(model: FusionModel, arrays: Arrays, asked: Asked, records: Station) -> Doubles:
    """Binary cross-entropy on what is known of a record, on average over the records of each patient.

    A part of the model that ``arrays`` lacks stays as it is.
    """
    from leadapron.federated.fusion_model import load_weights
    from leadapron.federated.scoring import logits

    load_weights(model, arrays)
    said, truth = logits(model, records, "both"), np.asarray(records.truth)
    known = truth != -1
    losses = np.where(known, np.logaddexp(0.0, np.where(truth == 1, -said, said)), 0.0).sum(axis=1)
    return asked.means(losses / np.maximum(known.sum(axis=1), 1))


def with_partners(records: Station, public: Station, partners: Ints) -> Station:
    """Records of one half, with the other half of their partners."""
    if records.holds == "image":
        assert public.text is not None
        return replace(records, text=np.asarray(public.text)[partners])
    assert public.image is not None
    return replace(records, image=np.asarray(public.image)[partners])


def _falls(model: FusionModel, models: list[Arrays | None], asked: Asked, records: Station) -> Doubles:
    """From the first of the models to each of the others; NaN where it was not seen."""
    sent, *others = models
    assert sent is not None
    before = patient_losses(model, sent, asked, records)
    found = np.full((len(others), len(before)), np.nan)
    for at, arrays in enumerate(others):
        if arrays is not None:
            found[at] = before - patient_losses(model, arrays, asked, records)
    return found


def _by_round(falls: list[Doubles]) -> Falls:
    every = np.stack(falls)
    return Falls(every[:, 2:], every[:, 1], every[:, 0])
