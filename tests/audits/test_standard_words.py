"""The verdict in words: natural frequencies, how sure it is, who attacked, and what the checks mean together."""

from __future__ import annotations

import pytest

from leadapron.attacks.identity import recognisers as identity
from leadapron.attacks.linkage import ALL_ATTACKERS
from leadapron.attacks.linkage.linkage_words import SelectiveRow, selective_count
from leadapron.attacks.membership import as_found_attackers as as_found
from leadapron.attacks.membership import membership_measures, record_attackers
from leadapron.audits import find_audit
from leadapron.audits import standard_words as words
from leadapron.errors import DataError
from leadapron.stats import Outcome
from sample_results import estimate, write_sample


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_sample(tmp_path_factory.mktemp("words") / "audit")


SPOT = {"direction": "image-to-report", "attacker": "csls", "pool": 1000}


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_the_verdict_is_in_natural_frequencies_and_says_what_it_rests_on(results):
    assert words.verdict(results) == (
        "Of 1,000 radiographs, an attacker with a pool of 1,000 reports finds the right one first for 34; "
        "by guessing, for 1. This rests on 3,412 radiographs of 1,204 patients (the whole release)."
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.03, "30 times as often as guessing"),
        (0.001, "cannot be told from guessing"),
        (0.0, "That is less than guessing gives"),
    ],
)
def test_the_verdict_says_whether_it_differs_from_guessing(results, value, said):
    assert said in words.certainty(results.updated(estimates=(estimate(value, 0.001, 3412, **SPOT),)))


@pytest.mark.parametrize(("seen", "said"), [(None, ""), (0.0021, "A true rate of 0.21 % or more would have been told")])
def test_the_smallest_leak_that_would_be_seen_is_told_where_it_is_known(results, seen, said):
    row = estimate(0.03, 0.001, 3412, **SPOT).model_copy(update={"detectable": seen})
    told = plain(words.could_see(results.updated(estimates=(row,))))
    assert told.startswith(said)
    assert bool(told) == bool(said)


def test_an_audit_that_measured_nothing_has_no_verdict(results):
    with pytest.raises(DataError, match="the audit measured nothing; got 'linkage'"):
        words.verdict(results.updated(estimates=()))


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [([], "not-run"), (["pass"], "pass"), (["pass", "warn"], "warn"), (["warn", "not-run"], "not-run"),
     (["not-run", "fail"], "fail"), (["fail", "error", "pass"], "error")],
)  # fmt: skip
def test_the_worst_outcome_speaks(results, outcomes, worst):
    rows = tuple(Outcome("c", outcome, "r", ALL_ATTACKERS) for outcome in outcomes)
    standing, sentence = words.standing(results.updated(outcomes=rows))
    assert standing == worst
    assert ("can be relied on" in sentence) == (worst == "pass")
    assert "audit" in sentence  # whose checks they are, under a verdict on a risk


def test_attackers_are_told_of_in_plain_words(results):
    csls = "one who corrects for candidates that are near to everything (csls)"
    assert words.strongest(results) == f"The strongest of 5 attackers is shown: {csls}. A stronger one may exist."
    one = results.updated(estimates=(estimate(0.03, 0.001, 3412, **SPOT),))
    assert words.strongest(one) == f"One attacker was tried: {csls}."
    assert words.in_words(find_audit("linkage"), "somebody-new") == "somebody-new"


def test_an_attacker_without_ranks_who_does_better_is_not_passed_over(results):
    rows = [
        estimate(value, 0.001, 3412, **{**SPOT, "attacker": name})
        for name, value in (("csls", 0.03), ("assignment", 0.05))
    ]
    said = words.strongest(results.updated(estimates=tuple(rows)))
    assert "no report twice (assignment), with 50 of 1,000" in said
    assert "The strongest of" not in said


def test_every_attacker_that_an_audit_has_is_in_plain_words():
    assert set(find_audit("linkage").attackers) == set(ALL_ATTACKERS)
    assert set(find_audit("identity").attackers) == set(identity.ATTACKERS)
    of_records = {"bi-normal", "mann-whitney", *record_attackers.ONE_LABEL, *record_attackers.SEVERAL_LABELS}
    assert set(find_audit("membership").attackers) == of_records | {*membership_measures.SCORES}
    assert set(find_audit("as-found").attackers) == {*as_found.ATTACKERS, *membership_measures.SCORES}


def test_few_linked_patients_are_not_counted_out(results):
    many, few = results.details["selective"]
    counted = {**few, "patients": 4, "share": 0.003, "low": 0.001, "high": 0.008}
    for row in (few, counted):
        assert selective_count(results, SelectiveRow(**row)) == "fewer than 10 patients"
    assert plain(selective_count(results, SelectiveRow(**many))) == "14 patients (1.16 % of them)"
    assert selective_count(results, SelectiveRow(**{**few, "patients": 0})) == "no patient"
