"""Membership in words: the verdict in natural frequencies, how sure it is, groups, the promise, and three columns."""

from __future__ import annotations

import pytest

from leadapron.attacks.membership import MEMBERSHIP, Declared
from leadapron.attacks.membership.declared import Share, risk_apart
from leadapron.attacks.membership.membership_numbers import auc, counted, people
from leadapron.attacks.membership.membership_sides import sides
from leadapron.attacks.membership.membership_words import certainty, facts, strongest, support, verdict
from leadapron.audits.wording import title_of
from sample_membership import estimates, write_little, write_membership


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_membership(tmp_path_factory.mktemp("words") / "audit")


@pytest.fixture(scope="module")
def little(tmp_path_factory):
    return write_little(tmp_path_factory.mktemp("words") / "little")


def only(results, keep, headline):
    """The same audit with some of its rows, the headline among them."""
    rows = tuple(filter(keep, results.estimates))
    risk = risk_apart(rows, Declared()).model_dump(mode="json")
    spot = {**results.spot.keys, **headline}
    return results.updated(estimates=rows, spot=spot, details={**results.details, "risk": risk})


def test_the_verdict_is_in_natural_frequencies_and_says_what_it_rests_on(results):
    assert verdict(results) == (
        "Of 1,000 patients, 4 (3 to 5) are recognised as members of the training set in at least nine of ten "
        "comparisons; by chance, none. This rests on 48,000 records of 20,000 patients (all records of the signals; "
        "200 models)."
    )
    assert certainty(results).endswith("has been taken out.")
    assert strongest(results).startswith(
        "The attacker takes all records of a patient together (joint). Beside it stand 4"
    )


def test_where_nobody_was_found_the_interval_says_how_many_there_may_be(little):
    assert verdict(little).startswith("Of 1,000 patients, none (0 to 12) are recognised")
    assert certainty(little).endswith("It goes down to no patient at all.")


def test_everything_that_belongs_to_the_verdict_is_said(results):
    said = support(results)
    assert said[0].startswith("One patient in a hundred has an AUC of 0.713 or more (0.707–0.719):")
    assert "with 200 models, chance alone reaches 0.592." in said[0]
    assert said[1].startswith("On average over all records, the highest AUC of an attack on single records is 0.57")
    assert "by one who asks whether an answer is likelier from models" in said[1]
    assert said[2].startswith("At one false alarm in 1,000, lira recognises 2")
    assert said[2].endswith("members, more than any other attack on single records; guessing recognises 1.")
    assert said[3].endswith("by chance, for <\N{NO-BREAK SPACE}0.001\N{NO-BREAK SPACE}%.")
    assert said[4].endswith("differs by race (p < 0.001), age (p = 0.012) and edema (p < 0.001).")
    assert "64 records and fewer than 10 patients: the promise was not kept, or" in said[5]
    assert len(said) == 6


def test_what_was_not_asked_is_said_or_left_out(little):
    said = support(little)
    assert len(said) == 5
    assert said[2].startswith("At one false alarm in 100, lira recognises")
    assert "the records have no attributes of patients" in said[4]
    assert "Promised" not in facts(little)


def test_groups_that_do_not_differ_and_a_promise_that_may_be_kept(results):
    kept = {"records": {"above": 9, "surely_above": 0}, "patients": {"above": 1, "surely_above": 0}}
    details = {**results.details, "promise": {**results.details["promise"], **kept}}
    tests = tuple(row.model_copy(update={"p_adjusted": 0.4}) for row in results.group_tests)
    said = support(results.updated(group_tests=tests, details=details))
    assert said[4] == "No group of patients has more of the most exposed records than chance would give it."
    assert said[5].endswith("which does not prove that it was kept.")


def test_without_patients_the_verdict_is_on_models(results):
    alone = only(
        results,
        lambda row: row.protocol == "aggregate",
        {"attacker": "lira", "protocol": "aggregate", "metric": "auc"},
    )
    assert verdict(alone).startswith("Of 1,000 records of members, membership is recognised at 0.1\N{NO-BREAK SPACE}%")
    assert "false alarms for 22; by guessing, for 1. This rests on 48,000 records" in verdict(alone)
    assert certainty(alone).startswith("That is 22 times as often as guessing (95")
    assert strongest(alone).startswith("Attackers tried: one who asks whether")
    assert "(lira); one who asks how far an answer is above those of models without the record (lira-offline);" in (
        strongest(alone)
    )
    nothing = only(results, lambda _row: False, {})
    assert verdict(nothing).startswith(
        "How many patients are recognised as members of the training set was not measured."
    )
    assert certainty(nothing) == strongest(nothing) == ""
    assert sides(nothing)[0].entries[0].number == "–"


def test_measured_declared_and_combined_are_three_columns(results, tmp_path):
    measured, declared, combined = sides(results)
    assert [side.name for side in (measured, declared, combined)] == ["Measured", "Declared", "Combined"]
    assert measured.entries[0].number == combined.entries[0].number == "4 (3 to 5) of 1,000"
    assert "(the worst case)" in declared.entries[0].words
    assert combined.entries[1].words.endswith("50\N{NO-BREAK SPACE}% are")
    other = sides(write_membership(tmp_path / "audit", Declared(access=0.1, prior=0.02)))
    assert other[0].entries[0].number == "37 (29 to 46) of 10,000"  # of as many as the combined one
    assert other[2].entries[0].number == "4 (3 to 5) of 10,000"
    assert other[2].entries[1].words.endswith("2\N{NO-BREAK SPACE}% are")


def test_numbers_are_written_as_they_were_measured():
    assert [auc(value) for value in (0.5, 0.99949, 0.9999, 1.0)] == ["0.500", "0.999", "> 0.9995", "1.000"]
    assert counted(Share(value=0.0, low=0.0, high=0.003), 1000) == "none (0 to 3)"
    assert counted(Share(value=0.0002, low=0.0, high=0.003), 1000) == "fewer than 1 (0 to 3)"
    assert [people(*share) for share in ((0.004, 0.1), (0.0004, 0.1), (0.0, 0.004), (0.0, 0.0004))] == [
        1000,
        10_000,
    ] * 2


def test_measures_and_facts_have_names(results):
    titles = {row.metric: title_of(MEMBERSHIP, row) for row in estimates()}
    assert titles["tpr@fpr=0.001"] == "Recognised at 0.1\N{NO-BREAK SPACE}% false alarms"
    assert titles["auc@top=0.01"] == "AUC that 1\N{NO-BREAK SPACE}% of the patients reach"
    assert titles["true-patients-above=0.9"] == "Patients above AUC 0.9, without scatter"
    told = facts(results)
    assert told["Promised"] == "ε = 1, δ = 1e-5 for one record"
    assert told["False alarms"] == "measured down to one false alarm in 10,000"
    assert told["Attackers"] == "lira, lira-offline, rmia, rmia-offline and joint"
    assert promised(results, epsilons=[0.0, 1.0], deltas=[0.3, 0.0]) == "a privacy profile of 2 pairs for one record"
    assert promised(results, epsilons=[], deltas=[], mu=0.5) == "0.5-Gaussian privacy for one record"


def promised(results, **promise):
    details = {**results.details, "promise": {**results.details["promise"], **promise}}
    return facts(results.updated(details=details))["Promised"]
