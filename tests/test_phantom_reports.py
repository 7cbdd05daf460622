"""The reports say what is shown, in several voices, and keep where identifiers were planted."""

from __future__ import annotations

import re

import polars as pl
import pytest

from leadapron.cohort import FINDINGS
from leadapron.cohort.labels import label_column
from leadapron.phantom import Dials, build_clinic
from leadapron.phantom.phrases import NEGATIVES, NOUNS, SOME_DEVICE, TEMPLATES
from leadapron.phantom.seen import cardiothoracic_ratio


@pytest.fixture(scope="module", params=[0.0, 1.0], ids=["vague", "specific"])
def studies(request):
    records = build_clinic(Dials(patients=300, specificity=request.param, repetition=0.3)).cohort.records
    return records.unique("study_id", maintain_order=True)


def test_every_positive_label_is_said_and_no_negative_one(studies):
    for finding in set(FINDINGS) - {"No Finding", "Support Devices"}:
        # a hazy "opacity" is also in "airspace opacity"; a name counts with the sentence that denies it taken away
        denials = "|".join(re.escape(sentence) for sentence in NEGATIVES.get(finding, ())) or "\x00"
        nouns = "|".join(rf"\b{noun}\b" for noun in NOUNS[finding])
        positive = studies.filter(pl.col(label_column(finding)) == 1)
        said = positive["report"].str.replace_all(denials, "").str.contains(f"(?i){nouns}")
        assert len(positive)
        assert said.all(), finding
        for sentence in NEGATIVES.get(finding, ()):
            assert not positive["report"].str.contains(sentence, literal=True).any(), sentence


def test_an_unwarranted_finding_is_never_said(studies):
    texts = studies.filter(~pl.col("report").is_in(list(TEMPLATES)))
    healthy = texts.filter(pl.col("label_pneumothorax") == 0)["report"]
    bare = healthy.str.replace_all(r"[^.]*\b([Nn]o|not)\b[^.]*\.", "")
    assert not bare.str.contains("pneumothorax").any()
    without_device = texts.filter(pl.col("label_support_devices") == 0)["report"]
    assert not without_device.str.contains("|".join(map(re.escape, SOME_DEVICE))).any()


def test_reports_have_findings_and_impression_and_several_voices(studies):
    assert studies["report"].str.contains(r"^FINDINGS:[\s\S]+\n\nIMPRESSION:").all()
    edema = studies.filter(pl.col("label_edema") == 1)["report"]
    assert edema.str.extract(r"(?i)(\w+ \w+ edema)").n_unique() > 3
    numbered = studies["report"].str.contains("IMPRESSION: 1.", literal=True).mean()
    assert 0.2 < numbered < 0.8


def test_normals_recur_word_for_word(studies):
    counts = studies["report"].value_counts()
    assert counts["count"].max() > 3
    assert counts.sort("count")["report"][-1] in TEMPLATES


def test_hedges_comparisons_laterality_and_measurements_occur():
    text = " ".join(build_clinic(Dials(patients=300)).cohort.records["report"])
    for pattern in (
        r"may represent",
        r"cannot be excluded",
        r"(increased|decreased|unchanged|stable)[^.]* prior study",
        r"\bright\b",
        r"\bleft\b",
        r"\bbilateral\b",
        r"\d+ mm",
        r"\d\.\d cm above the carina",
        r"[Nn]o pneumothorax",
    ):
        assert re.search(pattern, text), pattern


def test_planted_identifiers_stand_where_the_table_says():
    clinic = build_clinic(Dials(patients=60, identifiers=True))
    reports = dict(clinic.cohort.records.select("study_id", "report").unique().iter_rows())
    patterns = {
        "name": r"[A-Z]\w+ [A-Z]\w+",
        "physician": r"[A-Z]\w+ [A-Z]\w+",
        "mrn": r"\d{7}",
        "date": r"\d\d/\d\d/\d{4}",
        "hospital": r"[A-Z][\w ]+",
        "phone": r"\(\d{3}\) 555-\d{4}",
    }
    spans = clinic.identifiers
    assert set(spans["kind"]) == set(patterns)
    assert set(spans["study_id"]) == set(reports)
    for study, kind, start, end in spans.iter_rows():
        assert re.fullmatch(patterns[kind], reports[study][start:end])

    # with the spans blacked out, nothing that looks like a number of a person, a date or a phone is left
    for study, text in reports.items():
        for _, _, start, end in spans.filter(pl.col("study_id") == study).sort("start", descending=True).iter_rows():
            text = text[:start] + text[end:]
        assert not re.search(r"\d{7}|\d\d/\d\d/\d{4}|555-|Dr\. [A-Z]\w+ [A-Z]", text)


def test_a_patient_keeps_name_and_number_and_without_the_dial_there_are_none():
    clinic = build_clinic(Dials(patients=40, identifiers=True))
    reports = dict(clinic.cohort.records.select("study_id", "report").unique().iter_rows())
    numbers: dict[str, set[str]] = {}
    for study, kind, start, end in clinic.identifiers.iter_rows():
        if kind in ("mrn", "name"):
            numbers.setdefault(study.split("-")[0] + kind, set()).add(reports[study][start:end])
    assert all(len(values) == 1 for values in numbers.values())
    assert len({min(values) for key, values in numbers.items() if key.endswith("mrn")}) == 40

    plain = build_clinic(Dials(patients=40))
    assert plain.identifiers.is_empty()
    assert not plain.cohort.records["report"].str.contains("MRN|Dr\\.|PATIENT").any()


def test_planting_identifiers_leaves_the_other_words_as_they_were():
    plain = build_clinic(Dials(patients=40)).cohort.records
    planted = build_clinic(Dials(patients=40, identifiers=True)).cohort.records
    for bare, full in zip(plain["report"], planted["report"], strict=True):
        body = full[full.index("FINDINGS") :].split("\n\nFindings were discussed")[0]
        assert re.sub(r" of \d\d/\d\d/\d{4}", "", body) == bare


def test_a_comparison_needs_a_study_before_and_a_patient_to_be_known_again():
    records = build_clinic(Dials(patients=300, specificity=1)).cohort.records
    compares = r"(?i)prior study|previous|unchanged|\bagain\b|remains"
    first = records["study_id"].str.ends_with("-s1")
    assert not records.filter(first)["report"].str.contains(compares).any()
    assert records.filter(~first)["report"].str.contains(compares).mean() > 0.3
    strangers = build_clinic(Dials(patients=300, specificity=1, identity=0)).cohort.records
    assert not strangers["report"].str.contains(compares).any()


def test_the_said_cardiothoracic_ratio_is_the_drawn_one_in_both_projections():
    clinic = build_clinic(Dials(patients=200, specificity=1))
    seen = {"AP": 0, "PA": 0}
    for scene, view, report in zip(clinic.scenes, *clinic.cohort.records.select("view", "report"), strict=True):
        said = re.search(r"cardiothoracic ratio(?: of)? (0\.\d\d)", report)
        if said:
            assert float(said[1]) == pytest.approx(cardiothoracic_ratio(scene), abs=0.0051)
            seen[view] += 1
    assert min(seen.values()) > 10


@pytest.mark.parametrize(
    "nonsense",
    [
        r"(right|left|bilateral|mild|moderate|severe) an? ",
        r"rib[^.]*(lobe|perihilar|lung zone|apex|base)",
        r"pleural (thickening|scarring|plaque)[^.]*(perihilar|lobe)",
        r"lateral views",
    ],
)
def test_nothing_is_said_that_no_radiologist_would_say(nonsense):
    reports = build_clinic(Dials(patients=600, specificity=1, repetition=0.3)).cohort.records["report"].unique()
    assert reports.str.extract(f"(?i)({nonsense})").drop_nulls().to_list() == []


def test_a_denial_does_not_contradict_a_neighbouring_finding():
    records = build_clinic(Dials(patients=400)).cohort.records
    filled = records.filter((pl.col("label_pneumonia") == 1) | (pl.col("label_lung_opacity") == 1))
    assert not filled["report"].str.contains("No focal consolidation|clear of consolidation").any()
