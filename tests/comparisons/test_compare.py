"""The comparison: pairs of the same records, what is refused, and the four forms it is written in."""

from __future__ import annotations

import html
import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

from command_line import everything_in, refusal, run
from leadapron.attacks.linkage import LINKAGE
from leadapron.audits import AUDITS
from leadapron.comparisons import RENDERERS, as_table, compare
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import DataError
from leadapron.stats import share_differences
from page_outline import plain
from tiny_results import HASHES, estimate, inputs_of, records, write

PATIENTS = np.arange(120) // 3


def recalls(seed, mean):
    return np.clip(np.random.default_rng(seed).normal(mean, 0.1, 120), 0, 1)


@pytest.fixture
def audit(tmp_path):
    """An audit with the evidence of 120 records of 40 patients."""

    def written(name, recall, estimates=None, *, evidence=None, **more):
        found = [estimate(float(np.mean(recall)))] if estimates is None else estimates
        tables = {"records": records(recall, PATIENTS)} if evidence is None else evidence
        return write(tmp_path / name, found, evidence=tables, title=name, **more)

    return written


# Pairs


def test_records_are_paired_whatever_their_order(audit):
    old, new = recalls(0, 0.5), recalls(1, 0.3)
    shuffled = records(new, PATIENTS).sample(fraction=1, shuffle=True, seed=1)
    before, after = audit("before", old), audit("after", new, evidence={"records": shuffled})
    (change,) = compare(before, after, seed=5).paired
    who = np.array([f"p{number}" for number in PATIENTS])
    expected = share_differences(old[:, None], new[:, None], who, seed=5)[0]
    assert change.found == expected
    assert (expected.before, expected.after) == (pytest.approx(old.mean()), pytest.approx(new.mean()))
    assert (expected.n, expected.clusters) == (120, 40)
    assert (change.at.protocol, change.at.pool, change.at.metric) == ("random", 1000, "recall@1")


def test_an_audit_compared_with_itself_shows_no_difference(audit):
    same = audit("same", recalls(0, 0.5))
    (change,) = compare(same, same).paired
    assert (change.found.difference, change.found.p) == (0, 1)
    assert "No difference could be shown" in as_table(compare(same, same))


@pytest.mark.parametrize(("mean", "words"), [(0.3, "The risk is lower"), (0.7, "The risk is HIGHER")])
def test_a_difference_is_found_and_named(audit, mean, words):
    comparison = compare(audit("before", recalls(0, 0.5)), audit("after", recalls(1, mean)))
    assert comparison.paired[0].found.p == 1 / 2001
    assert words in as_table(comparison)
    assert "p < 0.001" in as_table(comparison)


def test_each_side_is_judged_by_its_strongest_attacker_in_each_direction(audit):
    forth, back = "image-to-report", "report-to-image"
    before = {(forth, "csls"): 0.6, (forth, "cosine"): 0.5, (back, "cosine"): 0.4}
    after = {(forth, "cosine"): 0.5, (forth, "csls"): 0.2, (back, "realigned"): 0.4}
    first, second = compare(*(by_attacker(audit, name, side) for name, side in (("b", before), ("a", after)))).paired
    assert (first.at.direction, first.attacker_before, first.attacker_after) == (forth, "csls", "cosine")
    assert (second.at.direction, second.attacker_before, second.attacker_after) == (back, "cosine", "realigned")
    assert (first.tested, second.tested) == (True, False)
    assert second.found.difference == 0


def by_attacker(audit, name, means):
    """An audit of attackers with their mean recalls; the same attackers draw the same records."""
    found = {key: recalls(len(key[0]), mean) for key, mean in means.items()}
    rows = [estimate(float(recall.mean()), direction=way, attacker=who) for (way, who), recall in found.items()]
    tables = [records(recall, PATIENTS, direction=way, attacker=who) for (way, who), recall in found.items()]
    return audit(name, [], rows, evidence={"records": pl.concat(tables)})


def test_the_matching_of_the_whole_release_is_never_the_strongest_attacker(audit):
    """Neither is it the headline of an audit: it has no ranks. It was taken for the strongest where it did best."""
    means = {("image-to-report", "cosine"): 0.4, ("image-to-report", "assignment"): 0.6}
    same = by_attacker(audit, "same", means)
    (change,) = compare(same, same).paired
    assert (change.attacker_before, change.attacker_after) == ("cosine", "cosine")
    assert change.found.before == same.headline.value


def test_a_direction_that_only_one_audit_has_is_not_described(audit):
    means = {("image-to-report", "cosine"): 0.4, ("report-to-image", "cosine"): 0.4}
    both, one = by_attacker(audit, "both", means), audit("one", recalls(0, 0.4))
    for sides in ((both, one), (one, both)):
        assert [change.at.direction for change in compare(*sides).paired] == ["image-to-report"]


# Side by side


def test_estimates_that_both_audits_hold_stand_side_by_side(audit):
    before = audit(
        "before",
        recalls(0, 0.5),
        [estimate(0.02, low=0.01, high=0.03), estimate(0.0, attacker="csls"), estimate(0.1, pool=100)],
    )
    after = audit("after", recalls(0, 0.5), [estimate(0.005, low=0.004, high=0.006), estimate(0.1, attacker="csls")])
    changed, from_zero = compare(before, after).changes
    assert (changed.before, changed.after) == (before.estimates[0], after.estimates[0])
    assert (from_zero.before, from_zero.after) == (before.estimates[1], after.estimates[1])
    assert changed.paired.difference == 0
    assert from_zero.paired is None


def test_where_guessing_gives_another_share_after_both_are_told(audit):
    before = audit("before", recalls(0, 0.5), [estimate(0.02)])
    after = audit("after", recalls(0, 0.5), [estimate(0.02, chance=0.002)])
    assert "(guessing: 0.1 % before, 0.2 % after)" in plain(as_table(compare(before, after)))


def test_groups_too_small_to_be_shown_are_left_out(audit):
    rows = [estimate(0.02), estimate(0.5, group="age=90-99", n=9), estimate(0.02, group="age=60-69", n=1500)]
    shown = compare(audit("before", recalls(0, 0.5), rows), audit("after", recalls(0, 0.5), rows)).changes
    assert [change.before.group for change in shown] == [None, "age=60-69"]


# What is refused


def test_different_records_are_refused_with_their_counts(audit):
    before = audit("before", recalls(0, 0.5))
    fewer = audit("after", [0.5], evidence={"records": records(recalls(0, 0.5), PATIENTS)[:100]})
    with pytest.raises(DataError, match="120 before, 100 after, 100 in both"):
        compare(before, fewer)
    others = records(recalls(0, 0.5), PATIENTS).with_columns(pl.col("record_id") + "x")
    with pytest.raises(DataError, match="120 before, 120 after, 0 in both"):
        compare(before, audit("others", [0.5], evidence={"records": others}))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda table: table.with_columns(patient_id=pl.lit("p1")), "to another after"),
        (lambda table: table.with_columns(direction=pl.lit("report-to-image")), "not there; got .*, among 1,000 at"),
        (lambda table: table.clear(), "evidence of each record is not there"),
        (lambda table: table.drop("recall"), 'lacks a column .*"recall"'),
        (lambda table: table.drop("patient_id"), 'lacks a column .*"patient_id"'),
        (lambda table: table.with_columns(recall=pl.lit(None, pl.Float64)), "has gaps"),
        (lambda table: table.with_columns(recall=pl.lit(float("nan"))), "has gaps"),
        (lambda table: table.with_columns(patient_id=pl.lit(None, pl.String)), "has gaps"),
        (lambda table: pl.concat([table, table[:1]]), "stands twice"),
    ],
)
def test_evidence_that_does_not_fit_is_refused(audit, spoil, message):
    spoilt = spoil(records(recalls(0, 0.5), PATIENTS))
    with pytest.raises(DataError, match=message):
        compare(audit("before", recalls(0, 0.5)), audit("after", [0.5], evidence={"records": spoilt}))


def test_other_refusals(audit):
    before = audit("before", recalls(0, 0.5))
    with pytest.raises(DataError, match="different audits cannot be compared; got 'linkage and membership'"):
        compare(before, audit("other", recalls(0, 0.5), attack="membership"))
    with pytest.raises(DataError, match=r"got 'recall@1 .* among 1,000 at random.* and recall@1 .* among 100 at rand"):
        compare(before, audit("pool", recalls(0, 0.5), [estimate(pool=100)]))
    with pytest.raises(DataError, match="evidence of each record is not there"):
        compare(before, audit("bare", [0.5], evidence={}))
    few = audit("few", [0.5], evidence={"records": records([0.1] * 18, np.arange(18) // 2)})
    with pytest.raises(DataError, match="too few patients to compare; got 9; allowed: 10 or more"):
        compare(few, few)


# The forms


@pytest.fixture
def comparison(audit):
    rows = [estimate(0.02, low=0.01, high=0.03), estimate(0.0, attacker="a|b", pool=100, chance=0.01)]
    rows += [estimate(0.3, metric="mrr"), estimate(0.02, direction="report-to-image")]
    sides = []
    for seed, name in enumerate(["<b>Before", "After"]):
        ways = ("image-to-report", "report-to-image")
        tables = [records(recalls(seed, 0.4), PATIENTS, direction=direction) for direction in ways]
        sides.append(audit(name, [], rows, evidence={"records": pl.concat(tables)}))
    return compare(*sides)


def test_the_json_holds_everything(comparison):
    content = json.loads(RENDERERS[".json"](comparison))
    assert (content["format"], content["audit"]) == (2, "linkage")
    assert len(content["changes"]) == 4
    assert content["changes"][0]["before"] == comparison.changes[0].before.model_dump()
    assert [row["found"]["p"] for row in content["paired"]] == [row.found.p for row in comparison.paired]
    assert content["paired"][0]["at"]["pool"] == 1000


def test_the_markdown_has_tables_that_no_name_breaks(comparison):
    text = RENDERERS[".md"](comparison)
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 3 * (2 + 1)  # two pools in one direction, one in the other
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}
    assert not re.search(r"(?<!\\)<b", text)


def test_the_page_asks_for_nothing_and_escapes_names(comparison):
    page = RENDERERS[".html"](comparison)
    assert "default-src 'none'; style-src" in html.unescape(page)
    assert "&lt;b&gt;Before" in page
    assert "<b>" not in page
    assert not re.search(r"src=|href=\"[^#]|url\(|@import", page)
    assert page.count("<script") == 1  # it opens what is folded before the page is printed; its hash is in the policy
    drawings = [ET.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL)]
    marks = [list(drawing.iter("path")) for drawing in drawings]
    assert [len(found) for found in marks] == [4, 2]  # before and after, two rows and one
    assert page.count('aria-labelledby="') == len(set(re.findall(r'aria-labelledby="[^"]*"', page)))


def test_no_form_names_a_record_or_a_patient(comparison):
    for render in (*RENDERERS.values(), as_table, repr):
        assert not re.search(r"\b[rp]\d+\b", render(comparison))


# The command


@pytest.mark.parametrize("suffix", [".html", ".md", ".json"])
def test_the_command_prints_and_writes(audit, tmp_path, suffix):
    before, after = audit("before", recalls(0, 0.5)), audit("after", recalls(1, 0.3))
    output = tmp_path / f"change{suffix}"
    arguments = ("compare", tmp_path / "before", tmp_path / "after" / "results.json", "--output", output)
    done = run(*arguments)
    assert (done.code, done.err) == (0, "")
    assert "The risk is lower" in done.out
    assert "Right one first, radiograph → report, among 1,000 at random (guessing: 0.1 %)" in plain(done.out)
    assert output.read_text() == RENDERERS[suffix](compare(before, after))
    assert run(*arguments).code == 0


@pytest.mark.parametrize(("mean", "code"), [(0.3, 0), (0.5, 0), (0.7, 1)])
def test_a_release_that_became_riskier_stops_a_pipeline(audit, tmp_path, mean, code):
    """It was said in words, and the exit code was 0."""
    audit("before", recalls(0, 0.5))
    audit("after", recalls(0, mean))
    done = run("compare", tmp_path / "before", tmp_path / "after", "--output", tmp_path / "change.md")
    assert (done.code, done.err) == (code, "")
    assert ("HIGHER" in done.out) == ("HIGHER" in (tmp_path / "change.md").read_text()) == (code == 1)


def test_of_a_measure_of_errors_less_is_more_risk(audit, monkeypatch):
    sides = audit("before", recalls(0, 0.3)), audit("after", recalls(0, 0.5))
    assert compare(*sides).exit_code == 1
    errors = tuple(replace(measure, higher_is="better") for measure in LINKAGE.measures)
    monkeypatch.setitem(AUDITS, "linkage", replace(LINKAGE, measures=errors))
    assert compare(*sides).paired[0].more_risk is False
    assert compare(*sides).exit_code == 0
    assert compare(*reversed(sides)).exit_code == 1


DEFENDED = {"image.npy": "12" * 32}


@pytest.mark.parametrize(
    ("old", "new", "swapped"),
    [
        (inputs_of(), inputs_of(DEFENDED, made_from=[id_of_files(HASHES)], defence={"method": "noise"}), False),
        (inputs_of(DEFENDED, made_from=[id_of_files(HASHES)]), inputs_of(), True),
        (inputs_of(DEFENDED, defence={"method": "noise"}), inputs_of(), True),
        (inputs_of(DEFENDED, defence={"method": "noise"}), inputs_of(defence={"method": "noise"}), False),
        (inputs_of(kind="signals", made_from=["d", "r"]), inputs_of(kind="signals", made_from=["r"]), True),
        (inputs_of(kind="signals", made_from=["r"]), inputs_of(kind="signals", made_from=["d", "r"]), False),
        (inputs_of(), inputs_of(), False),
    ],
)
def test_a_comparison_warns_where_the_sides_look_swapped(audit, tmp_path, old, new, swapped):
    audit("before", recalls(0, 0.5), inputs=old)
    audit("after", recalls(0, 0.5), inputs=new)
    done = run("compare", tmp_path / "before", tmp_path / "after", "--output", tmp_path / "change.html")
    assert ("The sides look swapped" in done.err) == swapped
    assert ("The sides look swapped" in (tmp_path / "change.html").read_text()) == swapped


def test_the_command_refuses_and_leaves_nothing_behind(audit, tmp_path):
    audit("before", recalls(0, 0.5))
    audit("after", [0.5], evidence={"records": records(recalls(0, 0.5), PATIENTS)[:100]})
    there = everything_in(tmp_path)
    before, after = tmp_path / "before", tmp_path / "after"
    assert "120 before, 100 after" in refusal("compare", before, after, "--output", tmp_path / "x.md")
    assert "allowed: .html, .md, .json" in refusal("compare", before, before, "--output", tmp_path / "x.pdf")
    own = before / "results.json"
    assert "would replace the results" in refusal("compare", before, after, "--output", own)
    assert everything_in(tmp_path) == there
