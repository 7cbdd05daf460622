"""A utility on its page, in a model card, on the terminal and on disk, and what none of them shows."""

from __future__ import annotations

import json

import polars as pl
import pytest

from leadapron.audits.gathering import Gathering
from leadapron.audits.policy import Requirement
from leadapron.audits.render import render
from leadapron.audits.ruling import rule
from leadapron.audits.standard_words import certainty, standing
from leadapron.audits.wording import sentence
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import DataError
from leadapron.pages.terminal_text import in_columns
from leadapron.release import Release
from leadapron.results import Findings, Inputs, Results, Spot, read_results, save_results
from leadapron.results.selection import covered, headline
from leadapron.stats import Estimate
from leadapron.uses import UTILITY, UtilityConfig, measure_utility
from leadapron.uses.utility_audit import withheld_labels
from page_outline import EVIL, Outline
from utility_releases import made, only, outcome

QUICK = UtilityConfig(redraws=100, strengths=(0.1,))
HASHES = {"image.npy": "ab" * 32}


def results_of(findings):
    """As a command would leave them."""
    subject = {"kind": "release", "id": id_of_files(HASHES), "holds": ["image"]}
    return Results.of(
        findings,
        title="Utility of release",
        command="leadapron utility release",
        seed=0,
        config=QUICK.model_dump(mode="json"),
        inputs=Inputs.model_validate({"release": "release", "sha256": HASHES, "subject": subject}),
        versions={"numpy": "2"},
    )


@pytest.fixture(scope="module")
def results():
    """Of fourteen findings, two have few patients with them, though enough radiographs."""
    return results_of(measure_utility(made(1.5, images=3), QUICK))


def test_what_is_read_is_what_was_measured(results, tmp_path):
    save_results(results, tmp_path / "out")
    saved = read_results(tmp_path / "out")
    assert saved.estimates == results.estimates
    assert saved.outcomes == results.outcomes
    assert saved.details == results.details
    assert all(saved.evidence(name).equals(results.evidence(name)) for name in ("records", "strengths"))
    row = headline(saved)
    assert (row.metric, row.attacker, row.at) == ("auroc", "probe", {})
    assert UTILITY.measure_of("auroc").paired(results, saved, row).p == 1
    assert render(saved, ".md") == render(results, ".md")
    assert "p00" not in (tmp_path / "out" / "results.json").read_text()  # no patient's id outside of the evidence


def test_evidence_that_was_changed_is_refused(results, tmp_path):
    save_results(results, tmp_path / "out")
    table = tmp_path / "out" / "evidence" / "records.parquet"
    pl.read_parquet(table).with_columns(probe_edema=pl.lit(0.0)).write_parquet(table)
    saved = read_results(tmp_path / "out")
    with pytest.raises(DataError, match="not the one"):
        UTILITY.measure_of("auroc").paired(results, saved, headline(saved))


def test_labels_with_few_patients_are_withheld_and_so_is_what_would_give_one_away():
    sizes = dict.fromkeys(("a", "b", "c", "d"), 40)
    assert withheld_labels(sizes) == set()
    assert withheld_labels(sizes | {"b": 10}) == set()
    assert withheld_labels(sizes | {"b": 9, "c": 0}) == {"b", "c"}
    # one alone is the mean over all labels less the others
    assert withheld_labels(sizes | {"b": 3, "d": 12}) == {"b", "d"}
    assert withheld_labels({}) == set()


def test_withheld_labels_are_not_in_the_results_at_all(results):
    """Support devices are seen in eight patients; lung opacity, in ten, goes with them."""
    assert results.details["withheld"] == ["lung_opacity", "support_devices"]
    content = json.loads(render(results, ".json"))
    assert {row.get("label") for row in content["estimates"]}.isdisjoint(content["details"]["withheld"])
    assert set(content["details"]["positives"]).isdisjoint(content["details"]["withheld"])
    assert "support_devices" in results.details["macro_over"]["probe"]
    lines = in_columns(UTILITY.page.summary(results)).splitlines()
    assert [line.split() for line in lines if "support" in line] == [["AUROC,", "support", "devices", "withheld"]]


def test_the_mean_of_no_method_gives_a_label_away():
    """A label without a prompt is the probe's alone: that two are withheld there does not hide one here."""
    release = made(1.5, images=4)
    records = release.records.rename({"label_no_finding": "label_own"})
    few = pl.col("patient_id").is_in(records.filter(split="test")["patient_id"].unique().sort()[:5].implode())
    records = records.with_columns(
        pl.when(pl.col("split") == "test")
        .then(few)
        .otherwise(pl.col("label_own") == 1)
        .cast(pl.Int8)
        .alias("label_own"),
        label_lung_opacity=pl.col("label_edema"),
    )
    utility = measure_utility(Release(records, release.arrays, prompts=release.prompts), QUICK)
    for metric, method in (("auroc", "probe"), ("zero-shot auroc", "zero-shot")):
        shown = {row.label for row in utility.estimates if row.metric == metric and "label" in row.at}
        assert "support_devices" not in shown
        assert len(set(utility.details["macro_over"][method]) - shown) == 2


def test_fewer_than_ten_are_not_counted_out():
    utility = measure_utility(made(1.5, patients=40, images=8, prevalence=0.5), QUICK)
    assert utility.counts["test_patients"] is None
    assert utility.counts["test_records"] == 64
    assert utility.counts["train_patients"] == 24
    assert only(utility, "auroc").patients is None
    assert "fewer than 10 patients" in render(results_of(utility), ".md")


def test_the_control_vouches_for_those_it_tested(results):
    assert covered(results) == {"probe", "zero-shot"}
    assert standing(results)[1].endswith("No control covers retrieval: nothing vouches for those numbers.")
    images = measure_utility(made(prompts=False, text=False), QUICK)
    assert covered(images) == {"probe"}
    assert "zero-shot" not in outcome(images, "null control").reason


def test_the_page_speaks_of_use_and_not_of_attacks(results):
    page = Outline(render(results, ".html"))
    words = page.words.lower()
    times = round(1000 * results.headline.value)
    said = "in 1,000 comparisons, a linear probe scores a radiograph with a finding above one without it"
    assert f"{said} {times} times; by guessing, 500 times" in words
    assert "this rests on 144 radiographs of 48 patients (split test)." in words
    assert "that is more than guessing gives" in words
    assert "this is the mean over 14 findings" in words
    assert "probe, zero-shot, retrieval" in words
    for word in ("attack", "risk", "leak"):
        assert word not in words
    assert len(page.named("svg")) == 2
    assert 'name="null control (shuffled labels)"' in render(results, ".xml")


def found_row(low, high):
    """A mean AUROC with this interval."""
    estimate = Estimate((low + high) / 2, low, high, 0.01, 50, 20)
    return Gathering(UTILITY).add("auroc", estimate, attacker="probe", chance=0.5)


@pytest.mark.parametrize(
    ("ends", "said"), [((0.45, 0.55), "cannot be told"), ((0.3, 0.4), "less than guessing"), ((0.6, 0.7), "more than")]
)
def test_a_number_at_chance_or_below_it_says_so(ends, said):
    spot = Spot(metric="auroc", attacker="probe")
    found = Findings(audit="utility", about="use", headline=spot, estimates=(found_row(*ends),))
    assert said in certainty(results_of(found))


def test_images_alone_have_a_page_too():
    utility = results_of(measure_utility(made(prompts=False, text=False), QUICK))
    page = Outline(render(utility, ".html"))
    assert len(page.named("svg")) == 1
    assert "The release holds no sentences in the space of its images." in page.words
    assert "Zero-shot AUROC, mean" not in render(utility, ".md")


def test_a_label_cannot_break_out_of_the_page():
    release = made(1.5, prevalence=0.45)
    records = release.records.rename({"label_edema": f"label_{EVIL}"})
    results = results_of(measure_utility(Release(records, release.arrays, prompts=release.prompts), QUICK))
    html = render(results, ".html")
    assert "alert(1)</script>" in Outline(html).words
    assert "<script>alert" not in html
    assert "<img" not in html


def test_every_number_can_be_worded(results):
    for row in results.estimates:
        UTILITY.check(row)
        assert "guessing" in sentence(UTILITY, row)


def test_use_near_a_limit_is_too_close_to_call():
    entry = Requirement("useful", {"attack": "utility", "metric": "auroc"}, {"at_least": 0.8}, "why", "source")
    ends = (0.81, 0.9), (0.79, 0.81), (0.6, 0.7)
    assert [rule(UTILITY, [found_row(*one)], entry, ())[0] for one in ends] == ["pass", "too-close", "fail"]
