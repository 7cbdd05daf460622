"""Linkage where most radiographs have no report among those that the attacker holds, in the same random pools."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.linkage.linkage_gathering import LinkageGathering, where
from leadapron.attacks.linkage.linkage_task import Task
from leadapron.attacks.linkage.random_pools import RandomPools, chance
from leadapron.attacks.linkage.ranks import scores_of
from leadapron.attacks.linkage.strangers_listed import list_strangers, long_for_both
from leadapron.attacks.open_world import FPIR, METRIC, both_ways, identified, is_measured
from leadapron.stats import Estimate


def add_open_world(found: LinkageGathering, name: str, task: Task, chances: RandomPools, pools: list[int]) -> None:
    """How many are named rightly where one in a hundred of those without a match is taken for somebody.

    Who has no match is everybody once more, with all candidates of the own patient taken out.
    """
    measured = [pool for pool in sorted(pools) if is_measured(len(task.truth), pool, task.database.size)]
    if not measured:
        return
    with found.stage("open world"):
        listed = list_strangers(task, chances.ranks)
        database = task.database
        score = scores_of(task.queries, database.texts, database.text_of[task.truth])
        for pool in measured:  # the smallest first: its lists are the longest
            listed = long_for_both(task, listed, pool)
            right, guess = chances.recall(pool), chance(pool, 1)
            ways = both_ways(listed, pool, score, listed.level)
            estimate = identified(ways, right, task.query_patient, partial(_mean, found, task), guess=guess)
            found.add(METRIC, estimate, attacker=name, chance=FPIR * guess, **where(task, pool))


def _mean(found: LinkageGathering, task: Task, named: NDArray[np.float64]) -> Estimate:
    return found.means(named[:, None], task.query_patient)[0]
