"""The gate: every outcome with its exit code, which of them wins, and which numbers are judged."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from command_line import refusal, run
from leadapron.attacks.risk import Outcome
from leadapron.report import Policy, Results, default_policy_text, judge
from leadapron.report.policy import Control, Requirement
from tiny_results import CONTROLS, NULL, PLANTED, estimate, write


def require(limit=0.01, *, bound="high", warn_above=None, enrichment=False, **select):
    place = {"attack": "linkage", "metric": "recall@1", "group": "everybody", **select}
    return Requirement("rule", place, bound, limit, warn_above, enrichment, "because", "the board")


@pytest.fixture
def gate(tmp_path):
    """The verdict on estimates: against one or more requirements, with or without controls."""

    def judged(estimates, *requirements, controls=(), outcomes=()):
        results = write(tmp_path / f"audit{len(list(tmp_path.iterdir()))}", estimates, outcomes=outcomes)
        named = tuple(Control(check, "w", "s") for check in controls)
        return judge([results], Policy("ours", requirements, named))

    return judged


def outcomes(verdict):
    return [judgement.outcome for judgement in verdict.judgements]


# Exit codes and precedence

PASS, WARN, FAIL = require(0.01), require(0.01, warn_above=0.001), require(0.001)
NOT_RUN = require(metric="mrr")
ERROR = require(5, enrichment=True, attacker="broken")


@pytest.mark.parametrize(
    ("requirements", "outcome", "code"),
    [
        ([PASS], "pass", 0),
        ([WARN], "warn", 0),
        ([FAIL], "fail", 1),
        ([NOT_RUN], "not-run", 3),
        ([ERROR], "error", 3),
        ([PASS, WARN], "warn", 0),
        ([PASS, NOT_RUN], "not-run", 3),
        ([WARN, ERROR], "error", 3),
        ([NOT_RUN, ERROR], "error", 3),
        ([FAIL, NOT_RUN], "fail", 1),
        ([ERROR, FAIL], "fail", 1),
        ([PASS, WARN, FAIL, NOT_RUN, ERROR], "fail", 1),
    ],
)
def test_the_worst_outcome_decides_and_a_known_breach_is_the_worst(gate, requirements, outcome, code):
    verdict = gate([estimate(0.004), estimate(0.004, attacker="broken", chance=0.0, group=None)], *requirements)
    assert (verdict.outcome, verdict.exit_code) == (outcome, code)


@pytest.mark.parametrize(
    ("check", "outcome", "code"),
    [("pass", "pass", 0), ("warn", "warn", 0), ("fail", "error", 3), ("error", "error", 3), ("not-run", "not-run", 3)],
)
def test_a_control_that_did_not_pass_makes_the_audit_incomplete(gate, check, outcome, code):
    verdict = gate([estimate()], PASS, controls=[NULL], outcomes=[Outcome(NULL, check, "as it was")])
    assert (verdict.outcome, verdict.exit_code) == (outcome, code)
    assert verdict.judgements[1].reason == "as it was"


def test_a_control_that_the_results_lack_was_not_run(gate):
    verdict = gate([estimate()], PASS, controls=["planted leek"], outcomes=CONTROLS)
    assert (outcomes(verdict), verdict.exit_code) == (["pass", "not-run"], 3)


def test_of_a_control_that_ran_twice_the_worse_counts(gate):
    twice = [Outcome(NULL, "pass", "well"), Outcome(NULL, "error", "ill"), Outcome(NULL, "pass", "well")]
    verdict = gate([estimate()], PASS, controls=[NULL], outcomes=twice)
    assert (verdict.judgements[1].outcome, verdict.judgements[1].reason) == ("error", "ill")


@pytest.mark.parametrize(("check", "code"), [("fail", 3), ("error", 3), ("not-run", 0), ("warn", 0), ("pass", 0)])
def test_a_check_that_went_wrong_counts_even_where_the_policy_does_not_name_it(gate, check, code):
    assert gate([estimate()], PASS, outcomes=[Outcome("another", check, "so")]).exit_code == code


def test_a_breach_is_a_breach_even_where_a_control_went_wrong(gate):
    assert gate([estimate()], FAIL, controls=[NULL], outcomes=[Outcome(NULL, "error", "so")]).exit_code == 1


# Thresholds


@pytest.mark.parametrize(
    ("value", "outcome"),
    [(0.0, "pass"), (0.005, "pass"), (0.0051, "warn"), (0.01, "warn"), (0.0101, "fail"), (1.0, "fail")],
)
def test_a_number_at_the_threshold_is_allowed(gate, value, outcome):
    verdict = gate([estimate(value)], require(0.01, warn_above=0.005))
    assert verdict.outcome == outcome
    words = {
        "pass": "within the 0.01 allowed (",
        "warn": "above the 0.005 from which to warn",
        "fail": "above the 0.01",
    }
    assert words[outcome] in verdict.judgements[0].reason


@pytest.mark.parametrize(("bound", "number"), [("low", 0.002), ("value", 0.004), ("high", 0.02)])
def test_the_bound_says_which_number_is_judged(gate, bound, number):
    (judgement,) = gate([estimate(0.004, low=0.002, high=0.02)], require(0.01, bound=bound)).judgements
    assert (judgement.number, judgement.threshold) == (number, 0.01)
    assert judgement.outcome == ("fail" if number > 0.01 else "pass")


def test_an_upper_end_below_the_estimate_does_not_hide_it(gate):
    (judgement,) = gate([estimate(0.05, low=0.0, high=0.001)], require(0.01)).judgements
    assert (judgement.number, judgement.outcome) == (0.05, "fail")


@pytest.mark.parametrize(("limit", "outcome"), [(20, "pass"), (19.9, "fail")])
def test_enrichment_is_judged_at_the_same_bound(gate, limit, outcome):
    (judgement,) = gate([estimate(0.004, high=0.02)], require(limit, enrichment=True)).judgements
    assert judgement.number == pytest.approx(20)
    assert judgement.outcome == outcome
    assert "20 times chance" in judgement.reason


@pytest.mark.parametrize("key", ["value", "low", "high"])
@pytest.mark.parametrize("number", [float("nan"), float("inf")])
@pytest.mark.parametrize("bound", ["value", "low", "high"])
def test_a_number_that_is_none_is_an_error_and_not_a_pass(tmp_path, key, number, bound):
    results = write(tmp_path / "audit", [estimate(), estimate(attacker="csls")])
    rows = [results.estimates[0], {**results.estimates[1], key: number}]
    broken = Results({**results.content, "estimates": rows}, tmp_path)
    verdict = judge([broken], Policy("ours", (require(bound=bound),), ()))
    assert (verdict.outcome, verdict.exit_code, verdict.judgements[0].number) == ("error", 3, None)


# Which estimates are judged


def test_the_strongest_attacker_is_judged_and_those_tried_are_named(gate):
    estimates = [estimate(0.004, high=0.02, attacker="csls"), estimate(0.005, high=0.006), estimate(0.5, pool=100)]
    for select in ({"attacker": "strongest"}, {}):
        (judgement,) = gate(estimates, require(pool=1000, **select)).judgements
        assert (judgement.number, judgement.outcome) == (0.02, "fail")
        assert "attacker csls, tried: cosine, csls" in judgement.reason
    assert gate(estimates, require(pool=1000, attacker="cosine")).outcome == "pass"


def test_the_largest_pool_is_that_of_each_attacker(gate):
    """An attacker who learns from known pairs has fewer candidates left, and must not slip away for that."""
    estimates = [
        estimate(0.5, pool=100),
        estimate(0.001, pool=1500),
        estimate(0.4, pool=100, attacker="realigned"),
        estimate(0.3, pool=1480, attacker="realigned"),
    ]
    (judgement,) = gate(estimates, require(pool="largest", attacker="strongest")).judgements
    assert (judgement.number, judgement.outcome) == (0.3, "fail")
    assert gate(estimates, require(pool="largest", attacker="cosine")).outcome == "pass"


def test_groups_are_judged_only_when_asked_for(gate):
    estimates = [estimate(0.004), estimate(0.03, group="sex=F", n=900), estimate(0.002, group="sex=M", n=1100)]
    assert gate(estimates, require()).outcome == "pass"
    assert gate(estimates, require(group="sex=M")).outcome == "pass"
    (judgement,) = gate(estimates, require(group="any")).judgements
    assert judgement.outcome == "fail"
    assert "sex=F" in judgement.reason
    assert gate(estimates[:1], require(group="any")).outcome == "not-run"


def test_the_size_of_a_small_group_is_not_told(gate):
    (judgement,) = gate([estimate(), estimate(0.5, group="age=90-99", n=3)], require(group="any")).judgements
    assert "n below 10" in judgement.reason


@pytest.mark.parametrize(
    ("select", "reason"),
    [
        ({"attack": "membership"}, "no estimate with attack 'membership'; there are: linkage"),
        ({"metric": "recal@1"}, "did you mean 'recall@1'?"),
        ({"pool": 500}, "no estimate with pool 500; there are 100, 1,000"),
        ({"attacker": "cosin"}, "did you mean 'cosine'?"),
        ({"direction": "report-to-image"}, "no estimate with direction 'report-to-image'"),
        ({"protocol": "hard"}, "no estimate with protocol 'hard'; there are: random"),
        ({"group": "sex=F"}, "no estimate with group 'sex=F'; there are: everybody"),
    ],
)
def test_where_nothing_fits_it_was_not_run_and_the_reason_says_what_is_there(gate, select, reason):
    verdict = gate([estimate(), estimate(pool=100)], require(1.0, **select))
    assert (outcomes(verdict), verdict.exit_code) == (["not-run"], 3)
    assert reason in verdict.judgements[0].reason
    assert verdict.judgements[0].number is None


def test_results_without_any_estimate_were_not_run(tmp_path):
    results = write(tmp_path / "audit", [estimate()])
    empty = Results({**results.content, "estimates": []}, tmp_path)
    assert judge([empty], Policy("ours", (require(1.0),), ())).exit_code == 3


# The command

GOOD = [
    estimate(0.004),
    estimate(0.003, direction="report-to-image"),
    estimate(0.008, metric="patient-linked", n=800),
]


@pytest.mark.parametrize(
    ("estimates", "controls", "code", "words"),
    [
        (GOOD, CONTROLS, 0, "The policy is met (pass)"),
        ([replace(GOOD[0], high=0.02), *GOOD[1:]], CONTROLS, 1, "The policy is BROKEN (fail)"),
        (GOOD[1:], CONTROLS, 3, "The audit is INCOMPLETE (not-run)"),
        (GOOD, [replace(CONTROLS[0], outcome="error"), CONTROLS[1]], 3, "The audit is INCOMPLETE (error)"),
    ],
)
def test_table_json_and_exit_code_agree(tmp_path, estimates, controls, code, words):
    write(tmp_path / "audit", estimates, outcomes=controls)
    table = run("gate", tmp_path / "audit")
    assert (table.code, table.err) == (code, "")
    assert words in table.out
    assert table.out.endswith(f"exit code {code}.\n")
    machine = run("gate", tmp_path / "audit" / "results.json", "--json")
    verdict = json.loads(machine.out)
    assert (machine.code, verdict["exit_code"]) == (code, code)
    assert len(verdict["judgements"]) == 5
    assert set(verdict["judgements"][0]) == {"id", "outcome", "number", "threshold", "reason", "why", "source"}
    for judgement in verdict["judgements"]:
        assert f"{judgement['outcome']:<7}  {judgement['id']}" in table.out
        assert judgement["reason"] in table.out


def test_a_policy_of_ones_own_begins_with_the_default(tmp_path):
    write(tmp_path / "audit", GOOD)
    printed = run("gate", "--print-default-policy")
    assert (printed.code, printed.out) == (0, default_policy_text())
    own = tmp_path / "policy.toml"
    own.write_text(printed.out.replace("at_most = 0.01", "at_most = 0.0035").replace("warn_above = 0.005\n", ""))
    assert run("gate", tmp_path / "audit", "--policy", own).code == 1


def test_wrong_usage_is_not_a_verdict(tmp_path):
    write(tmp_path / "audit", GOOD)
    bad = tmp_path / "policy.toml"
    bad.write_text("format = 1\ntitel = 'x'\n")
    assert "did you mean 'title'?" in refusal("gate", tmp_path / "audit", "--policy", bad)
    bad.write_text("[[[")
    assert "not valid TOML" in refusal("gate", tmp_path / "audit", "--policy", bad)
    assert "cannot be read" in refusal("gate", bad)
    assert run("gate").code == run("gate", tmp_path / "nowhere").code == 2


def test_the_default_policy_asks_for_both_controls(tmp_path):
    write(tmp_path / "audit", GOOD, outcomes=())
    verdict = json.loads(run("gate", tmp_path / "audit", "--json").out)
    assert {j["id"] for j in verdict["judgements"] if j["outcome"] == "not-run"} == {NULL, PLANTED}


# Several audits of one release

SAME = "null control (patients at random)"
COPIES = "planted copies"
IDENTITY_CONTROLS = (Outcome(SAME, "pass", "At chance."), Outcome(COPIES, "pass", "Found."))


def identity(value=0.008, alike=0.52, **keys):
    place = {"attack": "identity", "direction": "image-to-image", **keys}
    return [
        estimate(value, metric="precision@1", chance=0.004, **place),
        estimate(alike, metric="auc", protocol="matched", pool=2000, chance=0.5, **place),
    ]


MASKS, MEMORISED = "null control (masks of other models)", "planted patients"
MEMBERSHIP_CONTROLS = (Outcome(MASKS, "pass", "At chance."), Outcome(MEMORISED, "pass", "Found."))


def membership(share=0.0004, top=0.7, **ends):
    place = {"attack": "membership", "direction": "model-to-record", "protocol": "patient", "attacker": "joint"}
    return [
        estimate(share, metric="true-patients-above=0.9", chance=1e-6, pool=200, **ends, **place),
        estimate(top, metric="auc@top=0.01", chance=0.6, pool=200, **place),
    ]


@pytest.fixture
def audits(tmp_path):
    """Folders of a linkage audit that meets the default policy, and of an identity audit as it is said."""

    def written(*estimates, outcomes=IDENTITY_CONTROLS):
        write(tmp_path / "linkage", GOOD)
        write(tmp_path / "identity", estimates or identity(), outcomes=outcomes, attack="identity")
        return tmp_path / "linkage", tmp_path / "identity"

    return written


def test_without_a_policy_only_entries_for_the_attacks_given_are_judged(audits):
    linkage, same = audits()
    judged = {}
    for name, given in {"linkage": [linkage], "identity": [same], "both": [linkage, same]}.items():
        found = run("gate", *given, "--json")
        assert found.code == 0, found.out
        judged[name] = [judgement["id"] for judgement in json.loads(found.out)["judgements"]]
    assert judged["identity"] == ["same-patient-first", "same-patient-among-alike", SAME, COPIES]
    assert sorted(judged["both"]) == sorted(judged["linkage"] + judged["identity"])


def test_one_verdict_over_all_and_the_order_does_not_matter(audits):
    given = audits(*identity(alike=0.9))
    for order in (given, given[::-1]):
        found = run("gate", *order)
        assert found.code == 1
        assert "fail     same-patient-among-alike" in found.out
        assert "The policy is BROKEN (fail)" in found.out
    assert run("gate", given[0]).code == 0


def test_with_a_policy_an_attack_that_is_not_there_was_not_run(audits, tmp_path):
    linkage, same = audits()
    own = tmp_path / "policy.toml"
    own.write_text(default_policy_text())
    alone = json.loads(run("gate", linkage, "--policy", own, "--json").out)
    assert alone["exit_code"] == 3
    missing = {judgement["id"] for judgement in alone["judgements"] if judgement["outcome"] == "not-run"}
    of_membership = {"patients-recognised", "most-exposed-patients", MASKS, MEMORISED}
    assert missing == {"same-patient-first", "same-patient-among-alike", SAME, COPIES, *of_membership}
    write(tmp_path / "membership", membership(), outcomes=MEMBERSHIP_CONTROLS, attack="membership")
    assert run("gate", linkage, same, tmp_path / "membership", "--policy", own).code == 0


@pytest.mark.parametrize(
    ("estimates", "controls", "code", "line"),
    [
        (membership(), MEMBERSHIP_CONTROLS, 0, "pass     patients-recognised"),
        (membership(0.0004, high=0.004), MEMBERSHIP_CONTROLS, 0, "warn     patients-recognised"),
        (membership(0.004, high=0.02), MEMBERSHIP_CONTROLS, 1, "fail     patients-recognised"),
        (membership(top=0.95), MEMBERSHIP_CONTROLS, 1, "fail     most-exposed-patients"),
        (membership()[:1], MEMBERSHIP_CONTROLS, 3, "not-run  most-exposed-patients"),
        (membership(), MEMBERSHIP_CONTROLS[:1], 3, "not-run  planted patients"),
    ],
)
def test_membership_is_judged_by_patients_and_by_its_controls(tmp_path, estimates, controls, code, line):
    write(tmp_path / "audit", estimates, outcomes=controls, attack="membership")
    found = run("gate", tmp_path / "audit")
    assert found.code == code
    assert line in found.out


def test_a_control_is_sought_in_the_results_of_its_attack(tmp_path):
    first = write(tmp_path / "linkage", [estimate()], outcomes=[Outcome("same name", "pass", "well")])
    checks = [Outcome("same name", "error", "ill")]
    second = write(tmp_path / "identity", identity(), outcomes=checks, attack="identity")
    verdict = judge([first, second], Policy("ours", (PASS,), (Control("same name", "w", "s", "linkage"),)))
    # the other one is not asked for, but went wrong
    assert [(one.outcome, one.reason) for one in verdict.judgements[1:]] == [("pass", "well"), ("error", "ill")]


def test_audits_that_do_not_belong_together_are_refused(audits):
    linkage, same = audits()
    assert "two results are of one attack; got 'linkage'" in refusal("gate", linkage, linkage)
    for folder, digest in ((linkage, "ab"), (same, "cd")):
        content = json.loads((folder / "results.json").read_text())
        content["inputs"]["sha256"] = {"image.npy": digest}
        (folder / "results.json").write_text(json.dumps(content))
    assert "the results are of different releases" in refusal("gate", linkage, same)


def test_an_attack_that_the_default_does_not_know_is_refused(tmp_path):
    write(tmp_path / "audit", GOOD, attack="palmistry")
    assert "no requirement for this attack; got 'palmistry'" in refusal("gate", tmp_path / "audit")
