"""Limits for the open world: what is judged, and what is said where there is no number."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import leadapron as la
from command_line import refusal, run
from leadapron.attacks.open_world_judged import EARLIER, FEW, NO_RANKS, SMALL_POOLS, not_measured
from leadapron.audits import find_audit, find_policy
from leadapron.audits.presets import preset_text
from leadapron.dossier.judged_risks import Status, risks_of
from leadapron.stats import Outcome
from leadapron.trials.scenario import scenario_of
from tiny_results import CONTROLS, GOOD, estimate, inputs_of, write

ALONE = inputs_of(mates=False)
NAMED = ("report-named", "image-named")
BEFORE = "linked-to-released-before"
CLOSED = GOOD[:3]
MISSED = Outcome("open world", "not-run", FEW)


def named(value=0.004, *, detectable=0.008, chance=1e-5, **where):
    return estimate(value, metric="tpir@fpir=0.01", chance=chance, detectable=detectable, **where)


def judged(folder, rows, outcomes=CONTROLS, details=None, **asked):
    results = write(folder, rows, outcomes=outcomes, inputs=ALONE)
    results = results.updated(details={**results.details, **(details or {})})
    return {one.id: one for one in la.gate(results, **asked).judgements}


def test_each_direction_is_judged_by_the_share_of_false_names(tmp_path):
    back = {"direction": "report-to-image"}
    rows = [*CLOSED, named(0.02), named(0.009, low=0.001, high=0.03, **back)]
    found = judged(tmp_path / "a", rows)
    assert [found[name].outcome for name in NAMED] == ["fail", "too-close"]
    assert "Named rightly, open world (tpir@fpir=0.01) is 0.02, at most 0.01 is allowed" in found["report-named"].reason
    found = judged(tmp_path / "b", [*CLOSED, named(0.009), named(0.009, low=0.0, high=0.03, detectable=1.0, **back)])
    assert [found[name].outcome for name in NAMED] == ["pass", "incomplete"]
    assert "audit more patients" in found["image-named"].reason


def test_a_limit_for_all_attackers_holds_in_a_small_pool_too(tmp_path):
    """Ten times chance is 3 % among 328; a name is wrong as often as right from 1 % on, whatever the pool."""
    rows = [estimate(pool=328), *(named(0.02, pool=328, direction=way, attacker=who)
                      for way in ("image-to-report", "report-to-image") for who in ("cosine", "csls"))]  # fmt: skip
    found = judged(tmp_path / "a", rows)
    assert [found[name].outcome for name in NAMED] == ["fail", "fail"]


@pytest.mark.parametrize(("check", "said"), [([], EARLIER), ([MISSED], FEW)])
def test_what_was_not_measured_is_incomplete_and_says_why(tmp_path, check, said):
    """Results of before it was measured, or too few who were looked for: neither is a pass."""
    rows = [*CLOSED]
    found = judged(tmp_path / "a", rows, [*CONTROLS, *check])
    assert {(found[name].outcome, found[name].reason) for name in NAMED} == {("incomplete", said)}
    assert la.gate(write(tmp_path / "b", rows, inputs=ALONE)).exit_code == 3


def test_another_pool_is_named_as_for_other_numbers(tmp_path):
    rows = [*CLOSED, named(0.004, pool=100), named(0.004, direction="report-to-image")]
    found = judged(tmp_path / "a", rows)
    assert found["report-named"].outcome == "incomplete"
    assert "audit with --pool 1000" in found["report-named"].reason


def test_what_was_released_before_is_judged_where_it_was_given(tmp_path):
    there = {"protocol": "against", "pool": 1000}
    given = {"against": {"releases": "old"}}
    found = judged(tmp_path / "a", GOOD)
    assert found[BEFORE].outcome == "not-applicable"
    assert "(--against)" in found[BEFORE].reason
    found = judged(tmp_path / "b", GOOD, details=given)
    assert (found[BEFORE].outcome, "200 in all" in found[BEFORE].reason) == ("incomplete", True)
    for way in ("image-to-report", "report-to-image"):
        rows = [*GOOD, named(0.02, direction=way, **there)]
        found = judged(tmp_path / way, rows, details=given)
        assert (found[BEFORE].outcome, found[BEFORE].at["direction"]) == ("fail", way)
        assert "released before" in found[BEFORE].reason
    found = judged(tmp_path / "c", [*GOOD, named(0.002, **there)], details=given)
    assert found[BEFORE].outcome == "pass"


def test_wp29_asks_that_the_open_world_was_examined(tmp_path):
    asked = {"policy": "wp29"}
    assert judged(tmp_path / "a", GOOD, **asked)["wp29-linkability"].outcome == "examined"
    found = judged(tmp_path / "b", CLOSED, [*CONTROLS, MISSED], **asked)["wp29-linkability"]
    assert (found.outcome, found.reason) == ("incomplete", f"linkage: {FEW}")
    whole = write(tmp_path / "c", GOOD, inputs=ALONE)
    part = write(tmp_path / "d", CLOSED, inputs=ALONE)
    both = {one.id: one for one in la.gate(part, whole, **asked).judgements}
    assert both["wp29-linkability"].outcome == "examined"


def test_a_criterion_for_a_metric_that_none_of_its_audits_has(tmp_path):
    text = preset_text("wp29")
    assert "Where they measure tpir@fpir," in run("policy", "check", "wp29").out
    (tmp_path / "bad.toml").write_text(text.replace('tpir@fpir"', 'tpir@fpr"'))
    said = refusal("policy", "check", tmp_path / "bad.toml")
    assert "none of the audits has this metric; got 'tpir@fpr'" in said
    assert "did you mean 'tpir@fpir'?" in said


def test_the_audit_says_that_and_why_it_was_not_measured():
    both = ("image-to-report", "report-to-image")
    there = [named(direction=way) for way in both]
    few, many = estimate(n=150), estimate(n=250)
    assert not_measured(there, both) == []
    assert not_measured([*there[:1], estimate(n=150, direction=both[1])], both) == [MISSED]
    assert not_measured([few], both[:1]) == [MISSED]
    assert not_measured([many], both[:1])[0].reason == SMALL_POOLS
    assert not_measured([], both)[0].reason == NO_RANKS


def test_page_1_names_what_was_not_measured_beside_what_was(tmp_path):
    results = write(tmp_path / "a", CLOSED, outcomes=[*CONTROLS, MISSED], inputs=ALONE)
    audit = find_audit("linkage")
    scenario = scenario_of(audit, lambda *_: "")
    trial = SimpleNamespace(results={"linkage": results}, absent={})
    risks = {risk.entry: risk for risk in risks_of(trial, [scenario], find_policy("starting-point"))}
    assert BEFORE not in risks
    assert {risks[name].status for name in NAMED} == {Status.UNKNOWN}
    assert {risks[name].of for name in NAMED} == {"naming where most have no match"}
    assert FEW in risks["report-named"].reason
    assert risks["image-to-report"].status is Status.UNDER
