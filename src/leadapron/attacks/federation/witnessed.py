"""What can be seen of a federated training: the models that are sent around, and what each hospital sends back."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from leadapron.federated.federation_folder import Member
from leadapron.federated.federation_plan import Holds, Plan
from leadapron.federated.station import Arrays, Station

if TYPE_CHECKING:
    from leadapron.federated.fusion_model import FusionModel


@dataclass(frozen=True)
class SeenRound:
    """One round: the model that was sent, what each hospital made of it, what the public set taught, and the mean.

    ``updates`` is empty and ``public`` None where they cannot be seen.
    """

    number: int
    sent: Arrays
    updates: Mapping[str, Arrays]
    public: Arrays | None
    after: Arrays
    counted: tuple[str, ...]
    """The hospitals that are in the mean."""
    alpha: float
    """The weight of an encoder that a hospital trained on borrowed halves."""


@dataclass(frozen=True)
class Witnessed:
    """A training from the first round to the last. Rounds are read one by one, since they may be large."""

    plan: Plan
    members: Mapping[str, Member]
    public: Station
    new_model: Callable[[], FusionModel]
    """The model before the first round."""
    final: Arrays
    rounds: Callable[[], Iterator[SeenRound]]
    shows_updates: bool
    """Whether the updates of single hospitals can be seen."""
    lends: bool
    """Whether the public set lends a record its missing half."""

    @property
    def kinds(self) -> dict[Holds, list[str]]:
        """The hospitals by the halves that they hold."""
        found: dict[Holds, list[str]] = {}
        for name, member in sorted(self.members.items()):
            found.setdefault(member.holds, []).append(name)
        return found

    @property
    def pairs(self) -> bool:
        """Whether there are records that a half is lent to."""
        return self.lends and any(holds != "both" for holds in self.kinds)


def hospitals_mean(seen: Witnessed, one: SeenRound) -> Arrays:
    """The mean of a round without what the public set taught, which everybody can work out who has that set.

    A part of the model that no hospital trained is as it was sent.
    """
    from leadapron.federated.aggregation import Share, weight_of
    from leadapron.federated.fusion_model import group_of

    if one.public is None:
        return one.after
    told = [(seen.members[name].holds, seen.members[name].records) for name in one.counted]
    total = sum(records for _, records in told) + len(seen.public)
    own, *others = (Share(*held, held[1] / total) for held in (("both", len(seen.public)), *told))
    how = ("linear", 1.0) if not seen.lends else (seen.plan.normalise, one.alpha)

    def trains(holds: Holds, group: str) -> bool:
        return seen.lends or holds == "both" or group in (f"{holds}_encoder", "classifier")

    found: Arrays = {}
    for name, mean in one.after.items():
        group = group_of(name)
        weight = weight_of(own, group, *how)
        rest = sum(weight_of(share, group, *how) for share in others if trains(share.holds, group))
        if not rest or not np.issubdtype(mean.dtype, np.floating):
            found[name] = one.sent[name]
            continue
        taken_off = (weight + rest) * mean.astype(np.float64) - weight * one.public[name]
        found[name] = np.asarray(taken_off / rest, dtype=mean.dtype)
    return found
