"""The audits of reports through every command: page, JSON, JUnit, Markdown, gate, compare, and bad input."""

from __future__ import annotations

import json
from dataclasses import replace

import polars as pl
import pytest

import leadapron as la
from command_line import refusal, run
from leadapron.cohort import read_cohort, write_cohort
from leadapron.phantoms import Dials, build_clinic, write_clinic
from leadapron.reports.report_set import of_cohort, read_reports, write_reports
from report_data import all_but, identifiers, made, written

AUDITS = ("residual", "parrot", "report-identity")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    of = made(90)
    return written(of, tmp_path_factory.mktemp("reports"), all_but(of, 0.06), how="stand-in")


@pytest.fixture(scope="module")
def audited(files):
    truth = ("--truth", files["truth.csv"], "--source", files["source.csv"])
    options = {"residual": (*truth, "--known", files["table.csv"]), "parrot": truth, "report-identity": ()}
    folder = files["released"].parent / "audits"
    done = {}
    for name in AUDITS:
        outcome = run("audit", name, files["released"], "--out", folder / name, *options[name])
        assert outcome.code == 0, outcome.err
        done[name] = (folder / name, " ".join(outcome.out.split()))
    return done


def test_the_verdicts_count_people(audited):
    assert "still have an identifier in a report. This rests on 90 patients (all reports)." in audited["residual"][1]
    assert "leaks, an imitation that flags 1 % of the stand-ins flags the leak for" in audited["parrot"][1].replace(
        "\xa0", " "
    )
    assert "reports whose patient has another one in the set" in audited["report-identity"][1]


@pytest.mark.parametrize("name", AUDITS)
def test_every_form_is_written_and_holds_no_text_and_no_place(audited, files, name):
    folder, _ = audited[name]
    for suffix in ("md", "xml", "json", "html"):
        done = run("report", folder, "--output", folder.parent / f"{name}.{suffix}")
        assert done.code == 0, done.err
    texts = [path.read_text() for path in folder.parent.glob(f"{name}*") if path.is_file()]
    texts += [(folder / "report.html").read_text(), (folder / "results.json").read_text()]
    known = pl.read_csv(files["table.csv"], infer_schema=False)
    for text in texts:
        assert str(files["released"].parent) not in text
        assert not any(number in text for number in known["mrn"])
        assert not any(person in text for person in known["name"])
    results = json.loads((folder / "results.json").read_text())
    assert results["inputs"]["subject"]["kind"] == "reports"
    assert "reports themselves" in texts[-2]


def test_one_gate_judges_all_three(audited):
    done = run("gate", *(folder for folder, _ in audited.values()), "--json")
    verdict = json.loads(done.out)
    assert done.code == verdict["exit_code"] == 1
    assert {one["id"] for one in verdict["judgements"]} >= {
        "identifiers-left-in-reports",
        "leaks-hidden-among-stand-ins",
        "same-patient-by-report",
        "planted identifiers",
    }
    leaks = next(one for one in verdict["judgements"] if one["id"] == "identifiers-left-in-reports")
    assert leaks["outcome"] == "fail"
    assert "times chance" not in leaks["reason"]


def test_what_is_asked_of_a_release_is_not_asked_of_reports(audited, tmp_path):
    (tmp_path / "all.toml").write_text(run("policy", "show", "starting-point").out)
    done = run("gate", audited["residual"][0], "--policy", tmp_path / "all.toml", "--json")
    outcomes = {one["id"]: one for one in json.loads(done.out)["judgements"]}
    assert outcomes["same-patient-first"]["outcome"] == "not-applicable"
    assert outcomes["same-patient-first"]["reason"] == "It is not asked of reports."
    assert outcomes["same-patient-by-report"]["outcome"] == "incomplete"
    results = la.audit(la.phantom(20, seed=1), "identity", attackers=("cosine",), split="all")
    judged = {one.id: one for one in la.gate(results, tmp_path / "all.toml").judgements}
    assert judged["identifiers-left-in-reports"].outcome == "not-applicable"
    assert judged["identifiers-left-in-reports"].reason == "It is not asked of a release or of models."


def test_reports_and_a_release_are_judged_together_and_both_are_named(audited):
    release = la.audit(la.phantom(20, seed=1), "identity", attackers=("cosine",), split="all")
    verdict = la.gate(release, audited["residual"][0])
    assert {"same-patient-first", "identifiers-left-in-reports"} <= {one.id for one in verdict.judgements}
    assert (verdict.release, len(verdict.also)) == ("release in memory", 1)
    assert verdict.also[0] in repr(verdict)


def test_a_better_finder_is_seen_in_a_comparison(audited, files, tmp_path):
    of = made(90)
    better = written(of, tmp_path, identifiers(of), how="stand-in")
    options = {name: files[f"{name}.csv"] for name in ("truth", "source")}
    after = la.audit(better["released"], "residual", known=files["table.csv"], **options)
    change = la.compare(audited["residual"][0], after)
    assert "lower" in repr(change)


def test_a_release_is_no_subject_of_it():
    with pytest.raises(la.errors.ConfigError, match="takes reports"):
        la.audit(la.phantom(20, seed=1), "residual")


# A cohort with its truth


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clinic")
    made_ = build_clinic(Dials(patients=30, seed=3, identifiers="plain"))
    write_clinic(made_, folder / "clinic")
    source = of_cohort(read_cohort(folder / "clinic"))
    true = pl.read_parquet(folder / "clinic" / "identifiers.parquet")
    spans = source.table.select("record_id", "study_id").join(true, on="study_id")
    spans = spans.filter(pl.col("category") != "mrn").select("record_id", "start", "end", "category")
    texts = []
    for record, _, text in source.records.iter_rows():
        for _, start, end, category in spans.filter(record_id=record).sort("start", descending=True).iter_rows():
            text = f"{text[:start]}[{category.upper()}]{text[end:]}"
        texts.append(text)
    write_reports(source.with_reports(texts, spans.with_columns(recogniser=pl.lit("toy"))), folder / "out")
    return folder


def test_the_truth_of_a_cohort_is_by_study(clinic):
    results = la.audit(str(clinic / "out"), "residual", truth=str(clinic / "clinic"))
    rows = {(row.metric, row.category): row for row in results.estimates}
    assert rows["left", "mrn"].value == 1
    assert rows["recall", "name"].value == 1
    assert results.headline.value == 1
    assert results.counts["reports"] == rows["left", "mrn"].n
    assert str(clinic) not in results.command
    released_ = read_reports(clinic / "out")
    assert results.counts["reports"] < len(released_)


# Bad input


def refused(files, *options, audit="residual", subject=None):
    out = files["released"].parent / "never"
    message = refusal("audit", audit, subject or files["released"], "--out", out, *options)
    assert not out.exists()
    return message


def test_truth_and_source_must_fit(files, tmp_path):
    truth, source = files["truth.csv"], files["source.csv"]
    assert "needs the reports that it is of" in refused(files, "--truth", truth)
    assert "tells no identifiers" in refused(files, "--source", source)
    assert "no truth here" in refused(files, "--truth", tmp_path / "none.csv", "--source", source)
    assert "no source here" in refused(files, "--truth", truth, "--source", tmp_path / "none.csv")
    assert "no identifiers.parquet" in refused(files, "--truth", tmp_path)
    assert "nothing to compare" in refused(files)
    assert "Missing option '--truth'" in run("audit", "parrot", files["released"], "--out", tmp_path / "x").err


def test_spans_must_lie_within_reports_that_are_there(files, tmp_path):
    spans = pl.read_csv(files["truth.csv"])
    both = ("--source", files["source.csv"])
    for change, what in (
        (pl.col("record_id") + "x", "spans are of reports that are not there; got 'row 1'"),
        ((pl.col("end") + 9000).alias("end"), "do not lie within their report; got 'row 1:"),
        (pl.col("start").neg() - 1, "do not lie within their report"),
        (pl.col("end").alias("start"), "do not lie within their report"),
    ):
        spans.with_columns(change).write_csv(tmp_path / "spans.csv")
        assert what in refused(files, "--truth", tmp_path / "spans.csv", *both)
    spans.drop("start").write_csv(tmp_path / "spans.csv")
    assert "column 'start' is missing" in refused(files, "--truth", tmp_path / "spans.csv", *both)


@pytest.mark.parametrize("audit", ["residual", "parrot"])
def test_the_truth_of_other_records_is_refused(files, tmp_path, audit):
    source = pl.read_csv(files["source.csv"], infer_schema=False)
    source.with_columns(pl.col("record_id") + "x").write_csv(tmp_path / "other.csv")
    spans = pl.read_csv(files["truth.csv"]).with_columns(pl.col("record_id") + "x")
    spans.write_csv(tmp_path / "spans.csv")
    options = ("--truth", tmp_path / "spans.csv", "--source", tmp_path / "other.csv")
    message = refused(files, *options, audit=audit)
    assert "180 of 180 records are not among those of the source" in message
    spans.clear().write_csv(tmp_path / "none.csv")
    options = ("--truth", tmp_path / "none.csv", "--source", files["source.csv"])
    assert "names no identifier" in refused(files, *options, audit=audit)


def test_found_spans_are_needed_and_must_fit(files, tmp_path):
    options = ("--truth", files["truth.csv"], "--source", files["source.csv"])
    bare = read_reports(files["released"])
    write_reports(replace(bare, spans=None), tmp_path / "bare")
    assert "no spans.parquet" in refused(files, *options, subject=tmp_path / "bare")
    wrong = bare.spans.with_columns(end=pl.col("end") + 9000)
    write_reports(replace(bare, spans=wrong), tmp_path / "wrong")
    assert "do not lie within" in refused(files, *options, subject=tmp_path / "wrong")
    assert run("audit", "report-identity", tmp_path / "bare", "--out", tmp_path / "fine").code == 0


def test_a_cohort_without_reports_is_refused(clinic, tmp_path, files):
    cohort = read_cohort(clinic / "clinic")
    empty = replace(cohort, records=cohort.records.with_columns(report=pl.lit(None, dtype=pl.String)))
    write_cohort(empty, tmp_path / "empty")
    message = refused(files, audit="report-identity", subject=tmp_path / "empty")
    assert "no record has a report" in message
