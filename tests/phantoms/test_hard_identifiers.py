"""Hard identifiers stand where the truth says, are as varied as they should be, and change nothing else."""

from __future__ import annotations

import hashlib
import re
from collections import Counter

import polars as pl
import pytest

from leadapron.errors import ConfigError
from leadapron.phantoms import Dials, build_clinic, plant_reports
from leadapron.phantoms.identifiers import Draft
from leadapron.phantoms.planted.gap_filling import CATEGORIES
from leadapron.phantoms.planted.planted_vocabulary import PARTS

IDENTIFYING = set(CATEGORIES.values())
CLEAN = (
    "FINDINGS: Heart size is normal. No pleural effusion, as on the prior study.\n\nIMPRESSION: No acute disease.",
    "The lungs are clear. There is a 12 mm nodule at T4.",
    "",
)


@pytest.fixture(scope="module", params=[(part, site) for part in PARTS for site in "AB"], ids="-".join)
def clinic(request):
    part, site = request.param
    return build_clinic(Dials(patients=300, seed=2, site=site, identifiers="hard", identifiers_part=part))


def texts_of(clinic) -> dict[str, str]:
    return dict(clinic.cohort.records.select("study_id", "report").unique().iter_rows())


def said(clinic, *categories: str) -> list[tuple[str, str]]:
    texts = texts_of(clinic)
    spans = clinic.identifiers.filter(pl.col("category").is_in(categories))
    return [(study, texts[study][start:end]) for study, _, start, end in spans.iter_rows()]


def test_every_report_has_two_to_eight_identifiers_and_every_category_occurs(clinic):
    counts = clinic.identifiers.group_by("study_id").len()["len"]
    assert (counts.min(), counts.max()) == (2, 8)
    assert set(clinic.identifiers["study_id"]) == set(texts_of(clinic))
    assert set(clinic.identifiers["category"]) == IDENTIFYING


def test_no_span_overlaps_another_be_it_identifier_or_term(clinic):
    texts = texts_of(clinic)
    spans = pl.concat([clinic.identifiers, clinic.terms]).sort("study_id", "start")
    assert (spans["start"] < spans["end"]).all()
    same_report = spans["study_id"] == spans["study_id"].shift(1)
    assert (spans["start"] >= spans["end"].shift(1)).filter(same_report.fill_null(False)).all()
    assert all(end <= len(texts[study]) for study, _, _, end in spans.iter_rows())


@pytest.mark.parametrize("part", PARTS)
def test_the_text_at_a_span_is_what_was_said(monkeypatch, part):
    spoken: list[tuple[str, str, str]] = []
    for how in ("identify", "say_term"):
        original = getattr(Draft, how)

        def listen(draft, category, text, original=original, how=how):
            spoken.append((how, category, text))
            original(draft, category, text)

        monkeypatch.setattr(Draft, how, listen)
    planted = plant_reports([""] * 200, [str(row) for row in range(200)], 1, part)
    # an empty report has no words of its own, so every span was planted
    for how, table in (("identify", planted.identifiers), ("say_term", planted.terms)):
        stands = [(category, planted.texts[int(row)][start:end]) for row, category, start, end in table.iter_rows()]
        assert stands == [(category, text) for way, category, text in spoken if way == how]


def test_spans_are_tight(clinic):
    """No blank at the ends, no punctuation, no title, no label."""
    for _, text in said(clinic, *IDENTIFYING - {"place"}):
        assert text == text.strip()
        assert not re.search(r"(?i)[,;:]$|^(dr|mr|mrs|ms|miss)\. |^(mrn|tel|npi|sn|fin) ", text), text


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("site", ["A", "B"])
def test_taking_out_what_was_planted_leaves_labels_images_and_words_as_they_were(part, site):
    bare = build_clinic(Dials(patients=40, site=site))
    hard = build_clinic(Dials(patients=40, site=site, identifiers="hard", identifiers_part=part))
    assert hard.cohort.records.drop("report").equals(bare.cohort.records.drop("report"))
    assert hard.scenes.tobytes() == bare.scenes.tobytes()
    for before, after in zip(bare.cohort.records["report"], hard.cohort.records["report"], strict=True):
        rest = iter(after)
        assert all(sign in rest for sign in before)  # in their order


def test_a_patient_stays_the_same_over_all_studies(clinic):
    """Where no scan or slip got in between, the number in a header is the register's; nobody has two."""
    register = {row["patient_id"]: row for row in clinic.patients.iter_rows(named=True)}
    assert set(register) == set(clinic.cohort.records["patient_id"])
    assert clinic.patients["birth_date"].str.contains(r"^\d{4}-\d\d-\d\d$").all()
    assert clinic.patients["accession"].null_count() == len(register)
    own = Counter()
    texts = texts_of(clinic)
    for study, category, start, end in clinic.identifiers.iter_rows():
        if category in ("mrn", "phone"):
            own[category, texts[study][start:end] == register[study.rsplit("-", 1)[0]][category]] += 1
    assert own["mrn", True] > 3 * own["mrn", False]  # the others are other people's, or misread
    assert own["phone", True] > 0.1 * own["phone", False]
    named = [(study.rsplit("-", 1)[0], text) for study, text in said(clinic, "name") if text.istitle()]
    known = [
        any(word in register[who]["name"] for word in re.split(r"\W+", text) if len(word) > 2) for who, text in named
    ]
    assert sum(known) > 0.5 * len(known)


def test_ages_above_89_are_identifiers_and_others_are_terms(clinic):
    texts = texts_of(clinic)
    for spans, old in ((clinic.identifiers, True), (clinic.terms, False)):
        ages = [texts[study][start:end] for study, what, start, end in spans.iter_rows() if what == "age"]
        assert ages
        digits = [int(age) for age in ages if re.fullmatch(r"\d+", age)]
        assert digits
        assert all((age > 89) == old for age in digits)
        spelled = [age.lower() for age in ages if re.fullmatch(r"(?i)[a-z]+(-[a-z]+)?", age)]
        assert all(age.startswith("ninety") == old for age in spelled)


def test_the_same_dials_give_the_same_truth_and_the_parts_differ():
    one, again = (build_clinic(Dials(patients=15, identifiers="hard")) for _ in range(2))
    assert one.cohort.records.equals(again.cohort.records)
    for table in ("identifiers", "terms", "patients"):
        assert getattr(one, table).equals(getattr(again, table))
    other = build_clinic(Dials(patients=15, identifiers="hard", identifiers_part="tune"))
    assert not set(one.patients["name"]) & set(other.patients["name"])


@pytest.mark.parametrize(
    ("site", "identifiers", "expected"),
    [
        ("A", "none", "ee7eb50a3c7131f677b2334fdfcfb9f91f650c35c8db4a4a6c2421ecfe377f9e"),
        ("A", "plain", "9df0c2528ad7c8ee36ae202e2339c2553ad81938eabf1d77d2a4ab705f639610"),
        ("B", "none", "579e09c183afe842346d8d6ad4645da27f5a7502e807350e929d9efffc17bd78"),
        ("B", "plain", "b9f884d906fda3362931c8b1e13f6299661cdc98c00b031e9c1d5c915e913721"),
    ],
)
def test_plain_reports_are_what_they_were_before_there_were_hard_ones(site, identifiers, expected):
    """Hashes recorded then."""
    reports = build_clinic(Dials(patients=150, seed=3, site=site, identifiers=identifiers)).cohort.records["report"]
    assert hashlib.sha256("\0".join(reports).encode()).hexdigest() == expected


def test_plain_has_terms_and_a_register_and_none_has_neither():
    plain, none = (build_clinic(Dials(patients=10, identifiers=which)) for which in ("plain", "none"))
    texts = texts_of(plain)
    assert {
        texts[study][start:end].lower() for study, what, start, end in plain.terms.iter_rows() if what == "laterality"
    }
    assert plain.patients["patient_id"].n_unique() == len(plain.patients) == 10
    for study, category, start, end in plain.identifiers.iter_rows():
        if category in ("name", "mrn"):
            who = plain.patients.row(by_predicate=pl.col("patient_id") == study.rsplit("-", 1)[0], named=True)
            assert texts[study][start:end] == who[category]
    assert none.identifiers.is_empty()
    assert none.terms.is_empty()
    assert none.patients.is_empty()


@pytest.mark.parametrize("part", PARTS)
def test_reports_of_others_are_planted_too(part):
    reports, patients = CLEAN * 20, [f"p{row // 6}" for row in range(60)]
    ids = [f"r{row}" for row in range(60)]
    planted = plant_reports(reports, patients, 4, part, record_ids=ids)
    again = plant_reports(reports, patients, 4, part, record_ids=ids)
    assert planted.texts == again.texts
    assert planted.identifiers.equals(again.identifiers)
    assert planted.patients.columns == ["patient_id", "name", "birth_date", "mrn", "accession", "phone", "address"]
    assert sorted(planted.patients["patient_id"]) == sorted(set(patients))
    texts = dict(zip(ids, planted.texts, strict=True))
    assert set(planted.identifiers["record_id"]) == set(ids)
    kept = {texts[who][start:end] for who, _, start, end in planted.terms.iter_rows()}
    assert {"12 mm", "nodule", "T4", "pleural", "effusion"} <= kept
    for row, bare in enumerate(reports):
        rest = iter(planted.texts[row])
        assert all(sign in rest for sign in bare)


def test_wrong_calls_are_named():
    with pytest.raises(ConfigError, match="train"):
        plant_reports(CLEAN, ["a"] * 3, 0, "train")
    with pytest.raises(ConfigError, match="3, 2 and 3"):
        plant_reports(CLEAN, ["a"] * 2, 0, "test")


@pytest.mark.study
@pytest.mark.parametrize("part", PARTS)
def test_every_common_category_occurs_hundreds_of_times_in_two_thousand_patients(part):
    spans = build_clinic(Dials(patients=2000, identifiers="hard", identifiers_part=part)).identifiers
    counts = dict(spans["category"].value_counts().iter_rows())
    print(part, counts)
    assert all(counts[category] >= 200 for category in IDENTIFYING), counts
