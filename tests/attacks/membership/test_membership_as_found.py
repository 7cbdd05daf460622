"""One model as it is found: fast paths against slow ones, chance where there is nothing, shift told from membership."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import stats

from command_line import everything_in, refusal, run
from leadapron.attacks.membership import (
    AsFoundConfig,
    as_found_attackers,
    audit_as_found,
    read_as_found,
)
from leadapron.attacks.membership import as_found_controls as controls
from leadapron.attacks.membership.as_found_exposed import exposed
from leadapron.attacks.membership.as_found_patients import score_patients
from leadapron.attacks.membership.as_found_scores import Answers, among_random, ask, log_ratio
from leadapron.attacks.membership.as_found_shift import matched
from leadapron.attacks.membership.membership_roc import measure
from leadapron.attacks.membership.references import gather
from leadapron.errors import ConfigError, DataError
from leadapron.results import read_results
from leadapron.results.selection import headline
from membership_data import alternating, change, found_of, models_of, put, signals_of, slow_auc, wild


def row_of(risk, metric, attacker, protocol="aggregate"):
    return next(
        row
        for row in risk.estimates
        if (row.metric, row.attacker, row.protocol, row.group) == (metric, attacker, protocol, None)
    )


def outcome_of(risk, start):
    return next(row for row in risk.outcomes if row.check.startswith(start))


@pytest.mark.parametrize("slope", [0.0, 0.33, 0.9, 1.0])
def test_a_ratio_is_the_targets_probability_by_what_is_usual(slope):
    values, member, who = wild(40, references=3)
    found = found_of(values, member, who)
    p = 1 / (1 + np.exp(-values))
    usual = ((1 + slope) * p[1:].mean(axis=0) + 1 - slope) / 2
    np.testing.assert_allclose(log_ratio(ask(found.signals, 0, found.references), slope), np.log(p[0] / usual))


def test_several_labels_are_a_product_of_those_that_are_known():
    rng = np.random.default_rng(1)
    logits, y = rng.normal(size=(3, 50, 4)), rng.integers(0, 2, (50, 4))
    known = rng.random((50, 4)) < 0.7
    columns = {
        f"label_{at}": [int(v) if k else None for v, k in zip(y[:, at], known[:, at], strict=True)] for at in range(4)
    }
    found = found_of(logits, None, np.arange(50), logits=True, **columns)
    answers = ask(found.signals, 0, found.references)
    for record in range(50):
        p = [
            np.prod(
                [1 / (1 + np.exp(-(2 * y[record, at] - 1) * model[record, at])) for at in np.flatnonzero(known[record])]
            )
            for model in logits
        ]
        assert np.exp(answers.target[record]) == pytest.approx(p[0])
        assert np.exp(answers.reference[record]) == pytest.approx(np.mean(p[1:]))
        assert answers.doubt[record] == pytest.approx(1 - np.mean(p[1:]), abs=1e-12)


def test_an_unknown_label_says_nothing_to_the_attack_on_many_models_either():
    rng = np.random.default_rng(2)
    logits, into = rng.normal(size=(20, 6, 3)), alternating(20, 6)
    labels = {"label_a": [1] * 6, "label_b": [0] * 6}
    known = signals_of(logits[:, :, :2], into, np.arange(6), logits=True, **labels)
    unknown = signals_of(logits, into, np.arange(6), logits=True, **labels, label_c=[None] * 6)
    first, second = (gather(signals, np.arange(16), np.arange(16, 20)) for signals in (known, unknown))
    np.testing.assert_allclose(first.probability, second.probability)
    np.testing.assert_allclose(first.answered, second.answered)


@pytest.mark.parametrize("slope", [0.0, 0.9, 1.0])
def test_nothing_saturates(slope):
    """Records of which everybody is surer than float64 can say of a probability, and those that nobody gets right."""
    signals = np.array([[45.0, 42.0, 60.0, -800.0, -1e6, 1e6], [40.0, 40.0, 40.0, -800.0, -1e6, 1e6]])
    found = found_of(signals, None, np.arange(6))
    ratio = log_ratio(ask(found.signals, 0, found.references), slope)
    assert np.isfinite(ratio).all()
    assert ratio[2] > ratio[0] > ratio[1] > ratio[5] == 0.0
    expected = (1 + slope) / 2 * np.exp(-40) - np.exp(-45)
    assert ratio[0] == pytest.approx(expected, rel=1e-9, abs=0)
    if slope == 1:
        np.testing.assert_allclose(ratio[3:5], 0, atol=1e-9)


def slow_among_random(ratio, rng, count):
    """A draw of other records for every record, and how many of them it reaches."""
    scores = []
    for record, own in enumerate(ratio):
        drawn = rng.choice(np.delete(np.arange(len(ratio)), record), count, replace=False)
        scores.append(np.mean(own >= ratio[drawn]))
    return scores


def test_random_reference_records_are_the_published_lottery():
    rng = np.random.default_rng(2)
    ratio = np.round(rng.normal(size=40), 1)  # ties count as reached
    draws, count = 500, 12
    slow = np.array([slow_among_random(ratio, rng, count) for _ in range(draws)])
    fast = np.array([among_random(ratio, seed, count) for seed in range(draws)])
    error = np.sqrt((slow.var(axis=0) + fast.var(axis=0)) / draws)
    assert (np.abs(slow.mean(axis=0) - fast.mean(axis=0)) <= 4.5 * error + 1e-12).all()
    np.testing.assert_allclose(fast.var(axis=0).sum(), slow.var(axis=0).sum(), rtol=0.05)
    # scores of different records are drawn by themselves
    middle = np.argsort(ratio)[[18, 22]]
    assert abs(np.corrcoef(fast[:, middle].T)[0, 1]) < 0.2
    assert set(np.unique(np.round(fast * count, 9))) <= set(range(count + 1))


def test_with_fewer_others_than_are_wanted_all_of_them_are_asked():
    ratio = np.random.default_rng(3).normal(size=30)
    np.testing.assert_allclose(among_random(ratio, 0), [np.sum(own >= ratio) / 29 - 1 / 29 for own in ratio])


def test_steps_of_one_in_500_cost_success_where_few_false_alarms_are_allowed():
    risk = audit_as_found(models_of(*wild(3000, leak=np.where(np.arange(3000) < 200, 6.0, 0.0), seed=4)))
    exact, steps = (row_of(risk, "tpr@fpr=0.001", name).value for name in ("rmia-offline", "rmia-500"))
    assert steps < exact
    assert row_of(risk, "auc", "rmia-500").value == pytest.approx(row_of(risk, "auc", "rmia-offline").value, abs=0.002)


def test_where_there_is_no_risk_patients_scores_do_not_depend_on_their_number_of_records():
    values, member, who = wild(4000, seed=5, images=6)
    found = found_of(values, member, who)
    scores = score_patients(found.signals, log_ratio(ask(found.signals, 0, found.references), 0.9))
    few, many = scores.records <= 2, scores.records >= 8
    for name in ("joint", "calibrated"):
        own = scores.attacks[name]
        assert abs(own[few].mean() - own[many].mean()) < 0.15
        assert own[many].std() == pytest.approx(1, abs=0.15)
    assert slow_share(scores.maximum, many, few) > 0.8
    assert (scores.p[many] < 0.05).mean() == pytest.approx(0.05, abs=0.025)


def slow_share(scores, first, second):
    return slow_auc(scores[first][:200], scores[second][:200])


def test_likeness_is_the_correlation_of_a_patients_records():
    rng = np.random.default_rng(6)
    who = np.repeat(np.arange(3000), 3)
    shared = rng.normal(size=3000)[who]
    ratio = np.exp(np.sqrt(0.3) * shared + np.sqrt(0.7) * rng.normal(size=9000))
    found = found_of(np.zeros((2, 9000)), None, who)
    assert score_patients(found.signals, ratio).alike == pytest.approx(0.3, abs=0.03)
    single = found_of(np.zeros((2, 50)), None, np.arange(50))
    assert score_patients(single.signals, rng.normal(size=50)).alike == 0.0


@pytest.fixture(scope="module")
def leaky():
    values, member, who = wild(1500, references=2, leak=1.2, seed=7)
    return audit_as_found(models_of(values, member, who, sex=np.array(["F", "M"])[who % 2]))


def test_references_help_and_so_do_all_records_of_a_patient(leaky):
    offline, alone = row_of(leaky, "auc", "rmia-offline"), row_of(leaky, "auc", "target-alone")
    assert offline.low > alone.value > 0.5
    joint, maximum = row_of(leaky, "auc", "joint", "patient"), row_of(leaky, "auc", "maximum", "patient")
    assert joint.value > maximum.value + 0.02
    assert joint.value > offline.value + 0.02
    assert {row.outcome for row in leaky.outcomes} == {"pass"}
    assert abs(row_of(leaky, "auc", "rmia-placebo").value - 0.5) < 0.03


def test_an_auc_is_that_of_the_slow_way(leaky):
    records = leaky.evidence("records")
    some = records.head(400)
    into, out = (some.filter(pl.col("member") == side)["log_ratio"].to_numpy() for side in (True, False))
    slow = slow_auc(into, out)
    fast = measure(some["score"].to_numpy()[:, None], some["member"].to_numpy()[:, None], np.arange(400))[0][0]
    assert fast.estimate.value == pytest.approx(slow)
    assert records.sort("rank")["log_ratio"].is_sorted(descending=True)
    assert records.sort("rank")["score"].is_sorted(descending=True)


def test_the_accused_are_counted_one_by_one(leaky):
    patients = leaky.evidence("patients")
    member, score = patients["member"].to_numpy(), patients["score"].to_numpy()
    others = np.sort(score[~member])[::-1]
    allowed = int(0.01 * len(others))
    threshold = others[allowed]
    row = leaky.evidence("exposed").filter(attacker="joint", fpr=0.01).row(0, named=True)
    assert row["others"] == allowed
    assert row["members"] == int((score[member] > threshold).sum())
    tpr = row["members"] / member.sum()
    expected = member.mean() * tpr / (member.mean() * tpr + (1 - member.mean()) * 0.01)
    assert row["precision"] == pytest.approx(expected)
    assert row["low"] < row["precision"] < row["high"]
    assert row_of(leaky, "precision@fpr=0.01", "joint", "patient").chance == pytest.approx(member.mean())
    assert leaky.counts["patients_exposed"] == row["members"]
    assert headline(leaky).value == pytest.approx(tpr)


def test_a_rate_that_cannot_be_measured_has_no_precision():
    scores, truth = np.arange(60.0), np.arange(60) % 2 == 0
    figures, _ = measure(scores[:, None], truth[:, None], np.arange(60))
    assert exposed("joint", scores, truth, figures).height == 0
    risk = audit_as_found(models_of(*wild(60, seed=8)))
    assert risk.spot.metric == "tpr@fpr=0.1"
    assert risk.evidence("exposed") is None


def test_without_a_leak_everything_sits_at_chance():
    risk = audit_as_found(models_of(*wild(1500, references=2, seed=9)))
    for name in ("rmia-offline", "rmia-500", "target-alone", "reference-alone", "rmia-matched", "rmia-placebo"):
        row = row_of(risk, "auc", name)
        assert abs(row.value - 0.5) < 4 * row.sd
    for name in ("joint", "calibrated", "maximum"):
        row = row_of(risk, "auc", name, "patient")
        assert abs(row.value - 0.5) < 4 * row.sd
        assert row_of(risk, "precision@fpr=0.01", name, "patient").low < 0.5
    assert {row.outcome for row in risk.outcomes} == {"pass"}


def test_intervals_cover_the_truth_at_their_rate():
    """Patients with several records that are alike: intervals over records would be too narrow."""
    chance = [audit_like(seed) for seed in range(150)]
    covered = np.mean([low <= 0.5 <= high for low, high in chance])
    assert 0.89 <= covered <= 0.99


def audit_like(seed):
    values, member, who = wild(150, seed=1000 + seed, alike=0.8, images=4)
    found = found_of(values, member, who)
    ratio = log_ratio(ask(found.signals, 0, found.references), 0.9)
    estimate = measure(ratio[:, None], member[:, None], found.signals.patient)[0][0].estimate
    return estimate.low, estimate.high


def test_other_people_are_not_taken_for_members():
    """No leak at all, but members are harder to every model: an attack that looks at the target alone is fooled."""
    risk = audit_as_found(models_of(*wild(2000, references=2, easier=-1.0, seed=10)))
    shift = outcome_of(risk, "members and others are alike")
    assert shift.outcome == "warn"
    assert f"{row_of(risk, 'auc', 'reference-alone').value:.3f}" in shift.reason
    attack, like = row_of(risk, "auc", "rmia-offline"), row_of(risk, "auc", "rmia-matched")
    assert abs(like.value - 0.5) < abs(attack.value - 0.5)
    assert row_of(risk, "auc", "reference-alone").high < 0.5


def test_the_attack_on_a_reference_shows_a_difference_that_is_not_membership():
    """Half of the people are noisier to one kind of reference: the placebo is not at chance, and says so."""
    values, member, who = wild(2000, references=3, seed=11)
    values[1, member] += 0.8
    risk = audit_as_found(models_of(values, member, who))
    assert outcome_of(risk, "attack on a reference").outcome == "warn"
    assert row_of(risk, "auc", "rmia-placebo").low > 0.5
    one = audit_as_found(models_of(*wild(200, references=1)))
    assert outcome_of(one, "attack on a reference").outcome == "not-run"


def test_matched_places_are_among_non_members_of_the_same_stratum():
    rng = np.random.default_rng(12)
    scores, reference, truth = rng.normal(size=300), rng.normal(size=300), rng.random(300) < 0.5
    places = matched(scores, reference, truth)
    edges = np.quantile(reference[~truth], np.linspace(0, 1, (~truth).sum() // 50 + 1))
    for record in range(0, 300, 17):
        at = np.clip(np.searchsorted(edges[1:-1], reference[record], side="right"), 0, None)
        peers = scores[~truth & (np.searchsorted(edges[1:-1], reference, side="right") == at)]
        assert places[record] == pytest.approx(np.mean((scores[record] > peers) + 0.5 * (scores[record] == peers)))
    assert set(matched(scores, np.zeros(300), truth)[:3]) != {0.5}


def test_the_truth_changes_no_score():
    values, member, who = wild(300, leak=1.0, seed=13)
    known, unknown = (
        audit_as_found(models_of(values, truth, who, view=["PA", "AP"] * (len(who) // 2) + ["PA"] * (len(who) % 2)))
        for truth in (member, None)
    )
    for name in ("records", "patients"):
        assert known.evidence(name).drop("member").equals(unknown.evidence(name))
    assert unknown.estimates == ()
    assert outcome_of(unknown, "success").outcome == "not-run"
    assert outcome_of(unknown, "members and others").outcome == "not-run"
    assert {outcome_of(unknown, check).outcome for check in ("null", "planted")} == {"pass"}
    assert any("not measured" in limit for limit in unknown.limits)
    assert set(unknown.tables) == {"records", "patients", "slopes", "groups"}


def test_slopes_are_shown_and_none_is_chosen():
    data = wild(800, leak=1.0, seed=14)
    found = found_of(*data)
    table = audit_as_found(models_of(*data)).evidence("slopes")
    assert table.filter("used")["slope"].to_list() == [AsFoundConfig().slope] == [0.9]
    assert table.height == 11
    assert table["auc"].n_unique() > 5
    used = table.filter("used").row(0, named=True)
    assert used["rank_correlation"] == pytest.approx(1)
    assert used["tail_in_common"] == 1
    other = table.filter(slope=0.3).row(0, named=True)
    ratios = [log_ratio(ask(found.signals, 0, found.references), slope) for slope in (0.9, 0.3)]
    assert other["rank_correlation"] == pytest.approx(stats.spearmanr(*ratios).statistic)
    assert other["auc"] == pytest.approx(
        stats.mannwhitneyu(ratios[1][data[1]], ratios[1][~data[1]]).statistic / data[1].sum() / (~data[1]).sum()
    )
    off_grid = audit_as_found(models_of(*data), AsFoundConfig(slope=0.33))
    assert off_grid.evidence("slopes").filter("used")["slope"].to_list() == [0.33]
    with pytest.raises(ConfigError):
        AsFoundConfig(slope=1.5)


def test_groups_are_those_of_the_exposed():
    """A small group is memorised, and stands out among members; as many of it are not members."""
    patients = 1200
    rare = np.arange(patients) % 20 == 0
    values, member, who = wild(patients, leak=np.where(rare, 6.0, 0.0), seed=15)
    risk = audit_as_found(models_of(values, member, who, race=np.where(rare, "rare", "common")[who]))
    assert risk.group_tests[0].p < 0.01
    table = risk.evidence("groups")
    assert table["records"].sum() == member.sum()
    assert table.filter(group="rare")["adjusted_residual"].item() > 3
    everybody = row_of(risk, "in-tail", "rmia-offline", "record")
    group = next(row for row in risk.estimates if row.group == "race=rare")
    assert group.low > everybody.value


def test_controls_notice_an_attack_that_is_turned_round(monkeypatch):
    values, member, who = wild(300, leak=1.0, seed=16)
    found = models_of(values, member, who)
    assert outcome_of(audit_as_found(found), "planted").outcome == "pass"
    monkeypatch.setattr(as_found_attackers, "log_ratio", lambda answers, slope: -log_ratio(answers, slope))
    assert outcome_of(audit_as_found(found), "planted").outcome == "error"


def test_controls_notice_a_measure_that_finds_what_is_not_there(monkeypatch):
    honest = controls.auc_of

    def lucky(scores, truth, patient):
        found = honest(scores, truth, patient)
        return replace(found, value=found.value + 0.2)

    monkeypatch.setattr(controls, "auc_of", lucky)
    assert outcome_of(audit_as_found(models_of(*wild(300))), "null").outcome == "error"


@pytest.mark.parametrize("seed", range(6))
def test_planted_patients_are_found_in_all_kinds_of_data(seed):
    values, member, who = wild(120, references=1 + seed % 3, seed=20 + seed, easier=seed % 2)
    scale = (0.3, 1.0, 3.0)[seed % 3]
    assert outcome_of(audit_as_found(models_of(scale * values, member, who)), "planted").outcome == "pass"


@pytest.mark.parametrize("strange", [np.ones_like, np.round, lambda values: 1e5 * values])
def test_signals_that_hardly_vary_or_vary_wildly_are_attacked(strange):
    values, member, who = wild(30, seed=17)
    risk = audit_as_found(models_of(strange(values), member, who))
    assert all(0 <= row.value <= 1 and np.isfinite([row.low, row.high, row.sd]).all() for row in risk.estimates)
    assert outcome_of(risk, "planted").outcome == "not-run"


def test_any_row_may_be_the_target_and_seeds_repeat():
    values, member, who = wild(200, references=2, leak=1.0, seed=18)
    first = audit_as_found(models_of(values, member, who))
    moved = audit_as_found(models_of(values[[1, 0, 2]], member, who, target=1), AsFoundConfig(target=1))
    assert moved.estimates == first.estimates
    other = audit_as_found(models_of(values, member, who), AsFoundConfig(seed=1))
    same = first.evidence("records").drop("score_500").equals(other.evidence("records").drop("score_500"))
    assert same
    assert not first.evidence("records").equals(other.evidence("records"))


def test_answers_keep_the_order_of_the_file():
    values, member, who = wild(50, seed=19)
    shuffle = np.random.default_rng(0).permutation(len(who))
    models = models_of(values[:, shuffle], member[shuffle], who[shuffle])
    found = models.target(0)
    answers = ask(found.signals, 0, found.references)
    assert isinstance(answers, Answers)
    np.testing.assert_allclose(np.exp(answers.target), 1 / (1 + np.exp(-values[0, shuffle])))
    patients = audit_as_found(models).evidence("patients")
    truth = dict(zip((f"p{number}" for number in who), member, strict=True))
    assert all(truth[row["patient_id"]] == row["member"] for row in patients.iter_rows(named=True))


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "signals"
    place.mkdir()
    values, member, who = wild(300, references=1, leak=1.0)
    np.save(place / "signals.npy", values.astype(np.float32))
    np.save(place / "members.npy", np.stack([member, np.zeros_like(member)]))
    records = {"record_id": [f"r{at}" for at in range(len(who))], "patient_id": [f"p{number}" for number in who]}
    pl.DataFrame({**records, "sex": np.array(["F", "M"])[who % 2]}).write_parquet(place / "records.parquet")
    return place


def test_the_command_writes_results_that_keep_the_schema(folder, tmp_path):
    done = run("audit", "as-found", folder, "--out", tmp_path / "out", "--slope", 0.5)
    assert done.code == 0, done.err
    results = read_results(tmp_path / "out")
    assert results.audit == "as-found"
    assert (results.config["target"], results.config["slope"]) == (0, 0.5)
    assert (headline(results).metric, headline(results).attacker) == ("tpr@fpr=0.1", "joint")
    assert results.evidence("patients").height == 300
    assert {"record_id", "score", "rank"} <= set(results.evidence("records").columns)
    assert "rmia-offline" in done.out


def test_the_command_says_plainly_that_success_was_not_measured(folder, tmp_path):
    (folder / "members.npy").unlink()
    done = run("audit", "as-found", folder, "--out", tmp_path / "out", "--target", 1)
    assert done.code == 0, done.err
    assert "not measured" in done.out
    assert read_results(tmp_path / "out").estimates == ()


def one_model(folder):
    for name in ("signals.npy", "members.npy"):
        change(folder, name, lambda array: array[:1])


def split_patient(array):
    """The second record of the first patient who has two."""
    _, _, who = wild(300, references=1, leak=1.0)
    column = int(np.flatnonzero(who[1:] == who[:-1])[0]) + 1
    array[0, column] = ~array[0, column]
    return array


def one_patient(folder):
    table = pl.read_parquet(folder / "records.parquet")
    table.with_columns(patient_id=pl.lit("p")).write_parquet(folder / "records.parquet")


def twice(folder):
    table = pl.read_parquet(folder / "records.parquet")
    table.with_columns(record_id=pl.lit("r")).write_parquet(folder / "records.parquet")


BROKEN = {
    "one model": (one_model, "no reference model", "2 models or more"),
    "nan": (lambda at: change(at, "signals.npy", put((1, 2), np.nan)), "model 1, row 2", "not a number"),
    "members everywhere": (lambda at: change(at, "members.npy", put(0, True)), "every record", "members.npy"),
    "members nowhere": (lambda at: change(at, "members.npy", put(0, False)), "no record", "leave members.npy out"),
    "split": (lambda at: change(at, "members.npy", split_patient), "split", "model 0, rows"),
    "shapes": (lambda at: change(at, "members.npy", lambda array: array[:, 1:]), "shapes differ", "members.npy"),
    "a row only": (lambda at: change(at, "members.npy", lambda array: array[0]), "shapes differ", "members.npy"),
    "fewer records": (lambda at: change(at, "signals.npy", lambda array: array[:, 1:]), "shapes differ", "signals.npy"),
    "halves": (lambda at: change(at, "members.npy", lambda array: array * 0.5), "true or false", "members.npy"),
    "text": (lambda at: (at / "members.npy").write_text("no"), "members.npy", "cannot be read"),
    "one patient": (one_patient, "records.parquet", "compared with others"),
    "twice": (twice, "rows 0 and 1", "there twice"),
    "nothing": (lambda at: (at / "signals.npy").unlink(), "neither", "either signals.npy or logits.npy"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_bad_input_is_refused_by_name(folder, tmp_path, name):
    breaking, *words = BROKEN[name]
    breaking(folder)
    said = refusal("audit", "as-found", folder, "--out", tmp_path / "out")
    for word in words:
        assert word in said
    assert not (tmp_path / "out").exists()


def test_a_model_that_is_not_there_is_refused(folder, tmp_path):
    said = refusal("audit", "as-found", folder, "--out", tmp_path / "out", "--target", 2)
    assert "there is no such model" in said
    assert "allowed: 0 to 1" in said
    assert "out" not in everything_in(tmp_path)


def test_other_rows_of_the_members_are_not_read(folder):
    change(folder, "members.npy", put((1, 0), True))
    found = read_as_found(folder).target(0)
    assert found.truth is not None
    assert found.truth.sum() == np.load(folder / "members.npy")[0].sum()
    change(folder, "members.npy", put(1, False))
    with pytest.raises(DataError, match="no record"):
        read_as_found(folder).target(1)
