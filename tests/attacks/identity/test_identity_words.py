"""Identity in words: the verdict, what is left in fairer comparisons, copies, and where nothing is known."""

from __future__ import annotations

import pytest

from leadapron.attacks.identity.identity_words import facts, support
from leadapron.audits import find_audit
from leadapron.audits.standard_words import certainty, counted, strongest, verdict
from leadapron.audits.wording import named, title_of
from leadapron.errors import DataError
from leadapron.results.selection import first
from sample_identity import RECORDS, write_identity, write_small


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_identity(tmp_path_factory.mktemp("words") / "audit")


def changed(results, *, counts=None, keep=bool, **content):
    """The results with other counts, fewer estimates, or other content."""
    rows = tuple(row for row in results.estimates if keep(row))
    return results.updated(estimates=rows, counts={**results.counts, **(counts or {})}, **content)


def test_the_verdict_is_in_natural_frequencies_and_says_what_it_rests_on(results):
    assert verdict(results) == (
        "Of 1,000 radiographs whose patient has another one in the release, an attacker with a gallery of 1,000 images "
        "finds that patient first for 895; by guessing, for 4. This rests on 3,870 radiographs of 1,365 patients "
        "(split test)."
    )
    assert certainty(results).startswith(
        "That is 236 times as often as guessing (95\N{NO-BREAK SPACE}% interval: 885 to"
    )
    assert strongest(results) == (
        "The strongest of 4 attackers is shown: one who has learned from other patients what varies within a patient "
        "(learned). A stronger one may exist."
    )


def test_the_largest_gallery_holds_all_strangers(results):
    whole = changed(results, spot=results.spot.model_copy(update={"pool": RECORDS - 1}))
    assert "with a gallery of 4,209 images finds that patient first for 7,405; by guessing, for 9." in verdict(whole)
    assert "(precision@1) in a gallery of all other images of the release, by learned" in facts(whole)["Headline"]


def test_everything_that_belongs_to_the_verdict_is_said(results):
    assert support(results) == [
        "Of 1,000 patients with two radiographs or more, an attacker with a gallery of 1,000 images recognises at "
        "least one radiograph for 930; by guessing, for 13.",
        "Given a pair of radiographs of one patient and a pair of strangers', the former scores higher in 946 of 1,000 "
        "cases; by guessing, in 500.",
        "Against strangers of the same sex, view, age (ten years) and findings, the pair of one patient scores higher "
        "in 905 of 1,000 cases, and the right patient comes first, ahead of 99 of them, for 913 of 1,000 (otherwise "
        "982).",
        "Without repeats of one day and copies, the pair of one patient scores higher in 938 of 1,000 cases, and the "
        "right patient comes first of all images for 660 of 1,000 (otherwise 740).",
        "Of the 6,400 pairs of one patient, 512 are of one day or study and 37 are one and the same picture. Of the "
        "strangers' pairs fewer than 10 are: look whether one patient goes by two names there.",
        "Left out: 340 radiographs without another one of their patient in the release. An attacker who holds one from "
        "elsewhere may still recognise them.",
    ]


def test_where_nothing_was_matched_or_taken_apart_it_says_so(results):
    bare = changed(
        results,
        counts={"same_day_pairs": 0, "same_picture_pairs": 0, "without_mate": 0, "strangers_same_picture": 0},
        keep=lambda row: row.protocol not in ("matched", "apart"),
        details={"matched_on": []},
    )
    said = " ".join(support(bare))
    assert "were not compared: the release does not know them" in said
    assert "no two radiographs of a patient are of one day" in said
    assert (
        "none are of one day or study and none are one and the same picture. Of the strangers' pairs none is." in said
    )
    assert "Every radiograph has another one of its patient" in said
    assert facts(bare)["Strangers alike in"] == "nothing: the release has no attributes"


def test_a_share_without_its_comparison_stands_alone(results):
    few = changed(results, keep=lambda row: row.metric != "precision@1" or row.pool == 1000)
    said = support(few)
    assert said[2].endswith("scores higher in 905 of 1,000 cases.")
    assert said[3].endswith("scores higher in 938 of 1,000 cases.")


def test_small_numbers_are_not_counted_out(tmp_path):
    said = " ".join(support(write_small(tmp_path / "audit")))
    assert "fewer than 10 are of one day or study and none are one and the same picture" in said
    assert "Left out: fewer than 10 radiographs" in said
    assert "was not measured: too few of them agree" in said
    assert "was not measured: too few pairs are left" in said
    assert [counted(count) for count in (0, 1, 9, 10, 1200)] == ["0", "< 10", "< 10", "10", "1,200"]


def test_measures_have_names(results):
    audit = find_audit("identity")
    rows = {metric: first(results, metric=metric) for metric in ("tpr@fpr=0.001", "eer", "precision@1")}
    assert title_of(audit, rows["tpr@fpr=0.001"]) == "Recognised at 0.1\N{NO-BREAK SPACE}% false alarms"
    assert title_of(audit, rows["eer"]) == "Equal error rate"
    assert [named(audit, row) for row in rows.values()] == [
        "Recognised at 0.1\N{NO-BREAK SPACE}% false alarms (tpr@fpr=0.001)",
        "Equal error rate (eer)",
        "Right patient first (precision@1)",
    ]
    with pytest.raises(DataError, match="the audit 'identity' declares no such measure; got 'something else'"):
        audit.measure_of("something else")


def test_facts_tell_the_gallery_the_match_and_the_threshold(results):
    told = facts(results)
    assert told["Strangers alike in"] == "sex, view, age (ten years) and findings"
    assert told["Threshold set on"] == "validation patients"
    assert "999 strangers'" in told["Headline"]
