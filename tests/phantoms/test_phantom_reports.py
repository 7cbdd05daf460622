"""The reports of both sites say what is shown, in several voices, and keep where identifiers were planted."""

from __future__ import annotations

import re

import polars as pl
import pytest

from leadapron.cohort.labels import label_column
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.phantom_findings import PATHOLOGIES
from leadapron.phantoms.report_wording import Wording
from leadapron.phantoms.seen import cardiothoracic_ratio
from leadapron.phantoms.sites import SITES


@pytest.fixture(scope="module", params=SITES)
def site(request) -> str:
    return request.param


@pytest.fixture(scope="module")
def wording(site) -> Wording:
    return SITES[site].wording


@pytest.fixture(scope="module", params=[0.0, 1.0], ids=["vague", "specific"])
def studies(request, site):
    records = build_clinic(Dials(patients=300, specificity=request.param, repetition=0.3, site=site)).cohort.records
    return records.unique("study_id", maintain_order=True)


def either(sentences, *, filled=".+?") -> str:
    """A pattern for any of these sentences, whatever stands in their gaps; for no text at all if there are none."""
    return "|".join(re.sub(r"\\{.*?\\}", filled, re.escape(sentence)) for sentence in sentences) or "\x00"


def test_every_positive_label_is_said_and_no_negative_one(studies, wording):
    # a name counts with the sentences that deny something taken away, and the templates deny everything
    denials = either(sentence for sentences in wording.negatives.values() for sentence in sentences)
    own_words = studies.filter(~pl.col("report").is_in(list(wording.templates)))
    bare = own_words.with_columns(pl.col("report").str.replace_all(denials, ""))
    for finding in PATHOLOGIES:
        nouns = "|".join(rf"\b{noun}\b" for noun in wording.nouns[finding])
        said = bare["report"].str.contains(f"(?i){nouns}")
        shown = bare[label_column(finding)] == 1
        assert shown.any()
        assert (said == shown).all(), finding
        denied = own_words["report"].str.contains(either(wording.negatives.get(finding, ())))
        assert not (denied & shown).any(), finding
    templates = studies.filter(pl.col("report").is_in(list(wording.templates)))
    assert (templates["label_no_finding"] == 1).all()
    assert (templates["label_support_devices"] == 0).all()


def test_a_device_is_said_if_and_only_if_there_is_one(studies, wording):
    every = [*wording.some_device, *wording.pacemaker, *(text for texts in wording.devices.values() for text in texts)]
    assert (studies["report"].str.contains(either(every)) == (studies["label_support_devices"] == 1)).all()


def test_reports_have_findings_and_impression_and_several_voices(studies, wording):
    headings = [wording.findings_heading, wording.impression_heading]
    first, second = reversed(headings) if wording.impression_first else headings
    assert studies["report"].str.contains(rf"^{first} \S[\s\S]+\n\n{second} \S").all()
    edema = studies.filter(pl.col("label_edema") == 1)["report"]
    assert edema.str.extract(r"(?i)(\w+ \w+ o?edema)").n_unique() > 3
    numbered = studies["report"].str.contains(f"{wording.impression_heading} 1.", literal=True).mean()
    assert 0.2 < numbered < 0.8


def test_normals_recur_word_for_word(studies, wording):
    counts = studies.filter((pl.col("label_no_finding") == 1) & (pl.col("label_support_devices") == 0))["report"]
    commonest = counts.value_counts().sort("count")
    assert commonest["count"][-1] > 3
    assert commonest["report"][-1] in wording.templates


@pytest.mark.parametrize(
    ("where", "patterns"),
    [
        (
            "A",
            [
                r"may represent",
                r"cannot be excluded",
                r"(increased|decreased|unchanged|stable)[^.]* prior study",
                r"\bright\b",
                r"\bleft\b",
                r"\bbilateral\b",
                r"\d+ mm",
                r"\d\.\d cm above the carina",
                r"[Nn]o pneumothorax",
            ],
        ),
        (
            "B",
            [
                r"\? \w",
                r"Suspect",
                r"(up|down|worse|better|no change)[^.]* previous",
                r"\bR\b",
                r"\bL\b",
                r"\bbilat\b",
                r"\d+ mm",
                r"\d\.\d cm above carina",
                r"No PTX",
            ],
        ),
    ],
)
def test_hedges_comparisons_laterality_and_measurements_occur(where, patterns):
    text = " ".join(build_clinic(Dials(patients=300, site=where)).cohort.records["report"])
    for pattern in patterns:
        assert re.search(pattern, text), pattern


def test_planted_identifiers_stand_where_the_table_says(site):
    clinic = build_clinic(Dials(patients=60, identifiers="plain", site=site))
    reports = dict(clinic.cohort.records.select("study_id", "report").unique().iter_rows())
    patterns = {
        "name": r"[A-Z]\w+ [A-Z]\w+",
        "staff": r"[A-Z]\w+ [A-Z]\w+",
        "mrn": r"\d{7}",
        "date": r"\d\d/\d\d/\d{4}",
        "hospital": r"[A-Z][\w ]+",
        "phone": r"\(\d{3}\) 555-\d{4}",
    }
    spans = clinic.identifiers
    assert set(spans["category"]) == set(patterns)
    assert set(spans["study_id"]) == set(reports)
    for study, kind, start, end in spans.iter_rows():
        assert re.fullmatch(patterns[kind], reports[study][start:end])

    # with the spans blacked out, nothing that looks like a number of a person, a date or a phone is left
    for study, text in reports.items():
        for _, _, start, end in spans.filter(pl.col("study_id") == study).sort("start", descending=True).iter_rows():
            text = text[:start] + text[end:]
        assert not re.search(r"\d{7}|\d\d/\d\d/\d{4}|555-|Dr\. [A-Z]\w+ [A-Z]", text)


def test_a_patient_keeps_name_and_number_and_without_the_dial_there_are_none():
    clinic = build_clinic(Dials(patients=40, identifiers="plain"))
    reports = dict(clinic.cohort.records.select("study_id", "report").unique().iter_rows())
    numbers: dict[str, set[str]] = {}
    for study, kind, start, end in clinic.identifiers.iter_rows():
        if kind in ("mrn", "name"):
            numbers.setdefault(study.rsplit("-", 1)[0] + kind, set()).add(reports[study][start:end])
    assert all(len(values) == 1 for values in numbers.values())
    assert len({min(values) for key, values in numbers.items() if key.endswith("mrn")}) == 40

    plain = build_clinic(Dials(patients=40))
    assert plain.identifiers.is_empty()
    assert not plain.cohort.records["report"].str.contains("MRN|Dr\\.|PATIENT").any()


def test_planting_identifiers_leaves_the_other_words_as_they_were(site):
    plain = build_clinic(Dials(patients=40, site=site)).cohort.records
    planted = build_clinic(Dials(patients=40, identifiers="plain", site=site)).cohort.records
    for bare, full in zip(plain["report"], planted["report"], strict=True):
        body = full[full.index(bare.split()[0]) :].split("\n\nFindings were discussed")[0]
        assert re.sub(r" of \d\d/\d\d/\d{4}", "", body) == bare


def test_a_comparison_needs_a_study_before_and_a_patient_to_be_known_again(site):
    records = build_clinic(Dials(patients=300, specificity=1, site=site)).cohort.records
    compares = r"(?i)prior study|previous|unchanged|\bagain\b|remains"
    first = records["study_id"].str.ends_with("-s1")
    assert not records.filter(first)["report"].str.contains(compares).any()
    assert records.filter(~first)["report"].str.contains(compares).mean() > 0.3
    strangers = build_clinic(Dials(patients=300, specificity=1, identity=0, site=site)).cohort.records
    assert not strangers["report"].str.contains(compares).any()


def test_the_said_cardiothoracic_ratio_is_the_drawn_one_in_both_projections(site):
    clinic = build_clinic(Dials(patients=300, specificity=1, site=site))
    seen = {"AP": 0, "PA": 0}
    for scene, view, report in zip(clinic.scenes, *clinic.cohort.records.select("view", "report"), strict=True):
        said = re.search(r"(?:cardiothoracic ratio(?: of)?|CTR) (0\.\d\d)", report)
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
def test_nothing_is_said_that_no_radiologist_would_say(nonsense, site):
    clinic = build_clinic(Dials(patients=600, specificity=1, repetition=0.3, site=site))
    reports = clinic.cohort.records["report"].unique()
    assert reports.str.extract(f"(?i)({nonsense})").drop_nulls().to_list() == []


def test_a_denial_does_not_contradict_a_neighbouring_finding(site, wording):
    records = build_clinic(Dials(patients=400, site=site)).cohort.records
    filled = records.filter((pl.col("label_pneumonia") == 1) | (pl.col("label_lung_opacity") == 1))
    assert not filled["report"].str.contains(either(wording.negatives["Consolidation"])).any()
