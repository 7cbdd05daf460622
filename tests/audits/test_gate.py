"""The gate: one rule for all measures, every outcome with its exit code, which of them wins, and who is judged."""

from __future__ import annotations

import json
from dataclasses import replace
from xml.etree import ElementTree as ET

import pytest

from command_line import everything_in, refusal, run
from leadapron.audits import Policy, default_policy_text, judge
from leadapron.audits.policy import Control
from leadapron.stats import Outcome
from tiny_results import CONTROLS, GOOD, NULL, PLANTED, estimate, inputs_of, require, write


@pytest.fixture
def gate(tmp_path):
    """The verdict on estimates: against one or more requirements, with or without controls."""

    def judged(estimates, *requirements, controls=(), outcomes=(), attack="linkage"):
        folder = tmp_path / f"audit{len(list(tmp_path.iterdir()))}"
        results = write(folder, estimates, outcomes=outcomes, attack=attack)
        named = tuple(Control(check, "w", "s") for check in controls)
        return judge([results], Policy("ours", requirements, named))

    return judged


def outcomes(verdict):
    return [judgement.outcome for judgement in verdict.judgements]


# The rule


@pytest.mark.parametrize(
    ("low", "high", "detectable", "outcome", "code"),
    [
        (0.011, 0.030, None, "fail", 1),
        (0.011, 0.030, 0.005, "fail", 1),
        (0.000, 0.009, None, "pass", 0),
        (0.000, 0.010, 0.020, "pass", 0),  # however little it could have seen, the limit is kept
        (0.001, 0.030, 0.020, "incomplete", 3),  # it could not have seen so small a leak
        (0.001, 0.030, None, "incomplete", 3),
        (0.001, 0.030, 0.010, "too-close", 1),
        (0.010, 0.030, 0.005, "too-close", 1),
    ],
)
def test_the_ends_of_the_interval_and_what_could_have_been_seen_decide(gate, low, high, detectable, outcome, code):
    verdict = gate([estimate(0.01 if high > 0.01 > low else low, low=low, high=high, detectable=detectable)], require())
    assert (verdict.outcome, verdict.exit_code) == (outcome, code)


@pytest.mark.parametrize(
    ("low", "high", "detectable", "outcome"),
    [
        (0.10, 0.20, None, "fail"),
        (0.41, 0.50, None, "pass"),
        (0.35, 0.45, 0.30, "incomplete"),
        (0.35, 0.45, 0.45, "too-close"),
    ],
)
def test_an_equal_error_rate_is_the_worse_the_lower_it_is(gate, low, high, detectable, outcome):
    """The largest was judged, against a limit from above: the safest attacker, and the wrong way round."""
    place = {"metric": "eer", "chance": 0.5, "direction": "image-to-image", "protocol": "all-pairs"}
    weak = estimate(0.49, low=0.48, high=0.5, attacker="learned", **place)
    strong = estimate((low + high) / 2, low=low, high=high, detectable=detectable, **place)
    for order in ([weak, strong], [strong, weak]):
        limit = require(0.4, kind="at_least", attack="identity", metric="eer")
        (judgement,) = gate(order, limit, attack="identity").judgements
        assert judgement.outcome == outcome
        assert "at least 0.4 is allowed" in judgement.reason
        assert judgement.attacker == "cosine"


@pytest.mark.parametrize(("limit", "outcome"), [(20, "pass"), (19.9, "incomplete"), (1.9, "fail")])
def test_a_multiple_of_chance_is_judged_by_the_same_rule(gate, limit, outcome):
    row = estimate(0.004, low=0.002, high=0.02, detectable=0.03)
    (judgement,) = gate([row], require(limit, kind="at_most_enrichment")).judgements
    assert (judgement.outcome, judgement.limit) == (outcome, pytest.approx(limit / 1000))
    assert f"{limit:g} times chance" in judgement.reason


def test_of_two_limits_the_stricter_one_holds(gate):
    both = require(limits={"at_most": 0.09, "at_most_enrichment": 10})
    for chance, limit in ((0.001, 0.01), (0.05, 0.09)):
        (judgement,) = gate([estimate(chance, chance=chance)], both).judgements
        assert (judgement.outcome, judgement.limit) == ("pass", pytest.approx(limit))


def test_a_multiple_that_nothing_could_exceed_lets_nothing_pass(gate):
    """In a pool of ten, everybody found is ten times chance: 100 % linkage kept a limit of ten."""
    (judgement,) = gate([estimate(1.0, pool=10, chance=0.1)], require(10, kind="at_most_enrichment")).judgements
    assert judgement.outcome == "incomplete"
    assert "nothing could break this limit" in judgement.reason


# Exit codes and precedence

PASS, FAIL, ABSENT = require(0.01), require(0.001), require(metric="mrr")
CLOSE = require(0.004, attacker="close")


@pytest.mark.parametrize(
    ("requirements", "outcome", "code"),
    [
        ([PASS], "pass", 0),
        ([FAIL], "fail", 1),
        ([ABSENT], "incomplete", 3),
        ([CLOSE], "too-close", 1),
        ([PASS, ABSENT], "incomplete", 3),
        ([ABSENT, CLOSE], "too-close", 1),
        ([CLOSE, FAIL], "fail", 1),
        ([PASS, ABSENT, FAIL], "fail", 1),
    ],
)
def test_the_worst_outcome_decides_and_a_known_breach_is_the_worst(gate, requirements, outcome, code):
    rows = [estimate(0.004), estimate(0.004, low=0.003, high=0.005, detectable=0.002, attacker="close")]
    verdict = gate(rows, *requirements)
    assert (verdict.outcome, verdict.exit_code) == (outcome, code)


@pytest.mark.parametrize(
    ("check", "outcome", "code"),
    [
        ("pass", "pass", 0),
        ("warn", "warn", 0),
        ("fail", "error", 3),
        ("error", "error", 3),
        ("not-run", "incomplete", 3),
    ],
)
def test_a_control_that_did_not_pass_makes_the_audit_incomplete(gate, check, outcome, code):
    verdict = gate([estimate()], PASS, controls=[NULL], outcomes=[Outcome(NULL, check, "as it was", ("cosine",))])
    assert (verdict.outcome, verdict.exit_code) == (outcome, code)
    assert verdict.judgements[1].reason == "as it was"


def test_a_control_that_the_results_lack_was_not_run(gate):
    verdict = gate([estimate()], PASS, controls=["planted leek"], outcomes=CONTROLS)
    assert (outcomes(verdict), verdict.exit_code) == (["pass", "incomplete"], 3)


def test_of_a_control_that_ran_twice_the_worse_counts(gate):
    twice = [Outcome(NULL, "pass", "well"), Outcome(NULL, "error", "ill"), Outcome(NULL, "pass", "well")]
    verdict = gate([estimate()], PASS, controls=[NULL], outcomes=twice)
    assert (verdict.judgements[1].outcome, verdict.judgements[1].reason) == ("error", "ill")


@pytest.mark.parametrize(("check", "code"), [("fail", 3), ("error", 3), ("not-run", 0), ("warn", 0), ("pass", 0)])
def test_a_check_that_went_wrong_counts_even_where_the_policy_does_not_name_it(gate, check, code):
    assert gate([estimate()], PASS, outcomes=[Outcome("another", check, "so")]).exit_code == code


def test_a_breach_is_a_breach_even_where_a_control_went_wrong(gate):
    ill = [Outcome(NULL, "error", "so", ("cosine",))]
    assert gate([estimate()], FAIL, controls=[NULL], outcomes=ill).exit_code == 1


# Whom the controls cover

BY_COSINE = (Outcome(NULL, "pass", "well", ("cosine",)), Outcome(PLANTED, "pass", "well", ("cosine", "csls")))


@pytest.mark.parametrize(
    ("cosine", "csls", "outcome", "attacker"),
    [
        (0.004, 0.002, "pass", "cosine"),
        (0.004, 0.006, "incomplete", "csls"),  # within the limit, but nobody vouches for the one who decides
        (0.004, 0.300, "incomplete", "csls"),  # the leak may be in the attacker
        (0.200, 0.300, "fail", "cosine"),  # a covered attacker breaks the limit, too
    ],
)
def test_a_judgement_stands_on_attackers_whom_every_control_covers(gate, cosine, csls, outcome, attacker):
    """A control was asked for and passed, whichever attacker it had tested."""
    rows = [estimate(cosine), estimate(csls, attacker="csls")]
    judgement = gate(rows, PASS, controls=[NULL, PLANTED], outcomes=BY_COSINE).judgements[0]
    assert (judgement.outcome, judgement.attacker) == (outcome, attacker)
    if outcome == "incomplete":
        assert f"the control “{NULL}” does not cover this attacker" in judgement.reason


def test_a_control_that_names_nobody_covers_nobody(gate):
    verdict = gate([estimate()], PASS, controls=[NULL], outcomes=[Outcome(NULL, "pass", "well")])
    assert outcomes(verdict) == ["incomplete", "pass"]


# Which estimates are judged


def test_the_strongest_attacker_is_judged_and_those_tried_are_named(gate):
    rows = [estimate(0.02, attacker="csls"), estimate(0.005), estimate(0.5, pool=100)]
    for select in ({"attacker": "strongest"}, {}):
        (judgement,) = gate(rows, require(pool=1000, **select)).judgements
        assert (judgement.value, judgement.outcome, judgement.at["pool"]) == (0.02, "fail", 1000)
        assert "attacker csls, tried: cosine, csls" in judgement.reason
    assert gate(rows, require(pool=1000, attacker="cosine")).outcome == "pass"


@pytest.mark.parametrize("pool", [1000, "largest"])
def test_the_largest_pool_up_to_the_policys_is_judged_and_named(gate, pool):
    """A pool of 1,000 was not judged at all in a release of 388; and who learns from pairs has fewer candidates."""
    rows = [
        estimate(0.5, pool=100),
        estimate(0.001, pool=388),
        estimate(0.4, pool=100, attacker="realigned"),
        estimate(0.3, pool=384, attacker="realigned"),
    ]
    (judgement,) = gate(rows, require(pool=pool, attacker="strongest")).judgements
    assert (judgement.value, judgement.at["pool"], judgement.outcome) == (0.3, 384, "fail")
    assert "among 384 at random" in judgement.reason
    assert gate(rows, require(pool=pool, attacker="cosine")).outcome == "pass"


@pytest.mark.parametrize("pools", [(100, 5000), (2000, 5000), (5000,)])
def test_a_pool_that_was_left_out_though_there_are_candidates_is_missed(gate, pools):
    """Against chance, an attack looks weaker in a small pool: choosing one must be no way through."""
    verdict = gate([estimate(0.001, pool=pool) for pool in pools], require(pool=1000))
    assert outcomes(verdict) == ["incomplete"]
    assert "the one to judge is of 1,000: audit with --pool 1000" in verdict.judgements[0].reason


def test_a_number_of_patients_is_judged_in_the_same_pool_as_the_others(gate):
    rows = [estimate(0.001, pool=100), estimate(0.001, pool=450), estimate(0.001, metric="patient-linked", pool=100)]
    verdict = gate(rows, require(metric="patient-linked", pool=1000))
    assert outcomes(verdict) == ["incomplete"]
    assert "audit with --pool 450" in verdict.judgements[0].reason


def test_groups_are_judged_only_when_asked_for(gate):
    rows = [estimate(0.004), estimate(0.03, group="sex=F", n=900), estimate(0.002, group="sex=M", n=1100)]
    assert gate(rows, require()).outcome == "pass"
    assert gate(rows, require(group="sex=M")).outcome == "pass"
    (judgement,) = gate(rows, require(group="any")).judgements
    assert judgement.outcome == "fail"
    assert "sex=F" in judgement.reason
    assert gate(rows[:1], require(group="any")).outcome == "incomplete"


def test_the_size_of_a_small_group_is_not_told(gate):
    (judgement,) = gate([estimate(), estimate(0.5, group="age=90-99", n=3)], require(group="any")).judgements
    assert "n below 10" in judgement.reason


@pytest.mark.parametrize(
    ("select", "reason"),
    [
        ({"metric": "recal@1"}, "did you mean 'recall@1'?"),
        ({"attacker": "cosin"}, "did you mean 'cosine'?"),
        ({"direction": "report-to-image"}, "no estimate with direction 'report-to-image'"),
        ({"protocol": "hard"}, "no estimate with protocol 'hard'; there are: random"),
        ({"group": "sex=F"}, "no estimate with group 'sex=F'; there are: everybody"),
    ],
)
def test_what_nobody_measured_is_incomplete_and_the_reason_says_what_is_there(gate, select, reason):
    verdict = gate([estimate(), estimate(pool=100)], require(1.0, **select))
    assert (outcomes(verdict), verdict.exit_code) == (["incomplete"], 3)
    assert reason in verdict.judgements[0].reason
    assert verdict.judgements[0].value is None


def test_an_attack_that_was_not_run_is_incomplete_and_so_is_one_without_a_limit(gate):
    first, second = gate([estimate()], require(1.0, attack="membership")).judgements
    assert (first.outcome, second.outcome) == ("incomplete", "incomplete")
    assert "This was not measured: run `leadapron audit membership`" in first.reason
    assert second.id == "limit of linkage"
    assert "no policy that was given has a limit for it" in second.reason


def test_results_without_any_estimate_are_incomplete(tmp_path):
    results = write(tmp_path / "audit", [estimate()])
    empty = results.updated(estimates=())
    assert judge([empty], Policy("ours", (require(1.0),), ())).exit_code == 3


# The command

ALONE = inputs_of(mates=False)
"""A release in which nobody can be recognised: linkage is all that there is to audit."""


@pytest.mark.parametrize(
    ("estimates", "controls", "code", "words"),
    [
        (GOOD, CONTROLS, 0, "The policy is met (pass)"),
        ([estimate(0.02, high=0.03), *GOOD[1:]], CONTROLS, 1, "The policy is NOT met (fail)"),
        ([estimate(0.004, high=0.02, detectable=0.002), *GOOD[1:]], CONTROLS, 1, "The policy is NOT met (too-close)"),
        (GOOD[1:], CONTROLS, 3, "The audit is INCOMPLETE (incomplete)"),
        (GOOD, [replace(CONTROLS[0], outcome="error"), CONTROLS[1]], 3, "The audit is INCOMPLETE (error)"),
    ],
)  # fmt: skip
def test_table_json_junit_and_exit_code_agree(tmp_path, estimates, controls, code, words):
    write(tmp_path / "audit", estimates, outcomes=controls, inputs=ALONE)
    table = run("gate", tmp_path / "audit", "--junit", tmp_path / "gate.xml")
    assert (table.code, table.err) == (code, "")
    assert words in table.out
    assert table.out.endswith(f"exit code {code}.\n")
    machine = run("gate", tmp_path / "audit" / "results.json", "--json")
    verdict = json.loads(machine.out)
    assert (machine.code, verdict["exit_code"]) == (code, code)
    assert f"Audited: release, id {verdict['subject']}" in table.out
    root = ET.parse(tmp_path / "gate.xml").getroot()
    assert (root.get("failures") == root.get("errors") == "0") == (code == 0)
    assert (int(root.get("failures")) > 0) == (code == 1)
    cases = {case.get("name"): case for case in root.iter("testcase")}
    for judgement in verdict["judgements"]:
        assert f"{judgement['outcome']}  " in table.out
        assert f"  {judgement['id']}\n" in table.out
        assert judgement["reason"] in table.out
        assert judgement["reason"] in cases[judgement["id"]][0].text


def test_a_policy_of_ones_own_begins_with_the_default(tmp_path):
    write(tmp_path / "audit", GOOD, inputs=ALONE)
    printed = run("policy", "show", "starting-point")
    assert (printed.code, printed.out) == (0, default_policy_text())
    own = tmp_path / "policy.toml"
    own.write_text(printed.out.replace("at_most = 0.09", "at_most = 0.0035"))
    assert run("gate", tmp_path / "audit", "--policy", own).code == 1


def test_wrong_usage_is_not_a_verdict(tmp_path):
    write(tmp_path / "audit", GOOD)
    bad = tmp_path / "policy.toml"
    bad.write_text("format = 2\ntitel = 'x'\n")
    before = everything_in(tmp_path)
    assert "did you mean 'title'?" in refusal("gate", tmp_path / "audit", "--policy", bad)
    assert "JUnit is XML" in refusal("gate", tmp_path / "audit", "--junit", tmp_path / "audit" / "results.json")
    assert everything_in(tmp_path) == before
    bad.write_text("[[[")
    assert "not valid TOML" in refusal("gate", tmp_path / "audit", "--policy", bad)
    assert "did you mean 'starting-point'?" in refusal("gate", tmp_path / "audit", "--policy", "startingpoint")
    assert run("gate").code == run("gate", tmp_path / "nowhere").code == 2


def test_the_default_policy_asks_for_both_controls(tmp_path):
    write(tmp_path / "audit", GOOD, outcomes=(), inputs=ALONE)
    verdict = json.loads(run("gate", tmp_path / "audit", "--json").out)
    assert {j["id"] for j in verdict["judgements"] if j["outcome"] == "incomplete"} == {NULL, PLANTED}
