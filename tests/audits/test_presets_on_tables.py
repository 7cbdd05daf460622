"""Presets for tables judge a real table: one that singles out everybody, and the same in groups."""

from __future__ import annotations

import pytest

import leadapron as la

PRESETS = ("small-cells-5", "small-cells-11", "small-cells-20", "ema-0070", "ipc-2025-low", "ipc-2025-medium")


@pytest.fixture(scope="module")
def release():
    return la.phantom(60, seed=1)


def met(results):
    return {name for name in PRESETS if la.gate(results, policy=name).exit_code == 0}


def test_a_table_in_which_everybody_stands_alone_keeps_no_limit(release):
    assert met(la.audit(release, "table")) == set()


def test_a_table_in_groups_of_eleven_keeps_the_limits_that_mean_eleven(release):
    """One in 11 is 0.0909, and is what 0.09 is told to mean."""
    coarse = la.audit(la.defend(release, "table", k=11), "table")
    smallest = max(row.value for row in coarse.estimates if row.metric == "risk-max")
    assert 11 <= round(1 / smallest) < 15
    assert met(coarse) == {"small-cells-5", "small-cells-11", "ema-0070", "ipc-2025-low"}


def test_a_cell_size_that_a_policy_judges_is_counted_where_the_audit_would_not(release, tmp_path):
    text = """
format = 2
title = "ours"
[[require]]
id = "seventeen"
attack = "table"
metric = "small-cells@k=17"
at_most = 1
why = "w"
source = "s"
"""
    (tmp_path / "ours.toml").write_text(text)
    assert la.gate(la.audit(release, "table"), policy=tmp_path / "ours.toml").exit_code == 3
    asked = la.audit(release, "table", policy=tmp_path / "ours.toml")
    assert {17, 11} <= {int(row.metric.split("=")[1]) for row in asked.estimates if "@k=" in row.metric}
    assert la.gate(asked, policy=tmp_path / "ours.toml").exit_code == 0
