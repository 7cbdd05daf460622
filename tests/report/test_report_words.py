"""Numbers in words: natural frequencies, percentages, and what the checks mean together."""

from __future__ import annotations

import pytest

from leadapron.attacks.identity import attackers as identity
from leadapron.attacks.linkage import ALL_ATTACKERS
from leadapron.attacks.membership import attackers as membership
from leadapron.errors import DataError
from leadapron.report import words
from leadapron.report.attackers import PLAIN, in_words
from leadapron.report.linkage.words import selective_count, verdict
from leadapron.report.numerals import clean, interval, out_of, p_value, percent, round_percent, so_many, times
from leadapron.report.selection import groups
from sample_results import GROUPS, estimate, write_sample


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_sample(tmp_path_factory.mktemp("words") / "audit")


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("share", "written"),
    [(0, "0 %"), (1, "100 %"), (0.0332, "3.32 %"), (0.1544, "15.4 %"), (0.09996, "10.0 %"), (0.00496, "0.50 %"),
     (0.001, "0.10 %"), (0.00034, "0.034 %"), (0.0000228, "0.0023 %"), (-0.002, "−0.20 %")],
)  # fmt: skip
def test_a_measured_share_keeps_two_digits_at_least(share, written):
    assert plain(percent(share)) == written


def test_given_shares_and_other_numbers():
    assert [plain(round_percent(share)) for share in (0.9, 1, 1 / 3000, 0.00001)] == [
        "90 %", "100 %", "0.0333 %", "0.001 %",
    ]  # fmt: skip
    assert plain(interval(0.0091, 0.0111)) == "0.91–1.11 %"
    assert [times(ratio) for ratio in (1, 9.43, 33.8, 1234.5)] == ["1×", "9.4×", "34×", "1,230×"]
    assert [p_value(p) for p in (0.0004, 0.031, 0.42)] == ["< 0.001", "0.031", "0.42"]
    assert clean("a\x00b\x1b") == "a�b�"


def test_natural_frequencies_have_a_denominator_at_which_chance_is_one():
    assert [out_of(chance) for chance in (0.01, 0.001, 1 / 3000, 1 / 43793, 0)] == [1000, 1000, 10_000, 100_000, 10**6]
    assert (so_many(0.0332, 1000), so_many(0, 1000), so_many(0.0001, 1000)) == ("33", "0", "fewer than 1")


def test_the_verdict_is_in_natural_frequencies_and_says_what_it_rests_on(results):
    assert verdict(results) == (
        "Of 1,000 radiographs, an attacker with a pool of 1,000 reports finds the right one first for 34; "
        "guessing would find 1. This rests on 3,412 radiographs of 1,204 patients (the whole release)."
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.03, "30 times as often as guessing"),
        (0.001, "cannot be told from guessing"),
        (0.0, "less often than guessing"),
    ],
)
def test_the_verdict_says_whether_it_differs_from_guessing(tmp_path, value, said):
    spot = {"direction": "image-to-report", "attacker": "csls", "pool": 1000}
    row = vars(estimate(value, 0.001, 3412, **spot))
    assert said in words.certainty(write_sample(tmp_path / "audit", estimates=[row]))


def test_a_headline_that_was_not_estimated_is_refused(tmp_path):
    results = write_sample(tmp_path / "audit", estimates=[])
    with pytest.raises(DataError, match="headline is not among"):
        verdict(results)


@pytest.mark.parametrize(
    ("outcomes", "worst"),
    [([], "not-run"), (["pass"], "pass"), (["pass", "warn"], "warn"), (["warn", "not-run"], "not-run"),
     (["not-run", "fail"], "fail"), (["fail", "error", "pass"], "error")],
)  # fmt: skip
def test_the_worst_outcome_speaks(tmp_path, outcomes, worst):
    everybody = ["cosine", "csls", "pooled", "realigned", "assignment"]
    rows = [{"check": "c", "outcome": outcome, "reason": "r", "attackers": everybody} for outcome in outcomes]
    standing, sentence = words.standing(write_sample(tmp_path / "audit", outcomes=rows))
    assert standing == worst
    assert ("can be relied on" in sentence) == (worst == "pass")
    assert "audit" in sentence  # whose checks they are, under a verdict on a risk


def test_attackers_are_told_of_in_plain_words(results, tmp_path):
    csls = "one who corrects for candidates that are near to everybody (csls)"
    assert words.strongest(results) == f"The strongest of 5 attackers is shown: {csls}. A stronger one may exist."
    spot = {"direction": "image-to-report", "attacker": "csls", "pool": 1000}
    one = write_sample(tmp_path / "audit", estimates=[vars(estimate(0.03, 0.001, 3412, **spot))])
    assert words.strongest(one) == f"One attacker was tried: {csls}."
    assert in_words(results, "somebody-new") == "somebody-new"


def test_an_attacker_without_ranks_who_does_better_is_not_passed_over(tmp_path):
    spot = {"direction": "image-to-report", "pool": 1000}
    rows = [
        vars(estimate(value, 0.001, 3412, attacker=name, **spot))
        for name, value in (("csls", 0.03), ("assignment", 0.05))
    ]
    said = words.strongest(write_sample(tmp_path / "audit", estimates=rows))
    assert "no report twice (assignment), with 50 of 1,000" in said
    assert "The strongest of" not in said


def test_every_attacker_that_an_audit_has_is_in_plain_words():
    as_found = {"rmia-500", "target-alone"}
    assert set(PLAIN["linkage"]) == set(ALL_ATTACKERS)
    assert set(PLAIN["identity"]) == set(identity.ATTACKERS)
    assert set(PLAIN["membership"]) == {*membership.ONE_LABEL, *membership.SEVERAL_LABELS, *as_found}


def test_few_linked_patients_are_not_counted_out(results):
    few, many = results.content["selective"][1], results.content["selective"][0]
    older = {**few, "patients": 4, "share": 0.003, "low": 0.001, "high": 0.008}
    assert selective_count(results, few) == selective_count(results, older) == "fewer than 10 patients"
    assert plain(selective_count(results, many)) == "14 patients (1.16 % of them)"
    assert selective_count(results, {**few, "patients": 0}) == "no patient"


def test_levels_stand_in_the_order_of_their_numbers(tmp_path):
    spot = {"direction": "image-to-report", "attacker": "csls", "pool": 1000}
    rows = [vars(estimate(0.03, 0.001, 100, **spot))]
    rows += [vars(estimate(0.03, 0.001, 20, **spot, group=name)) for name in ("age=100-109", "age=20-29", "age=3-9")]
    found = groups(write_sample(tmp_path / "audit", estimates=rows))
    assert [group.level for group in found] == ["3-9", "20-29", "100-109"]


def test_older_results_do_not_show_small_groups_nor_those_that_would_give_them_away(results):
    shown = {f"{group.attribute}={group.level}" for group in groups(results)}
    # race: 6 others could be had by subtraction from the whole, so the next smallest group goes, too
    assert set(GROUPS) - shown == {"race=Other", "race=Asian", "label_fracture=1"}


@pytest.mark.parametrize(
    ("sizes", "withheld"),
    [((50, 50), set()), ((95, 5), {0, 1}), ((9, 91), {0, 1}), ((10, 90), set()), ((50, 42, 8), {1, 2}),
     ((93,), {0}), ((90,), set()), ((60, 30, 5, 5), {2, 3})],
)  # fmt: skip
def test_what_is_shown_leaves_no_small_rest(tmp_path, sizes, withheld):
    spot = {"direction": "image-to-report", "attacker": "csls", "pool": 1000}
    rows = [vars(estimate(0.03, 0.001, 100, **spot))]
    rows += [vars(estimate(0.03, 0.001, n, **spot, group=f"a={at}")) for at, n in enumerate(sizes)]
    found = groups(write_sample(tmp_path / "audit", estimates=rows))
    assert set(range(len(sizes))) - {int(group.level) for group in found} == withheld
