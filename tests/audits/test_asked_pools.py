"""The pools that a policy judges are those that audits and trials measure, as far as a release can fill them."""

from __future__ import annotations

import json

import numpy as np
import pytest

import leadapron as la
from command_line import refusal, run
from leadapron.audits import AuditConfig, Policy, default_policy, find_audit, find_policy
from leadapron.audits.presets import asked_by
from leadapron.audits.run_audit import takes_policies
from tiny_results import TABLE, require

POLICY = """
format = 2
title = "ours"
[[require]]
id = "small"
attack = "linkage"
metric = "recall@1"
direction = "image-to-report"
protocol = "random"
pool = 70
at_most_enrichment = 50
why = "w"
source = "s"
[[require]]
id = "patients"
attack = "linkage"
metric = "patient-linked"
direction = "image-to-report"
pool = 500
at_most_enrichment = 50
why = "w"
source = "s"
[[require]]
id = "alike"
attack = "linkage"
metric = "recall@1"
protocol = "hard"
pool = 40
at_most = 1
why = "w"
source = "s"
[[require]]
id = "whole"
attack = "identity"
metric = "precision@1"
pool = "largest"
at_most = 1
why = "w"
source = "s"
"""


@pytest.fixture(scope="module")
def release():
    rng = np.random.default_rng(3)
    image = rng.normal(size=(300, 12))
    text = image + 3.0 * rng.normal(size=image.shape)
    return la.Release.of(image=image, text=text, patient=np.arange(300) // 2)


@pytest.fixture
def ours(tmp_path):
    (tmp_path / "ours.toml").write_text(POLICY)
    return tmp_path / "ours.toml"


def test_a_policy_knows_what_it_needs_of_each_audit(ours):
    policy = find_policy(ours)
    assert policy.asked(find_audit("linkage")) == {"judged_pools": (70, 500)}
    assert policy.asked(find_audit("identity")) == policy.asked(find_audit("membership")) == {}
    assert asked_by([ours]) == {"linkage": {"judged_pools": (70, 500)}}
    asked = asked_by()
    assert asked == asked_by(["starting-point"])
    assert asked["linkage"] == asked["identity"] == {"judged_pools": (1000,)}
    assert asked["image-identity"] == {"judged_pools": (50,)}


def test_every_pool_of_the_starting_point_can_be_asked_for():
    for entry in default_policy().requirements:
        if "pool" in entry.select:
            assert takes_policies(find_audit(entry.attack)), entry.id


@pytest.mark.parametrize(
    ("metric", "asked"), [("small-cells@k=15", {"k": (15,)}), ("small-cells@fpr=0.1", {}), ("k=15", {})]
)
def test_the_parameter_of_a_metric_is_asked_for_where_it_is_an_option(metric, asked):
    class Cells(AuditConfig):
        k: tuple[int, ...] = (5,)

    policy = Policy("ours", (require(attack="table", metric=metric),))
    assert policy.asked(type(TABLE)(**{**vars(TABLE), "config": Cells})) == asked


def test_an_audit_measures_what_a_policy_judges_as_far_as_the_release_goes(release, ours):
    without = la.audit(release, "linkage", attackers=("cosine",))
    assert {one.outcome for one in la.gate(without, policy=ours).judgements[:1]} == {"incomplete"}
    asked = la.audit(release, "linkage", attackers=("cosine",), policy=ours)
    assert {row.pool for row in asked.estimates if row.metric == "recall@1"} >= {70, 100, 300}
    assert asked.headline.pool == 300  # there are no 500
    small, patients, *_ = la.gate(asked, policy=ours).judgements
    assert (small.outcome, small.at["pool"]) == ("pass", 70)
    assert (patients.outcome, patients.at["pool"]) == ("pass", 300)
    assert "there are no 500 candidates" in patients.reason
    assert small.limit == pytest.approx(50 / 70)
    (linked,) = (row for row in asked.estimates if row.metric == "patient-linked")
    assert patients.limit == pytest.approx(50 * linked.chance)


def test_a_multiple_of_chance_means_the_same_in_every_pool(release):
    """Against chance the limit is one number; as a share it grows as the pool shrinks."""
    found = la.audit(release, "linkage", attackers=("cosine",), pools=(50, 100))
    (entry,) = (one for one in default_policy().requirements if one.id == "image-to-report")
    limits = {row.pool: entry.limit_at(row.chance) for row in found.estimates if row.metric == "recall@1"}
    assert limits[300] * 300 == pytest.approx(entry.limits["at_most_enrichment"])
    assert limits[100] == pytest.approx(entry.limits["at_most"]) == limits[50]  # the ceiling is the stricter one


def test_a_trial_measures_what_its_policy_judges(release, ours, tmp_path):
    """The starting point judges pools of 1,000, a trial measured 100, and the gate said that nothing was measured."""
    defended = la.defend(release, "noise", length=8.0, seed=1)
    la.trial(release, defended, out=tmp_path / "trial", attackers=("cosine",))
    verdict = la.gate(tmp_path / "trial")
    assert (verdict.release, len(verdict.earlier)) == ("noise-8", 1)
    found = {one.id: one for one in verdict.judgements}
    test = la.read_results(tmp_path / "trial" / "noise-8" / "linkage")
    whole = test.counts["reports"]
    assert test.headline.pool == whole < 1000
    for name in ("image-to-report", "report-to-image", "patient-linked"):
        assert found[name].at["pool"] == whole
        assert found[name].outcome != "incomplete" or "there are no 1,000 candidates" in found[name].reason
    la.trial(release, defended, out=tmp_path / "own", attackers=("cosine",), policy=ours)
    pools = {row.pool for row in la.read_results(tmp_path / "own" / "noise-8" / "linkage").estimates}
    assert {min(70, whole), whole} <= pools


def test_the_command_takes_policies_where_they_can_ask_for_something(release, ours, tmp_path):
    la.write_release(release, tmp_path / "release")
    done = run(
        "audit", "linkage", tmp_path / "release", "--attacker", "cosine", "--policy", ours, "--out", tmp_path / "a"
    )
    assert done.code == 0, done.err
    assert json.loads((tmp_path / "a" / "results.json").read_text())["config"]["judged_pools"] == [70, 500]
    assert run("gate", tmp_path / "a", "--policy", "starting-point").code in (1, 3)
    assert "--policy" not in run("audit", "parrot", "--help").out
    arguments = ("audit", "linkage", tmp_path / "release", "--out", tmp_path / "b")
    assert "did you mean 'wp29'?" in refusal(*arguments, "--policy", "wp-29")
