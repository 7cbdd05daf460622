"""What the study printed: the table that ships holds it whole, and holds together."""

from __future__ import annotations

import polars as pl
import pytest

from leadapron.cohort import FINDINGS, SPLITS
from leadapron.reproductions.published_figures import CANDIDATES, KEY, published
from leadapron.reproductions.study_config import AWAY, HOME, MODELS, POOLS, UNDEFENDED

PLACES = [*map(str, POOLS), "all"]


def value(*key):
    (found,) = published().filter(**dict(zip(KEY, key, strict=True)))["value"]
    return found


def test_every_number_stands_once():
    assert not published().select(KEY).is_duplicated().any()
    assert published()["value"].null_count() == 0


@pytest.mark.parametrize("site", [HOME, AWAY])
def test_every_model_arm_pool_and_finding_is_there(site):
    for model in MODELS:
        assert [value("1", site, model, "random", pool, "recall@1") > 0 for pool in PLACES] == [True] * 4
        assert value("2", site, model, "matched", "10000", "mrr") > 0
    for arm in ("replication", "entropy", UNDEFENDED):
        assert value("3", site, arm, "matched", "10000", "recall@5") > 0
    for finding in FINDINGS:
        assert all(value("S4", site, split, finding.lower(), "", "prevalence") > 0 for split in SPLITS)


def test_numbers_hold_together():
    """A value lies in its interval, a higher rank is not rarer, and a larger pool is not easier."""
    table = published()
    within = table.drop_nulls("low").filter((pl.col("value") < pl.col("low")) | (pl.col("value") > pl.col("high")))
    assert within.is_empty()
    ranks = table.filter(pl.col("table").is_in(["1", "2", "3"])).pivot("metric", index=KEY[:5], values="value")
    assert (ranks["recall@1"] <= ranks["recall@5"]).all()
    assert (ranks["recall@5"] <= ranks["recall@10"]).all()
    assert ((ranks["mrr"] >= ranks["recall@1"]) & (ranks["mrr"] <= 100)).all()
    random = ranks.filter(setting="random").with_columns(pl.col("pool").replace("all", "99999").cast(pl.Int64))
    for _, own in random.group_by("table", "site", "what"):
        assert own.sort("pool")["recall@1"].is_sorted(descending=True)


def test_parts_are_as_many_as_the_whole():
    for site in (HOME, AWAY):
        for what in ("patients", "radiographs"):
            parts = sum(value("5", site, split, what, "", "") for split in SPLITS)
            assert parts == value("5", site, "all", what, "", ""), (site, what)
    assert value("5", HOME, "test", "radiographs", "", "") == CANDIDATES[HOME]


def test_changes_are_what_lies_between():
    """As printed, to the last digit: the study rounded after it took the difference."""
    rows = published().filter(table="4", what="replication").drop_nulls("change")
    assert len(rows) == 12
    for row in rows.iter_rows(named=True):
        before = value("4", HOME, UNDEFENDED, row["setting"], "", row["metric"])
        assert row["value"] - before == pytest.approx(row["change"], abs=0.0101)


def test_a_few_numbers_as_they_stand_in_the_text():
    assert value("1", HOME, "biovil-t", "random", "100", "recall@1") == 15.440
    assert value("3", HOME, "replication", "random", "10000", "recall@1") == 0.190
    assert value("3", AWAY, "replication", "matched", "10000", "recall@1") == 0.059
    assert value("4", HOME, "replication", "macro average", "", "auroc") == 79.43
