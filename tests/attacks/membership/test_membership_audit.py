"""The membership audit as a whole and by the command line: chance where there is nothing, what is planted is found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from command_line import everything_in, refusal, run
from leadapron.attacks.membership import MEMBERSHIP, MembershipConfig, audit_membership
from leadapron.attacks.membership.membership_audit import choose_targets
from leadapron.audits.wording import sentence, titled
from leadapron.errors import ConfigError, LeadapronError
from leadapron.privacy import Promise
from leadapron.results import read_results
from leadapron.results.selection import headline
from membership_data import drawn, masks, signals_of


def found(risk, metric, attacker, protocol):
    return next(
        row
        for row in risk.estimates
        if (row.metric, row.attacker, row.protocol, row.group) == (metric, attacker, protocol, None)
    )


@pytest.fixture(scope="module")
def null():
    values, members, who = drawn(400, 48, seed=21)
    sex = np.array(["F", "M"])[who % 2]
    return audit_membership(signals_of(values, members, who, sex=sex), MembershipConfig(mu=0.1))


@pytest.fixture(scope="module")
def leaky():
    """One patient in forty is memorised, nobody else is: the aggregate hardly shows it."""
    shift = np.where(np.arange(400) % 40 == 0, 4.0, 0.0)
    values, members, who = drawn(400, 48, seed=22, shift=shift)
    group = np.where(shift > 0, "rare", "common")[who]
    return audit_membership(signals_of(values, members, who, race=group), MembershipConfig(mu=0.1))


def test_without_a_leak_everything_sits_at_chance(null):
    for attacker in ("lira", "lira-offline", "rmia", "rmia-offline"):
        row = found(null, "auc", attacker, "aggregate")
        assert abs(row.value - 0.5) < 4 * row.sd
        row = found(null, "tpr@fpr=0.01", attacker, "aggregate")
        assert row.low <= 0.01 * 1.3
    for attacker, protocol in (("bi-normal", "record"), ("mann-whitney", "record"), ("joint", "patient")):
        row = found(null, "auc", attacker, protocol)
        assert abs(row.value - 0.5) < 4 * row.sd
    for attacker in ("joint", "calibrated", "maximum"):
        row = found(null, "auc@top=0.01", attacker, "patient")
        assert row.low - 0.02 <= row.chance <= row.high + 0.02
    assert found(null, "true-patients-above=0.7", "joint", "patient").value < 0.005
    assert null.counts["patients_beyond_chance"] == 0
    assert null.details["promise"]["patients"]["surely_above"] == 0
    assert {outcome.outcome for outcome in null.outcomes} == {"pass"}


def test_memorised_patients_are_found_though_the_aggregate_is_low(leaky):
    assert found(leaky, "auc", "lira", "aggregate").value < 0.6
    top = headline(leaky)
    assert top.low > 0.97 > 0.75 > top.chance
    assert leaky.counts["patients_beyond_chance"] == 10
    assert leaky.details["promise"]["patients_by_record_bound"]["surely_above"] == 10
    row = found(leaky, "true-patients-above=0.9", "joint", "patient")
    assert row.low <= 10 / 400 <= row.high
    assert leaky.group_tests[0].p < 0.01
    assert {outcome.outcome for outcome in leaky.outcomes} <= {"pass", "warn"}


def test_every_number_can_be_worded(leaky):
    for row in leaky.estimates:
        assert "{" not in sentence(MEMBERSHIP, row) + titled(MEMBERSHIP, row)
    top = sentence(MEMBERSHIP, headline(leaky))
    assert top.startswith("In 1,000 comparisons, for the most exposed 1\N{NO-BREAK SPACE}% of the patients, ")


def test_what_each_patient_got_is_the_joint_attacks_auc(leaky):
    row = found(leaky, "auc", "joint", "patient")
    measure = MEMBERSHIP.measure_of("auc")
    assert measure.per_unit(leaky, row)["value"].mean() == pytest.approx(row.value)
    assert measure.per_unit(leaky, found(leaky, "auc", "calibrated", "patient")) is None


def test_evidence_names_the_patients(leaky):
    patients = leaky.evidence("patients")
    assert {"patient_id", "records", "auc_max", "auc_calibrated", "auc_joint", "low", "high", "p"} <= set(
        patients.columns
    )
    worst = patients.sort("p").head(10)["patient_id"]
    assert set(worst) == {f"p{number}" for number in range(0, 400, 40)}
    assert {"record_id", "auc", "low", "high", "auc_ranks", "trusted"} <= set(leaky.evidence("records").columns)
    assert set(leaky.evidence("survival")["score"]) == {"maximum", "calibrated", "joint", "joint-true"}
    assert set(leaky.evidence("roc")["attacker"]) == {"lira", "lira-offline", "rmia", "rmia-offline"}


def test_the_survival_of_every_score_has_the_chance_that_the_estimates_have(leaky):
    table = leaky.evidence("survival")
    for score in ("joint", "calibrated", "maximum"):
        chance = table.filter(score=score, auc=0.7)["chance"][0]
        assert chance == pytest.approx(found(leaky, "patients-above=0.7", score, "patient").chance)
        assert (np.diff(table.filter(score=score)["chance"]) <= 1e-12).all()
    assert table.filter(score="joint-true")["chance"].is_null().all()


def test_an_audit_that_reads_masks_wrongly_would_be_noticed(monkeypatch):
    """If distances came out shifted, the null control would not pass."""
    from leadapron.attacks.membership import membership_controls as controls

    honest = controls.patient_risks

    def shifted(signals, records, seed):
        risks = honest(signals, records, seed)
        object.__setattr__(risks.joint, "distance", risks.joint.distance + 0.3)
        return risks

    monkeypatch.setattr(controls, "patient_risks", shifted)
    outcomes = {row.check.split()[0]: row.outcome for row in audit_membership(signals_of(*drawn(150, 16))).outcomes}
    assert outcomes["null"] == "error"


@pytest.mark.parametrize("models", [8, 9, 16])
def test_few_models_are_enough_to_run(models):
    risk = audit_membership(signals_of(*drawn(120, models, shift=3.0, seed=23)))
    assert risk.outcomes[0].outcome == "pass"
    assert found(risk, "auc", "lira", "aggregate").value > 0.8
    assert all(np.isfinite([row.value, row.low, row.high, row.sd, row.chance]).all() for row in risk.estimates)


@pytest.mark.parametrize("strange", [np.ones_like, np.round, lambda values: 1e6 * values])
def test_signals_that_hardly_vary_or_vary_wildly_are_audited(strange):
    values, members, who = drawn(10, 11, seed=25)
    risk = audit_membership(signals_of(strange(values), members, who))
    assert all(0 <= row.value <= 1 and np.isfinite([row.low, row.high, row.sd]).all() for row in risk.estimates)


def test_several_labels_are_attacked_in_three_ways():
    rng = np.random.default_rng(24)
    who = np.repeat(np.arange(60), 2)
    into, y = masks(24, 60, rng)[:, who], rng.integers(0, 2, (120, 3))
    logits = (2 * y - 1) * (rng.normal(size=(24, 120, 3)) + 1.5 * into[:, :, None])
    columns = {f"label_{name}": y[:, at] for at, name in enumerate("abc")}
    risk = audit_membership(signals_of(logits, into, who, logits=True, **columns))
    names = {row.attacker for row in risk.estimates if row.protocol == "aggregate"}
    assert names == {"lira", "lira-per-label", "lira-sum", "lira-offline", "rmia", "rmia-offline"}
    for name in names:
        assert found(risk, "auc", name, "aggregate").value > 0.75
    assert len(risk.group_tests) == 3


def test_targets_are_the_last_models_or_drawn():
    references, targets = choose_targets(200, MembershipConfig())
    assert targets.tolist() == list(range(190, 200))
    assert len(references) == 190
    drawn_targets = choose_targets(200, MembershipConfig(random_targets=True, seed=3))[1]
    assert drawn_targets.tolist() != targets.tolist()
    assert drawn_targets.tolist() == choose_targets(200, MembershipConfig(random_targets=True, seed=3))[1].tolist()
    assert len(choose_targets(8, MembershipConfig())[1]) == 2
    with pytest.raises(ConfigError):
        choose_targets(20, MembershipConfig(targets=0))


def test_a_promise_is_given_in_one_way(tmp_path):
    np.save(tmp_path / "profile.npy", np.array([[0.0, 1.0], [0.3, 1e-5]]))
    assert MembershipConfig().promise is None
    assert MembershipConfig(epsilon=1.0, delta=1e-5, promised_to="patient").promise == Promise(
        (1.0,), (1e-5,), unit="patient"
    )
    assert MembershipConfig(mu=0.5).promise == Promise(mu=0.5)
    by_path, by_array = (
        MembershipConfig(profile=given) for given in (tmp_path / "profile.npy", [[0.0, 1.0], [0.3, 1e-5]])
    )
    assert by_path == by_array == MembershipConfig(**by_path.model_dump(mode="json"))
    assert by_path.promise == Promise((0.0, 1.0), (0.3, 1e-5))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"epsilon": 1.0}, "go together"),
        ({"mu": 1.0, "epsilon": 1.0, "delta": 0.1}, "in one way"),
        ({"promised_to": "patient"}, "nothing was promised"),
        ({"epsilon": -1.0, "delta": 0.1}, "not a promise"),
        ({"profile": [1.0, 2.0]}, "not a privacy profile"),
        ({"profile": "absent.npy"}, "cannot be read"),
    ],
)
def test_a_promise_that_cannot_be_is_refused(given, words):
    with pytest.raises(LeadapronError, match=words):
        MembershipConfig(**given)


def test_the_same_seed_gives_the_same_risk():
    data = drawn(60, 16, shift=1.0)
    first, second = (audit_membership(signals_of(*data)) for _ in range(2))
    assert first.estimates == second.estimates
    assert first.evidence("patients").equals(second.evidence("patients"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("membership") / "signals"
    place.mkdir()
    values, members, who = drawn(150, 24, shift=np.where(np.arange(150) < 5, 4.0, 0.0))
    np.save(place / "signals.npy", values.astype(np.float32))
    np.save(place / "members.npy", members)
    records = {"record_id": [f"r{at}" for at in range(len(who))], "patient_id": [f"p{number}" for number in who]}
    pl.DataFrame({**records, "sex": np.array(["F", "M"])[who % 2]}).write_parquet(place / "records.parquet")
    return place


def test_the_command_writes_results_that_keep_the_schema(folder, tmp_path):
    out = tmp_path / "out"
    done = run("audit", "membership", folder, "--out", out, "--epsilon", 1, "--delta", 1e-5)
    assert done.code == 0, done.err
    results = read_results(out)
    assert results.audit == "membership"
    assert {row.direction for row in results.estimates} == {"model-to-record"}
    assert {row.protocol for row in results.estimates} == {"aggregate", "record", "patient"}
    assert results.details["promise"]["auc_bound_record"] == pytest.approx(0.731064, abs=1e-6)
    files = {"signals.npy", "members.npy", "records.parquet"}
    assert set(results.inputs.sha256) == {f"signals/{name}" for name in files}
    assert results.evidence("patients").height == 150
    assert (headline(results).metric, headline(results).attacker) == ("auc@top=0.01", "joint")
    assert "joint" in done.out
    assert str(out / "results.json") in done.out
    assert (out / "report.html").read_text().count("<figure") == 5
    assert results.details["risk"]["declared"] == {"access": 1.0, "prior": 0.5}
    assert set(results.evidence("survival").columns) >= {"score", "auc", "share", "low", "high", "chance"}


def test_a_profile_and_a_plan_by_the_command(folder, tmp_path):
    np.save(tmp_path / "profile.npy", np.array([[0.0, 1.0], [0.3, 1e-5]]))
    done = run("audit", "membership", folder, "--out", tmp_path / "out", "--profile", tmp_path / "profile.npy")
    assert done.code == 0, done.err
    planned = run("audit", "membership", "--plan", 0.95, 0.01)
    assert planned.code == 0
    assert planned.out.startswith("358 models")


def test_what_is_declared_changes_what_is_combined_and_not_what_is_measured(folder, tmp_path):
    risks = []
    for name, declared in {"a": (), "b": ("--access", 0.1, "--prior", 0.01)}.items():
        done = run("audit", "membership", folder, "--out", tmp_path / name, *declared)
        assert done.code == 0, done.err
        risks.append(read_results(tmp_path / name).details["risk"])
    assert risks[0]["measured"] == risks[1]["measured"]
    exposed = [risk["combined"]["exposed"]["value"] for risk in risks]
    assert exposed[1] == pytest.approx(0.1 * exposed[0])
    values = [risk["combined"]["predictive_value"]["value"] for risk in risks]
    assert values[1] < values[0]


def test_settings_that_cannot_be_are_refused(folder, tmp_path):
    out = tmp_path / "out"
    for option, wrong in {"--prior": 1, "--access": 1.5}.items():
        said = run("audit", "membership", folder, "--out", out, option, wrong)
        assert said.code == 2
        assert option in said.err
    np.save(tmp_path / "bad.npy", np.zeros(3))
    assert "go together" in refusal("audit", "membership", folder, "--out", out, "--epsilon", 1)
    assert "in one way" in refusal("audit", "membership", folder, "--out", out, "--mu", 1, "--delta", 0.1)
    assert "not a privacy profile" in refusal(
        "audit", "membership", folder, "--out", out, "--profile", tmp_path / "bad.npy"
    )
    assert "exists already" in refusal("audit", "membership", folder, "--out", tmp_path)
    assert everything_in(tmp_path) == {"bad.npy"}


@pytest.mark.parametrize("models", [8, 16])
def test_noise_does_not_pass_for_exposed_patients(models):
    """With eight models errors have long tails: then the share is not told, rather than told wrongly."""
    for seed in range(3):
        found = audit_membership(signals_of(*drawn(400, models, seed=30 + seed)))
        shares = [row for row in found.estimates if row.metric == "true-patients-above=0.9"]
        outcomes = {one.check: one.outcome for one in found.outcomes}
        if models == 8:
            assert not shares
            assert outcomes["share of exposed patients"] == "not-run"
        else:
            assert shares[0].low * shares[0].n < 1, "nobody is within the interval"
            assert "share of exposed patients" not in outcomes


def test_a_joint_attack_that_is_broken_does_not_find_the_planted_patients(monkeypatch):
    """By one signal and by several labels, also with few models; and the maximum alone is not enough to pass."""
    from leadapron.attacks.membership import membership_controls as controls

    values, members, who = drawn(200, 16, seed=40)
    truth = np.where(np.random.default_rng(40).random((len(who), 3)) < 0.2, np.nan, 1.0)
    truth[:, 0] = 1.0
    labelled = signals_of(
        values[:, :, None] + np.random.default_rng(41).normal(size=(*values.shape, 3)), members, who, logits=True,
        **{f"label_{at}": truth[:, at] for at in range(3)},
    )  # fmt: skip
    few = signals_of(*drawn(200, 8, seed=42))

    def planted(signals):
        models = controls.Models(*choose_targets(signals.models, MembershipConfig()))
        return controls.planted_patients(controls.some_patients(signals, 0), models, 0)

    for signals in (signals_of(values, members, who), labelled, few):
        found = planted(signals)
        assert found.outcome == "pass", found.reason
        assert {"joint", "maximum", "calibrated", "lira", "rmia", "rmia-offline"} <= set(found.attackers)

    honest = controls.patient_risks

    def deaf(*arguments):
        found = honest(*arguments)
        return replace(found, joint=replace(found.joint, distance=np.zeros_like(found.joint.distance)))

    monkeypatch.setattr(controls, "patient_risks", deaf)
    for signals in (signals_of(values, members, who), labelled):
        found = planted(signals)
        assert found.outcome == "error"
        assert "joint 0.500" in found.reason
        assert "maximum" in found.attackers
