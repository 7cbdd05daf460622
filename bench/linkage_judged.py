"""What benches of linkage ask of a release: the published attack, the strongest ones, and what it is still good for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from leadapron.attacks.linkage.knowledge import Knowledge
from leadapron.attacks.linkage.known_words import with_words
from leadapron.attacks.linkage.linkage_task import DIRECTIONS, Task, build_task
from leadapron.attacks.linkage.linkers import attacker
from leadapron.attacks.linkage.matched_pools import hard_pool_metrics, tier_sizes
from leadapron.attacks.linkage.random_pools import RandomPools, reciprocal_rank_in_pool
from leadapron.attacks.linkage.ranks import rank_truth
from leadapron.release import Release
from leadapron.results import Findings
from leadapron.stats import best_of, shares
from leadapron.uses import measure_utility
from leadapron.uses.utility_pairing import paired_use

FORWARD = DIRECTIONS[0]
METRICS = ("recall@1", "recall@5", "recall@10", "mrr")
QUICK, STRONGEST = ("csls", "realigned"), "composed"
Found = dict[str, Any]


def told(estimate: Any) -> dict[str, float]:  # noqa: ANN401
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def by_cosine(release: Release, pools: tuple[int, ...], matched: int) -> Found:
    """The published attack: random pools of every size and all, and a matched one."""
    task = build_task(release, FORWARD)
    ranks = rank_truth(task.queries, task.database, task.truth, task.query_codes)
    chances, found = RandomPools(ranks), {}
    for pool in (*(pool for pool in pools if pool < task.database.size), task.database.size):
        columns = [chances.recall(pool, first) for first in (1, 5, 10)] + [reciprocal_rank_in_pool(ranks, pool)]
        found[f"random-{pool}"] = columns
    hard = hard_pool_metrics(ranks, tier_sizes(task.query_codes, task.candidate_codes), matched, (1, 5, 10))
    found[f"matched-{matched}"] = list(hard.T)
    return {
        pool: dict(zip(METRICS, map(told, shares(np.stack(columns, axis=1), task.query_patient)), strict=True))
        for pool, columns in found.items()
    }


def by_vectors(release: Release, names: tuple[str, ...], pools: tuple[int, ...], seed: int) -> Found:
    """The strongest of these attackers, who know the training pairs as they were released."""
    sides = (build_task(release.of_split(name), FORWARD) for name in ("test", "train"))
    return _strongest(*sides, names, pools, seed)


def by_words(release: Release, before: Release, pools: tuple[int, ...], seed: int) -> Found:
    """The same who hold the reports' words and the encoder: images as released, reports as they were and more."""
    mixed = replace(before, arrays={**before.arrays, "image": release.arrays["image"]}, heads={}, prompts={})
    sides = (build_task(with_words(mixed.of_split(name)), FORWARD, one_space=False) for name in ("test", "train"))
    return _strongest(*sides, (STRONGEST,), pools, seed)


def _strongest(task: Task, known: Task, names: tuple[str, ...], pools: tuple[int, ...], seed: int) -> Found:
    """In every pool, with room for the choice."""
    knowledge, chances = Knowledge(seed=seed, pairs=known), []
    for name in names:
        attacked = attacker(name)(task, knowledge)
        chances.append(RandomPools(rank_truth(attacked.queries, attacked.database, attacked.truth)))
    found = {}
    for pool in pools:
        best = best_of(np.stack([one.recall(pool) for one in chances], axis=1), task.query_patient)
        found[f"random-{pool}"] = {"attacker": names[best.rival], **told(best.estimate)}
    return found


def use(release: Release, before: Findings) -> list[Found]:
    """AUROC and the rest, by finding, each beside what it was, paired."""
    found, said = measure_utility(release), []
    for row in found.estimates:
        paired = paired_use(before, found, row)
        entry = {"metric": row.metric, "label": row.at.get("label"), **told(row)}
        if paired is not None:
            entry |= {"before": paired.before, "difference": paired.difference, "apart": [paired.low, paired.high]}
            entry |= {"p": paired.p}
        said.append(entry)
    return said
