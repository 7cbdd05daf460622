"""Membership in words: the verdict in natural frequencies, how sure it is, groups, the promise, and three columns."""

from __future__ import annotations

import pytest

from leadapron.attacks.membership import Declared
from leadapron.report import Results
from leadapron.report.membership.names import metric_name
from leadapron.report.membership.numbers import auc, counted, people
from leadapron.report.membership.sides import sides
from leadapron.report.membership.words import certainty, facts, strongest, support, verdict
from sample_membership import write_little, write_membership


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_membership(tmp_path_factory.mktemp("words") / "audit")


@pytest.fixture(scope="module")
def little(tmp_path_factory):
    return write_little(tmp_path_factory.mktemp("words") / "little")


def without(results, *, keep=bool, **content):
    return Results(
        {**results.content, "estimates": [row for row in results.estimates if keep(row)], **content}, results.folder
    )


def test_the_verdict_is_in_natural_frequencies_and_says_what_it_rests_on(results):
    assert verdict(results) == (
        "Of 1,000 patients, 4 (3 to 5) are recognised as members of the training set in nine comparisons of ten or "
        "more; by chance nobody is. This rests on 48,000 records of 20,000 patients (all whom the signals tell of; "
        "200 models)."
    )
    assert certainty(results).endswith("has been taken out.")
    assert strongest(results).startswith("The attack is on all records of a patient together (joint); 4 attacks")


def test_where_nobody_was_found_the_interval_says_how_many_there_may_be(little):
    assert verdict(little).startswith("Of 1,000 patients, none (0 to 12) are recognised")
    assert certainty(little).endswith("It goes down to nobody.")


def test_everything_that_belongs_to_the_verdict_is_said(results):
    said = support(results)
    assert said[0].startswith("One patient in a hundred has an AUC of 0.713 or more (0.707–0.719):")
    assert "with 200 models chance alone reaches 0.592." in said[0]
    assert said[1].startswith(
        "The strongest attacker on models is one who asks whether an answer is likelier from models"
    )
    assert "(lira). On average over everybody the AUC is 0.57" in said[1]
    assert said[2].startswith("At one false alarm in 1,000 it recognises 2")
    assert said[2].endswith("of 1,000 records of members; guessing would recognise 1.")
    assert said[3].endswith("by chance it would be for next to nobody.")
    assert said[4].endswith("differs by race (p < 0.001), age (p = 0.012) and edema (p < 0.001).")
    assert "64 records and fewer than 10 patients: the promise was not kept, or" in said[5]
    assert len(said) == 6


def test_what_was_not_asked_is_said_or_left_out(little):
    said = support(little)
    assert len(said) == 5
    assert said[2].startswith("At one false alarm in 100 it recognises")
    assert "the records came without attributes" in said[4]
    assert "Promised" not in facts(little)


def test_groups_that_do_not_differ_and_a_promise_that_may_be_kept(results):
    promise = {
        **results.content["promise"],
        "records": {"above": 9, "surely_above": 0},
        "patients": {"above": 1, "surely_above": 0},
    }
    tests = [{**row, "p_adjusted": 0.4} for row in results.content["group_tests"]]
    said = support(without(results, group_tests=tests, promise=promise))
    assert said[4] == "No group of patients has more of the most exposed records than chance would give it."
    assert said[5].endswith("which does not prove that it was kept.")


def test_without_patients_the_verdict_is_on_models(results):
    alone = without(results, keep=lambda row: row["protocol"] == "aggregate")
    assert verdict(alone).startswith("Of 1,000 records that the model was trained on, an attacker recognises 2")
    patient = {"attacker": "joint", "protocol": "patient", "metric": "tpr@fpr=0.01"}
    rows = [*alone.estimates, {**alone.estimates[2], **patient}]
    found = without(results, estimates=rows, headline={**results.content["headline"], **patient})
    assert verdict(found).startswith("Of 1,000 patients that the model was trained on, an attacker recognises 38 (")
    assert "at one false alarm in 100; guessing would recognise 10. This rests on" in verdict(found)
    assert strongest(alone).startswith("Attackers tried: one who asks whether")
    assert "(lira); one who asks how far an answer is above those of models without the record (lira-offline);" in (
        strongest(alone)
    )
    risk = {"measured": {}, "declared": {"access": 1.0, "prior": 0.5}, "combined": {}}
    nothing = without(alone, keep=lambda row: row is None, risk=risk)
    assert verdict(nothing).endswith("was not measured.")
    assert certainty(nothing) == strongest(nothing) == ""
    assert sides(nothing)[0].entries[0].number == "–"


def test_measured_declared_and_combined_are_three_columns(results, tmp_path):
    measured, declared, combined = sides(results)
    assert [side.name for side in (measured, declared, combined)] == ["Measured", "Declared", "Combined"]
    assert measured.entries[0].number == combined.entries[0].number == "4 (3 to 5) of 1,000"
    assert "(the worst case)" in declared.entries[0].words
    assert combined.entries[1].words.endswith("it was 50\N{NO-BREAK SPACE}%")
    other = sides(write_membership(tmp_path / "audit", Declared(0.1, 0.02)))
    assert other[0].entries[0].number == "37 (29 to 46) of 10,000"  # of as many as the combined one
    assert other[2].entries[0].number == "4 (3 to 5) of 10,000"
    assert other[2].entries[1].words.endswith("it was 2\N{NO-BREAK SPACE}%")
    assert sides(without(results, risk=None)) == ()


def test_numbers_are_written_as_they_were_measured():
    assert [auc(value) for value in (0.5, 0.99949, 0.9999, 1.0)] == ["0.500", "0.999", "> 0.9995", "1.000"]
    assert counted(0.0, 0.0, 0.003, 1000) == "none (0 to 3)"
    assert counted(0.0002, 0.0, 0.003, 1000) == "fewer than 1 (0 to 3)"
    assert [people(*share) for share in ((0.004, 0.1), (0.0004, 0.1), (0.0, 0.004), (0.0, 0.0004))] == [
        1000,
        10_000,
    ] * 2


def test_measures_and_facts_have_names(results):
    assert metric_name("tpr@fpr=0.001") == "Recognised at 0.1\N{NO-BREAK SPACE}% false alarms"
    assert metric_name("auc@top=0.01") == "AUC that 1\N{NO-BREAK SPACE}% of the patients reach"
    assert metric_name("true-patients-above=0.9") == "Patients above AUC 0.9, without scatter"
    assert metric_name("something else") == "something else"
    told = facts(results)
    assert told["Promised"] == "ε = 1, δ = 1e-5 for one record"
    assert told["False alarms"] == "measured down to one false alarm in 10,000"
    assert told["Attackers"] == "lira, lira-offline, rmia, rmia-offline and joint"
    profile = {"promise": {"epsilons": [0.0, 1.0], "deltas": [0.3, 0.0], "mu": None, "unit": "record"}}
    assert facts(without(results, config=profile))["Promised"] == "a privacy profile of 2 pairs for one record"
    gaussian = {"promise": {"epsilons": [], "deltas": [], "mu": 0.5, "unit": "record"}}
    assert facts(without(results, config=gaussian))["Promised"] == "0.5-Gaussian privacy for one record"
