"""One release against another: probes of the one are looked for in the gallery of the other.

Patients who are in both have mates there; all others are asked for in vain. Scores come from any attacker who compares
rows, so this serves images against images, and radiographs against reports.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.identity.levels import find_levels
from leadapron.attacks.identity.nearest_strangers import Listed, NearestCounter, listed_of
from leadapron.attacks.identity.retrieval import best_of, chance_first, first_in_gallery
from leadapron.attacks.identity.scores import Scores
from leadapron.attacks.identity.standing import Standing, StandingCounter
from leadapron.attacks.identity.sweep import Field, Segment, sweep
from leadapron.attacks.open_world import FPIR, METRIC, both_ways, identified, is_measured
from leadapron.attacks.open_world_words import AGAINST as PROTOCOL
from leadapron.audits.gathering import Gathering
from leadapron.audits.vouching import off_chance
from leadapron.results import Measured
from leadapron.results.withheld import told
from leadapron.stats import Estimate, Outcome
from leadapron.stats.outcome import Ending

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

IN_CONTROLS = 2000
NULL, PLANTED = "null control (released before)", "planted leak (released before)"
FOUND, NOISE = 0.5, 1e-3


@dataclass(frozen=True)
class Crossing:
    """Patients are numbered alike on both sides, and the rows of one stand together in the gallery."""

    probes: Floats
    gallery: Floats
    probed: Ints
    patient: Ints

    @property
    def mated(self) -> Flags:
        return np.isin(self.probed, self.patient)

    @property
    def asked_in_vain(self) -> Flags:
        """Who has no mate there; where they are too few for a rate, everybody, the own patient taken out."""
        alone = ~self.mated
        return alone if is_measured(int(alone.sum()), 1, 1) else np.ones_like(alone)


ScoresOf = Callable[[Crossing], Scores | None]
"""Scores of probes and gallery, one below the other; None where an attacker lacks what it needs."""


def cross(probes: Floats, gallery: Floats, probed: NDArray[Any], patient: NDArray[Any]) -> Crossing:
    """``probed`` and ``patient`` are names."""
    _, number = np.unique(np.concatenate([probed.astype(str), patient.astype(str)]), return_inverse=True)
    order = np.argsort(number[len(probed) :], kind="stable")
    theirs = number[len(probed) :][order]
    return Crossing(np.ascontiguousarray(probes), np.ascontiguousarray(gallery[order]), number[: len(probed)], theirs)


@dataclass(frozen=True)
class Place:
    """Where the numbers stand: the metric of a closed pool, and coordinates that all of them have."""

    closed: str
    direction: str
    pools: tuple[int, ...]

    def at(self, pool: int) -> dict[str, Any]:
        return {"direction": self.direction, "protocol": PROTOCOL, "pool": pool}


def pools_of(wanted: Sequence[int], crossing: Crossing) -> tuple[int, ...]:
    """Those of the sizes that the gallery has, and the whole."""
    whole = len(crossing.gallery)
    return tuple(sorted({*(pool for pool in wanted if pool < whole), whole}))


def in_both(where: str, crossing: Crossing) -> dict[str, object]:
    """What a page says of the two releases."""
    mated = crossing.mated
    return {
        "releases": where,
        "candidates": len(crossing.gallery),
        "probes_with_mates": told(int(mated.sum())),
        "probes_without": told(int((~mated).sum())),
        "patients_in_both": told(len(np.unique(crossing.probed[mated]))),
        "in_vain": "others" if len(crossing.probed) > int(crossing.asked_in_vain.sum()) else "everybody",
    }


def add_crossing(found: Gathering, attackers: Mapping[str, ScoresOf], crossing: Crossing, place: Place) -> None:
    """For each attacker, at each size of gallery: the right patient first, and in the open world."""
    for name, scores_of in attackers.items():
        with found.stage("released before"):
            scores = scores_of(crossing)
            if scores is None:
                continue
            standing, listed = _swept(scores, crossing)
            best = best_of(standing, listed.field.strangers)
            patient = crossing.probed[best.query]
            score, level = standing.levels.score[standing.best[best.query]], listed.strangers.level[best.query]
            alone = listed.only(crossing.asked_in_vain)
            for pool in place.pools:
                right, guess = first_in_gallery(best, pool), float(chance_first(best, pool).mean())
                at = place.at(pool)
                found.add_of_some(
                    place.closed, found.means(right[:, None], patient)[0], attacker=name, chance=guess, **at
                )
                if is_measured(len(alone.strangers.met), pool, len(crossing.gallery)):
                    alone = alone.for_both(pool)
                    ways = both_ways(alone.strangers, pool, score, level)
                    named = identified(ways, right, patient, partial(_mean, found, patient), guess=guess)
                    found.add_of_some(METRIC, named, attacker=name, chance=FPIR * guess, **at)


def _mean(found: Gathering, patient: Ints, values: NDArray[np.float64]) -> Estimate:
    return found.means(values[:, None], patient)[0]


def _swept(scores: Scores, crossing: Crossing) -> tuple[Standing, Listed]:
    probes, every = len(crossing.probes), len(crossing.probes) + len(crossing.gallery)
    start, stop = (probes + np.searchsorted(crossing.patient, crossing.probed, side) for side in ("left", "right"))
    field = Field([Segment(slice(0, probes), slice(probes, every))], start, stop, mutual=False)
    mates = stop - start
    query = np.repeat(np.arange(probes), mates)
    mate = np.arange(len(query)) - np.repeat(np.cumsum(mates) - mates, mates) + start[query]
    counter = StandingCounter(find_levels(query, scores.of_pairs(query, mate), probes))
    nearest = NearestCounter(probes)
    sweep(scores, field, [counter, nearest])
    whose = np.concatenate([crossing.probed, crossing.patient])
    return counter.result(), listed_of(nearest, scores, field, whose)


def crossing_controls(
    found: Gathering, attackers: Mapping[str, ScoresOf], crossing: Crossing, place: Place, seed: int
) -> list[Outcome]:
    """The same with the gallery dealt to its patients at random, and with mates who were made alike."""
    if not found.estimates:
        return [Outcome(name, "not-run", "fewer than ten of those under attack are there") for name in (NULL, PLANTED)]
    rng = np.random.default_rng(seed)
    some = _some(crossing, rng)
    place = replace(
        place, pools=tuple(pool for pool in place.pools if pool <= len(some.gallery)) or (len(some.gallery),)
    )

    def again(world: Crossing) -> list[Measured]:
        anew = Gathering(found.audit, found.by_patient, found.redraws, found.seed)
        add_crossing(anew, attackers, world, place)
        return anew.estimates

    dealt = again(replace(some, gallery=some.gallery[rng.permutation(len(some.gallery))]))
    off = [row for row in dealt if off_chance(row)]
    wrong = "; ".join(f"{row.metric} {row.value:.4f} among {row.pool:,} by {row.attacker}" for row in off[:3])
    worst = max(dealt, key=lambda row: row.value - row.chance)
    most = f"at most {worst.metric} {worst.value:.4f} (by {worst.attacker}), guessing {worst.chance:.4f}"
    few = any(row.patients is None for row in dealt)
    planted = again(_planted(some, rng))
    shares = {
        one: min(row.value for row in planted if row.attacker == one) for one in [row.attacker for row in planted]
    }
    strongest = max(found.estimates, key=lambda row: (row.metric == place.closed, row.pool, row.value)).attacker
    found_by = ", ".join(f"{name} {share:.3f}" for name, share in shares.items())
    good: Ending = "warn" if few else "pass"
    return [
        Outcome(NULL, "error" if off else good, f"dealt to patients at random, and still: {wrong}" if off else most),
        Outcome(PLANTED, good if shares[strongest] >= FOUND else "error", f"made alike; found by: {found_by}"),
    ]


def _some(crossing: Crossing, rng: np.random.Generator) -> Crossing:
    """Whole patients, about as many rows on either side as a control needs; those in both come first."""
    who = np.unique(np.concatenate([crossing.probed, crossing.patient]))
    both = np.intersect1d(crossing.probed, crossing.patient)
    order = rng.permutation(who)
    order = order[np.argsort(~np.isin(order, rng.permutation(both)[: IN_CONTROLS // 8]), kind="stable")]
    sizes = np.bincount(np.concatenate([crossing.probed, crossing.patient]))[order]
    kept = order[: 2 + int(np.searchsorted(np.cumsum(sizes), 2 * IN_CONTROLS))]
    probes, gallery = np.isin(crossing.probed, kept), np.isin(crossing.patient, kept)
    return Crossing(
        crossing.probes[probes], crossing.gallery[gallery], crossing.probed[probes], crossing.patient[gallery]
    )


def _planted(crossing: Crossing, rng: np.random.Generator) -> Crossing:
    """All rows of a patient who is in both lie at one place of their own, nearly."""
    spread = crossing.gallery.std(axis=0) + 1e-3
    centre = crossing.gallery.mean(axis=0)
    places = centre + spread * rng.normal(
        size=(int(max(crossing.probed.max(), crossing.patient.max())) + 1, len(spread))
    )
    sides = []
    for rows, who in ((crossing.probes, crossing.probed), (crossing.gallery, crossing.patient)):
        both = np.isin(who, crossing.patient) & np.isin(who, crossing.probed)
        moved = places[who] + NOISE * spread * rng.normal(size=rows.shape)
        sides.append(np.where(both[:, None], moved, rows).astype(np.float32))
    return replace(crossing, probes=sides[0], gallery=sides[1])
