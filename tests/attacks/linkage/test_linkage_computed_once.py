"""What an audit needs in several places is computed once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import polars as pl
import pytest

from leadapron.attacks import unit_rows
from leadapron.attacks.linkage import LinkageConfig, any_report, linkage_audit, nearest
from leadapron.attacks.linkage import random_pools as pools
from leadapron.attacks.linkage.linkage_audit import run_attacks
from leadapron.attacks.linkage.linkage_gathering import METRICS
from leadapron.audits import gathering
from leadapron.engine.remembered import forget
from leadapron.release import Release
from leadapron.results.selection import select

ATTACKERS = ("cosine", "csls")


@pytest.fixture
def release():
    rng = np.random.default_rng(0)
    text = rng.standard_normal((240, 8)).astype(np.float32)
    image = (text + 2 * rng.standard_normal((240, 8))).astype(np.float32)
    records = {
        "record_id": [f"r{row}" for row in range(240)],
        "patient_id": [f"p{row // 3}" for row in range(240)],
        "sex": ["F", "M"] * 120,
    }
    return Release(pl.DataFrame(records), {"image": image, "text": text})


@pytest.fixture
def seen(monkeypatch):
    """What was handed to a function, call by call."""

    def watch(module, name):
        calls, function = [], getattr(module, name)

        def watched(*args, **options):
            calls.append(args)
            return function(*args, **options)

        monkeypatch.setattr(module, name, watched)
        return calls

    return watch


def test_recall_in_a_pool_is_computed_once_for_each_attacker_and_direction(release, seen):
    calls = seen(pools, "recall_in_pool")
    run_attacks(release, LinkageConfig(attackers=ATTACKERS))
    times = Counter((id(ranks), pool, first) for ranks, pool, first in calls)
    assert sum(pool == 100 and first == 1 for _, pool, first in times) == 2 * len(ATTACKERS)
    assert set(times.values()) == {1}


def test_no_column_gets_its_interval_twice(release, seen):
    calls = seen(gathering, "shares")
    run_attacks(release, LinkageConfig(attackers=("cosine",)))
    by_query = [values for values, _ in calls if len(values) == 240]
    # a few who are found for certain, and nobody else, may be the same in the open world of two pools
    columns = Counter(column.tobytes() for values in by_query for column in values.T if len(np.unique(column)) > 2)
    assert len(columns) > 2 * len(METRICS)
    assert set(columns.values()) == {1}


def test_the_reports_of_a_patient_are_ranked_once_for_all_pools(release, seen):
    passes, rivals = seen(linkage_audit, "rank_truth"), seen(any_report, "rank_truth")
    run_attacks(release, LinkageConfig(attackers=ATTACKERS))
    assert (len(passes), len(rivals)) == (2 * len(ATTACKERS), 1)


def test_what_ranking_has_listed_is_not_looked_for_again(release, seen):
    """Hubs of the other direction, and what the matching chooses among."""

    def told(found):
        rows = select(found, direction="report-to-image")
        return [(row.attacker, row.metric, row.pool, row.value) for row in rows if row.attacker != "cosine"]

    forget()
    calls = seen(nearest, "nearest")
    listed = run_attacks(release, LinkageConfig(attackers=("cosine", "csls", "assignment")))
    assert len(calls) == 1  # hubs among the reports, before the reports have asked
    forget()
    alone = run_attacks(release, LinkageConfig(attackers=("csls", "assignment")))
    assert len(calls) == 1 + 4
    assert told(listed) == told(alone)


def test_candidates_that_can_be_held_are_brought_to_length_one_once(release, seen):
    calls = seen(unit_rows, "unit")
    run_attacks(release, LinkageConfig(attackers=("cosine",)))
    assert len(calls) == 4  # queries and candidates, in two directions


def test_a_column_that_is_handed_out_twice_cannot_be_changed(release):
    database = linkage_audit.build_task(release, "image-to-report").database
    ranks = linkage_audit.rank_truth(release.image, database, np.arange(240))
    chances = pools.RandomPools(ranks)
    assert chances.recall(100) is chances.recall(100)
    np.testing.assert_array_equal(chances.recall(100), pools.recall_in_pool(ranks, 100, 1))
    with pytest.raises(ValueError, match="read-only"):
        chances.recall(100)[0] = 1


def test_an_audit_starts_without_the_slowest_library_of_all():
    code = "import sys, leadapron.attacks.linkage, leadapron.attacks.identity; sys.exit('scipy.stats' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
