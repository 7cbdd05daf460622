"""The frontier: how much linkage each defence leaves, how much use it leaves, and which ones nothing else beats.

Linkage is read off the attacker that does best against that very release, who knows pairs of other patients that were
defended in the same way. What counts is the excess over guessing: guessing is not the release's doing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from leadapron.compare.excess import Share, excess_cut
from leadapron.compare.exposure import Exposure, exposure_of
from leadapron.compare.pairing import Pairs, pair_records
from leadapron.compare.recognition import Recognition, recognition_of
from leadapron.compare.rows import estimate_of, row_of
from leadapron.compare.trial import Trial
from leadapron.defences.heads.bounds import SLACK, gaussian_bound
from leadapron.errors import DataError
from leadapron.report import Results
from leadapron.report.basis import is_verified
from leadapron.stats import Estimate, share_differences
from leadapron.utility import UtilityChange, compare_utility

DIRECTION = "image-to-report"


@dataclass(frozen=True)
class Gap:
    """Linkage of training pairs beside that of held-out pairs, by the published attacker.

    ``bound`` is the most that the guarantee allows for training pairs; None where there is none. For held-out pairs
    there is never one.
    """

    train: Estimate
    test: Estimate
    difference: float
    low: float
    high: float
    bound: float | None


@dataclass(frozen=True)
class Point:
    """A release on the frontier's plane.

    ``cut`` is the share of the excess over guessing that the defence takes; None where the undefended release is not
    shown to have any.
    """

    name: str
    role: str
    of: str | None
    method: str | None
    strength: float | None
    guarantee: dict[str, Any]
    attacker: str
    linkage: Estimate
    by_words: Estimate
    auroc: Estimate
    cut: Share | None
    cut_by_words: Share | None
    linkage_p: float
    kept: Share
    auroc_p: float
    uses: tuple[UtilityChange, ...]
    gap: Gap
    recognition: Recognition | None
    exposure: Exposure | None
    on_front: bool
    verified: bool
    errors: tuple[str, ...]


@dataclass(frozen=True)
class Frontier:
    pool: int
    chance: float
    seed: int
    points: tuple[Point, ...]


def build_frontier(trials: list[Trial], *, seed: int = 0) -> Frontier:
    """The first trial is the release before; every other is measured against it, record by record."""
    before = trials[0]
    spots = {trial.linkage.content["headline"]["pool"] for trial in trials}
    if len(spots) > 1:
        raise DataError("the trials were judged in pools of different sizes", got=", ".join(map(str, sorted(spots))))
    pool = int(spots.pop())
    chance = 1 / pool
    places = [(_headline(trial.linkage).value, _auroc(trial).value) for trial in trials]
    points = [
        _point(before, trial, chance, on_front=_unbeaten(places, at), seed=seed) for at, trial in enumerate(trials)
    ]
    return Frontier(pool, chance, seed, tuple(points))


def _unbeaten(places: list[tuple[float, float]], at: int) -> bool:
    """No other release has at most its linkage and at least its use, and is better in one of them."""
    mine = places[at]
    return not any(link <= mine[0] and use >= mine[1] and (link, use) != mine for link, use in places)


def _point(before: Trial, trial: Trial, chance: float, *, on_front: bool, seed: int) -> Point:
    pairs = _pairs(before.linkage, trial.linkage)
    changes = compare_utility(before.utility, trial.utility)
    macro = next(change for change in changes if (change.metric, change.label) == ("auroc", None))
    defence = trial.defence
    return Point(
        name=trial.entrant.name,
        role=trial.entrant.role,
        of=trial.entrant.of,
        method=defence.get("method"),
        strength=defence.get("strength"),
        guarantee=dict(defence.get("guarantee") or {}),
        attacker=trial.linkage.content["headline"]["attacker"],
        linkage=_headline(trial.linkage),
        by_words=_headline(trial.by_words),
        auroc=_auroc(trial),
        cut=excess_cut(pairs, chance),
        cut_by_words=excess_cut(_pairs(before.by_words, trial.by_words), chance),
        linkage_p=share_differences(pairs.before[:, None], pairs.after[:, None], pairs.patients, seed=seed)[0].p,
        kept=Share(macro.after / macro.before, 1 + macro.low / macro.before, 1 + macro.high / macro.before),
        auroc_p=macro.p,
        uses=tuple(change for change in changes if change.label is None),
        gap=_gap(trial),
        recognition=recognition_of(before.identity, trial.identity),
        exposure=exposure_of(before.membership, trial.membership, seed),
        on_front=on_front,
        verified=is_verified(trial.linkage),
        errors=trial.errors,
    )


def _pairs(before: Results, after: Results) -> Pairs:
    return next(pair for pair in pair_records(before, after) if pair.direction == DIRECTION)


def _gap(trial: Trial) -> Gap:
    train = estimate_of(trial.training)
    row = _row(trial.linkage, trial.training["attacker"], trial.training["pool"])
    test = estimate_of(row)
    difference = train.value - test.value
    error = 1.96 * math.hypot(train.sd, test.sd)  # other patients: the two are independent
    guarantee = trial.defence.get("guarantee") or {}
    return Gap(train, test, difference, difference - error, difference + error, _bound(guarantee, test.value))


def _bound(guarantee: Mapping[str, Any], left_out: float) -> float | None:
    """The most that a guarantee allows for pairs that were trained on, the tighter of its two forms."""
    if guarantee.get("epsilon") is None:
        return None
    by_epsilon = min(1.0, math.exp(float(guarantee["epsilon"])) * left_out + float(guarantee["delta"]))
    mu = guarantee["details"].get("mu")
    return by_epsilon if mu is None else min(by_epsilon, gaussian_bound(left_out, mu) + SLACK)


def _headline(audit: Results) -> Estimate:
    spot = audit.content["headline"]
    return estimate_of(_row(audit, spot["attacker"], spot["pool"]))


def _row(audit: Results, attacker: str, pool: int) -> dict[str, Any]:
    return row_of(audit, direction=DIRECTION, protocol="random", pool=pool, metric="recall@1", attacker=attacker)


def _auroc(trial: Trial) -> Estimate:
    row = next(row for row in trial.utility.estimates if (row.metric, row.label) == ("auroc", None))
    return Estimate(row.value, row.low, row.high, row.sd, row.n)
