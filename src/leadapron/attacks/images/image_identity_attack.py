"""All attackers on the released images of all attacked patients, and the same where the answer is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.images.image_attackers import (
    ADAPTIVE,
    ANOTHER,
    CLASSIFIER,
    SOURCE,
    STATIC,
    Seen,
    adaptive_likeness,
    mates_of,
    static_likeness,
)
from leadapron.attacks.images.image_features import Numbers
from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.images.image_identity_measures import AUC, FIRST
from leadapron.attacks.images.image_sides import Sides
from leadapron.attacks.images.likeness import Likeness
from leadapron.attacks.images.patient_classifier import PATIENTS, classified
from leadapron.attacks.images.ranked_mates import rank_mates

Ints = NDArray[np.int64]

HOLDS = (ANOTHER, SOURCE)
Judges = Mapping[tuple[str, str], Likeness]
"""How alike each attacker finds a released and a real image, by attacker and by what is held."""


@dataclass(frozen=True)
class Attack:
    """What is attacked, and how it is asked."""

    seen: Seen
    sides: Sides
    pools: Sequence[int]
    seed: int

    def judges(self) -> Judges:
        static = static_likeness(self.seen, self.sides, self.seed)
        found = {(STATIC, holds): static for holds in HOLDS}
        for holds in HOLDS:
            found[ADAPTIVE, holds] = adaptive_likeness(self.seen, self.sides, holds, static, self.seed)
        return found

    def undefended(self) -> Attack:
        """The real images in the place of the released ones."""
        seen = self.seen
        networks = {name: (real, real) for name, (_, real) in seen.networks.items() if name == STATIC}
        real = seen.numbers.real
        return replace(self, seen=Seen(Numbers(real, real, real, real), networks))


def add_attackers(found: ImageGathering, attack: Attack, judges: Judges, dealt: Ints | None = None) -> None:
    """Every attacker's figures. ``dealt`` puts another released image in the place of each: a null control."""
    sides, owner = attack.sides, (attack.sides.patient, attack.sides.patient)
    for holds in HOLDS:
        mates = mates_of(holds, sides.attacked, sides)
        for attacker in (ADAPTIVE, STATIC):
            likeness = judges[attacker, holds]
            likeness = likeness if dealt is None else likeness.with_left(dealt)
            ranked = rank_mates(likeness, mates, sides.attacked, owner, attack.pools)
            for pool, values in ranked.first.items():
                at = {"holds": holds, "pool": pool}
                found.add_values(FIRST, ranked.query, values, attacker=attacker, chance=1 / pool, **at)
            at = {"holds": holds, "pool": len(sides.attacked)}
            found.add_values(AUC, ranked.query, ranked.auc, attacker=attacker, chance=0.5, **at)
        if PATIENTS in attack.pools:
            released, real = attack.seen.numbers.released, attack.seen.numbers.real
            released = released if dealt is None else released[dealt]
            source = holds == SOURCE
            rows, right = classified(released, real, sides, source=source, seed=attack.seed)
            if len(rows):
                at = {"holds": holds, "pool": PATIENTS}
                found.add_values(FIRST, rows, right, attacker=CLASSIFIER, chance=1 / PATIENTS, **at)


def dealt_anew(sides: Sides, seed: int) -> Ints:
    """Every record's row, those under attack dealt among themselves, none to its own patient if that can be."""
    order = np.arange(len(sides.patient))
    rng, attacked = np.random.default_rng(seed), sides.attacked
    dealt = rng.permutation(attacked)
    for _ in range(50):
        same = np.flatnonzero(sides.patient[dealt] == sides.patient[attacked])
        if not len(same):
            break
        other = rng.integers(0, len(dealt), len(same))
        for one, two in zip(same.tolist(), other.tolist(), strict=True):
            dealt[[one, two]] = dealt[[two, one]]
    order[attacked] = dealt
    return order
