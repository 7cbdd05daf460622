"""``defend reports``: what is written, in three modes, for a patient and across patients; options; in Python."""

from __future__ import annotations

import re
import subprocess
import sys
from datetime import datetime, timedelta

import polars as pl
import pytest

import leadapron as la
from command_line import refusal, run
from deid_reports import FIRST, GONE, MEDICINE, ROWS, SECOND, csv_file, defend, key_file, spans_of, written
from leadapron.cohort import read_cohort
from leadapron.defences.subjects import card_of
from leadapron.errors import ConfigError, DataError


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    return csv_file(tmp_path_factory.mktemp("source"))


@pytest.fixture(scope="module")
def made(source, tmp_path_factory):
    """With stand-ins, once for all tests that only read."""
    out = tmp_path_factory.mktemp("made") / "out"
    assert defend(source, out).code == 0
    return out


@pytest.fixture(scope="module")
def clinic_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("clinic") / "clinic"
    asked = ("--patients", 5, "--seed", 4, "--size", 32, "--identifiers", "hard")
    assert run("phantom", *asked, "--out", folder).code == 0
    return folder


def reports(out):
    return [row["report"] for row in written(out)]


# What is written instead


def test_no_identifier_is_left_in_any_file_and_the_medicine_stays(made):
    for path in made.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert not [word for word in GONE if word.encode() in content], path
    assert all(any(said in report for report in reports(made)) for said in MEDICINE)


def test_tags_say_what_was_there(source, tmp_path):
    assert defend(source, tmp_path / "out", "--replace", "tag").code == 0
    first, second, _ = reports(tmp_path / "out")
    assert first == (
        "Patient: [NAME]   MRN: [MRN]\nCompared with [DATE], the small left pleural effusion is unchanged.\n"
        "Read by Dr. [STAFF] on [DATE] at [TIME]."
    )
    assert second == "[NAME] was seen again on [DATE]. No pneumothorax. Mrs. [NAME] tolerated it well."


def test_removing_leaves_exactly_the_rest(source, tmp_path):
    assert defend(source, tmp_path / "out", "--replace", "remove").code == 0
    spans = spans_of(tmp_path / "out")
    for (record, _, text), new in zip(ROWS, reports(tmp_path / "out"), strict=True):
        for start, end in reversed(spans.filter(record_id=record).sort("start").select("start", "end").rows()):
            text = text[:start] + text[end:]
        assert new == text


def test_a_patient_is_one_person_in_all_reports_and_dates_keep_their_distance(made):
    first, second, third = reports(made)
    name = re.search(r"Patient: (\w+ \w+) ", first)[1]
    given, family = name.split()
    assert second.startswith(f"{family}, {given}".upper())
    assert f"Mrs. {family} tolerated" in second
    assert not re.search(f"{given} {family}", third)
    days = [datetime.strptime(one, "%m/%d/%Y") for one in re.findall(r"\d\d/\d\d/\d{4}", first)]
    later = datetime.strptime(re.search(r"on (\w+ \d+, \d{4})", second)[1], "%B %d, %Y")
    assert [(one - days[0]).days for one in (*days, later)] == [0, 19, 29]
    assert days[0].year != 2019


def test_the_same_key_gives_the_same_bytes_and_another_one_others(source, made, tmp_path):
    key, other = made.parent / "our.key", key_file(tmp_path)
    assert defend(source, tmp_path / "again", key=key).code == 0
    assert defend(source, tmp_path / "other", key=other).code == 0
    for name in ("reports.csv", "spans.parquet"):
        assert (tmp_path / "again" / name).read_bytes() == (made / name).read_bytes()
    assert (tmp_path / "other" / "reports.csv").read_bytes() != (made / "reports.csv").read_bytes()
    assert (tmp_path / "other" / "spans.parquet").read_bytes() == (made / "spans.parquet").read_bytes()


def test_dates_without_a_year_are_of_the_year_of_their_report(tmp_path):
    report = "DOB 3/2/1931. Exam date: 12/31/2019. Compared with 12/29 and January 2."
    assert defend(csv_file(tmp_path, [("r", "p", report)]), tmp_path / "out").code == 0
    _, exam, before, after = re.findall(
        r"\d+/\d+(?:/\d+)?|[A-Z][a-z]+ \d+(?=\.)", written(tmp_path / "out")[0]["report"]
    )
    day = datetime.strptime(exam, "%m/%d/%Y")
    assert f"{day - timedelta(2):%m/%d}" == before
    assert f"{day + timedelta(2):%B} {(day + timedelta(2)).day}" == after


def test_ages_above_89_become_90(tmp_path):
    source = csv_file(tmp_path, [("r", "p", "A 94-year-old with cough, whose son is a 61-year-old with edema.")])
    assert defend(source, tmp_path / "out").code == 0
    assert reports(tmp_path / "out") == ["A 90-year-old with cough, whose son is a 61-year-old with edema."]


# Spans


def test_spans_tell_where_and_what_and_never_the_words(made):
    spans = spans_of(made)
    assert spans.schema == pl.Schema(
        {"record_id": pl.String, "start": pl.Int64, "end": pl.Int64, "category": pl.String, "recogniser": pl.String}
    )
    texts = {record: text for record, _, text in ROWS}
    for record, start, end, category, _ in spans.iter_rows():
        assert 0 <= start < end <= len(texts[record])
        assert category in {"name", "staff", "date", "time", "mrn", "id"}
    by = {(texts[r][a:b], kind) for r, a, b, kind, _ in spans.iter_rows()}
    assert {("Amara Okafor", "name"), ("Lindqvist", "staff"), ("04/02/2019", "date"), ("4471902", "mrn")} <= by


def test_a_report_without_identifiers_stays_as_it_is(tmp_path):
    source = csv_file(tmp_path, [("r", "p", "The lungs are clear.")])
    assert defend(source, tmp_path / "out").code == 0
    assert reports(tmp_path / "out") == ["The lungs are clear."]
    assert spans_of(tmp_path / "out").height == 0


# A cohort


def test_a_cohort_comes_back_as_a_cohort_with_a_card(clinic_folder, tmp_path):
    known = clinic_folder / "patients-not-for-release.parquet"
    outcome = defend(clinic_folder, tmp_path / "out", "--known", known)
    assert (outcome.code, outcome.err) == (0, "")
    before, after = read_cohort(clinic_folder), read_cohort(tmp_path / "out")
    assert after.records.drop("report").equals(before.records.drop("report"))
    assert after.records["report"].to_list() != before.records["report"].to_list()
    card = card_of(after)
    assert (card.method, card.group, card.guarantee.kind) == ("reports", "reports", "none")
    assert card.settings == {"replace": "surrogate", "rules_only": False, "demographics": False}
    assert card.facts["patients_in_table"] == card.facts["patients"] == 5
    assert len(card.made_from) == 1
    assert str(tmp_path) not in (tmp_path / "out" / "cohort.json").read_text()
    lengths = dict(zip(before.records["record_id"], before.records["report"].str.len_chars(), strict=True))
    spans = spans_of(tmp_path / "out")
    assert all(0 <= start < end <= lengths[record] for record, start, end, *_ in spans.iter_rows())
    names = pl.read_parquet(known)["name"].str.split(" ").explode()
    left = " ".join(after.records["report"].drop_nulls())
    assert not [name for name in names if len(name) > 3 and re.search(rf"\b{name}\b", left)]


def test_the_card_of_a_table_says_what_was_found(made):
    card = card_of_table(made)
    assert card["method"] == "reports"
    assert card["facts"]["found"]["name"] >= 4
    assert "Identifiers replaced by stand-ins" in card["done"]


def card_of_table(out):
    return pl.read_json(out / "card.json").to_dicts()[0]["defence"]


def test_in_python_a_cohort_goes_in_and_comes_out(clinic_folder, tmp_path):
    cohort, key = read_cohort(clinic_folder), key_file(tmp_path)
    made = la.defend(cohort, "reports", key=key, replace="tag")
    assert made.records["record_id"].equals(cohort.records["record_id"])
    assert made.records["report"].str.contains("[NAME]", literal=True).any()
    assert card_of(made).settings["replace"] == "tag"
    again = la.defend(made, "reports", key=str(key))
    assert card_of(again).before.settings["replace"] == "tag"
    with pytest.raises(ConfigError, match="replace"):
        la.defend(cohort, "reports", key=key, replace="scramble")


def test_a_cohort_in_memory_is_not_believed_either(clinic_folder, tmp_path):
    cohort = read_cohort(clinic_folder).keep(pl.lit(True), "all of them")
    rtf = pl.lit("{\\rtf1 Patient}").alias("report")
    bad = type(cohort)(cohort.name, cohort.records.with_columns(rtf), cohort.funnel)
    with pytest.raises(DataError, match="record 1 is RTF"):
        la.defend(bad, "reports", key=key_file(tmp_path))


# Options


def test_what_must_stay_stays_and_what_must_go_goes(source, tmp_path):
    for name, lines in (("stay.txt", "Lindqvist\n\nOkafor\n"), ("go.txt", "pleural effusion\n")):
        (tmp_path / name).write_text(lines)
    lists = ("--whitelist", tmp_path / "stay.txt", "--blacklist", tmp_path / "go.txt")
    assert defend(source, tmp_path / "out", "--replace", "tag", *lists).code == 0
    first, second, _ = reports(tmp_path / "out")
    assert "Patient: [NAME] Okafor   MRN" in first
    assert "small left [ID] is unchanged" in first
    assert "Dr. Lindqvist on" in first
    assert second.startswith("OKAFOR, [NAME] was")
    nowhere = tmp_path / "nowhere.txt"
    for option in ("--whitelist", "--blacklist", "--known", "--spans", "--patterns"):
        assert "cannot be read" in told_of(source, tmp_path, option, nowhere)


def told_of(source, tmp_path, *more):
    return refusal("defend", "reports", source, "--key", tmp_path / "our.key", "--out", tmp_path / "not", *more)


def test_demographics_go_on_request(tmp_path):
    source = csv_file(tmp_path, [("r", "p", "61-year-old woman with edema.")])
    assert defend(source, tmp_path / "kept").code == 0
    assert defend(source, tmp_path / "out", "--demographics", "--replace", "tag").code == 0
    assert reports(tmp_path / "kept") == ["61-year-old woman with edema."]
    assert reports(tmp_path / "out") == ["[DEMOGRAPHIC] [DEMOGRAPHIC] with edema."]


def test_spans_of_readers_are_replaced_instead_of_searching(source, tmp_path):
    start = FIRST.index("pleural")
    (tmp_path / "spans.csv").write_text(
        f"record_id,start,end,category\nr1,{start},{start + 7},name\nr1,0,7,id\nr2,0,6,term\n"
    )
    assert defend(source, tmp_path / "out", "--spans", tmp_path / "spans.csv", "--replace", "tag").code == 0
    first, second, _ = reports(tmp_path / "out")
    assert first == FIRST.replace("Patient", "[ID]").replace("pleural", "[NAME]")
    assert second == SECOND
    assert spans_of(tmp_path / "out")["recogniser"].unique().to_list() == ["given"]


def test_the_truth_of_a_phantom_is_scrubbed_perfectly(clinic_folder, tmp_path):
    truth = clinic_folder / "identifiers.parquet"
    assert defend(clinic_folder, tmp_path / "out", "--spans", truth, "--replace", "remove").code == 0
    before = dict(read_cohort(clinic_folder).records.select("study_id", "report").iter_rows())
    cut = {
        study: before[study][: own["start"][0]]
        for (study,), own in pl.read_parquet(truth).sort("start").group_by("study_id", maintain_order=True)
    }
    after = dict(read_cohort(tmp_path / "out").records.select("study_id", "report").iter_rows())
    assert cut
    assert all(
        after[study].startswith(first.rstrip()) and len(after[study]) < len(before[study])
        for study, first in cut.items()
    )
    strange = pl.read_parquet(truth).with_columns(study_id=pl.lit("elsewhere"))
    strange.write_parquet(tmp_path / "strange.parquet")
    said = told_of(clinic_folder, tmp_path, "--spans", tmp_path / "strange.parquet")
    assert f"{len(strange):,} spans are of studies that are not there" in said


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("r9,0,3,name", "a record that is not there"),
        ("r1,0,9999,name", "outside of its report"),
        ("r1,3,3,name", "outside of its report"),
        ("r1,-1,3,name", "outside of its report"),
        ("r1,0,9,name\nr1,5,12,date", "overlaps another"),
        ("r1,0,3,person", "unknown category"),
        ("r1,0,3,", "a cell is empty in row 1"),
        ("r1,0,x,name", "whole numbers"),
    ],
)
def test_spans_that_do_not_fit_are_refused(source, tmp_path, rows, said):
    key_file(tmp_path)
    (tmp_path / "spans.csv").write_text(f"record_id,start,end,category\n{rows}\n")
    assert said in told_of(source, tmp_path, "--spans", tmp_path / "spans.csv")
    assert not (tmp_path / "not").exists()


def test_a_patient_table_of_other_patients_is_refused(source, tmp_path):
    key_file(tmp_path)
    (tmp_path / "table.csv").write_text("patient_id,name\nP1,Amara Okafor\n")
    assert "no patient of the reports is in the patient table" in told_of(
        source, tmp_path, "--known", tmp_path / "table.csv"
    )


def test_a_patients_facts_are_not_applied_to_others(tmp_path):
    text = "Compared with the film of the Grey family. Grey matter."
    source = csv_file(tmp_path, [("r1", "p1", text), ("r2", "p2", text)])
    (tmp_path / "table.csv").write_text("patient_id,name,mrn\np1,Ada Grey,77\np2,Ben Moss,78\n")
    assert defend(source, tmp_path / "out", "--known", tmp_path / "table.csv", "--replace", "tag").code == 0
    own, other = reports(tmp_path / "out")
    assert own.count("Grey") < other.count("Grey")
    assert spans_of(tmp_path / "out").filter(recogniser="patient table")["record_id"].unique().to_list() == ["r1"]


def test_a_folder_that_is_no_model_and_patterns_that_are_none_are_refused(source, tmp_path):
    key_file(tmp_path)
    (tmp_path / "bad.yaml").write_text("recognizers: [{name: x, patterns: [{regex: '(', score: 1}]}]")
    assert "neither 'spacy' nor the folder" in told_of(source, tmp_path, "--model", tmp_path)
    assert "'x' cannot be read" in told_of(source, tmp_path, "--patterns", tmp_path / "bad.yaml")
    assert {path.name for path in tmp_path.iterdir()} == {"our.key", "bad.yaml"}


def test_patterns_of_presidio_are_searched_for(tmp_path):
    source = csv_file(tmp_path, [("r", "p", "Locker zq-7 of the ward. The lungs are clear.")])
    (tmp_path / "ours.yaml").write_text(
        "recognizers:\n- {name: lockers, supported_entity: ID, patterns: [{name: l, regex: 'zq-\\d', score: 0.8}]}\n"
    )
    assert (
        defend(source, tmp_path / "out", "--patterns", tmp_path / "ours.yaml", "--rules-only", "--replace", "tag").code
        == 0
    )
    assert reports(tmp_path / "out") == ["Locker [ID] of the ward. The lungs are clear."]


def test_the_command_explains_itself():
    outcome = run("defend", "reports", "--help")
    assert (outcome.code, outcome.err) == (0, "")
    for option in ("--key", "--replace", "--known", "--model", "--column", "--skip-unreadable"):
        assert option in outcome.out
    assert "--work" not in outcome.out


def test_the_words_are_read_when_reports_are_and_not_before():
    script = """
import sys
import leadapron as la
la.defend
from leadapron.defences import find_defence
find_defence("reports")
from leadapron.reports.identifiers.lexicon import lexicon
print(lexicon.cache_info().currsize, [name for name in ("faker", "symspellpy", "torch") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "0 []\n"
