"""Prompts are read by rules: held against the truth of phantom clinics, and sentence by sentence."""

from __future__ import annotations

import pytest

from leadapron.cohort import FINDINGS
from leadapron.generation.canonical_prompt import NOUNS, canonical_prompt, labelled_reading
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.seen import see
from leadapron.reports.prompt_reading import Reading, Said, read_prompt

KINDS = (None, "endotracheal", "nasogastric", "jugular", "arm", "chest")


@pytest.fixture(scope="module")
def clinic():
    return build_clinic(Dials(patients=60, seed=11, specificity=1.0, repetition=0.0))


def test_all_that_a_specific_report_says_is_read_as_it_is_shown(clinic):
    for scene, view, report in zip(clinic.scenes, *clinic.cohort.records.select("view", "report"), strict=True):
        study, reading = see(scene), read_prompt(report)
        assert reading.present.keys() - {"Support Devices"} == {seen.finding for seen in study.findings}
        assert reading.view == view
        for seen in study.findings:
            said = reading.present[seen.finding]
            assert said.side == {"bilateral": "both"}.get(seen.side, seen.side)
            assert said.zone == seen.zone
            assert said.grade == min(2, int(3 * seen.severity)) + 1
            assert (said.measure is None) == (seen.measure is None)
        shown = {KINDS[study.device]} if study.device else set()
        assert reading.devices.keys() == shown | ({"pacemaker"} if study.pacemaker else set())


def test_what_is_not_said_stays_unknown():
    reading = read_prompt("There is pneumonia.")
    assert reading.present == {"Pneumonia": Said()}
    assert not reading.devices
    assert reading.view is None


def test_each_of_two_findings_in_a_sentence_keeps_its_own_details():
    reading = read_prompt("Small right pleural effusion and large left basilar atelectasis.")
    assert reading.present["Pleural Effusion"] == Said("right", None, 1)
    assert reading.present["Atelectasis"] == Said("left", "lower", 3)


@pytest.mark.parametrize(
    ("text", "finding", "measure"),
    [
        ("Nodule of 1.2 cm in the left upper lobe.", "Lung Lesion", 12.0),
        ("A 7 mm nodule.", "Lung Lesion", 7.0),
        ("Cardiomegaly with a cardiothoracic ratio of 0.61.", "Cardiomegaly", 0.61),
        ("Fracture of the 7th rib.", "Fracture", 7.0),
    ],
)
def test_measures_are_read(text, finding, measure):
    assert read_prompt(text).present[finding].measure == pytest.approx(measure)


def test_what_is_denied_is_absent_and_has_no_details():
    reading = read_prompt("No right pleural effusion. Chest tube was removed.")
    assert "Pleural Effusion" in reading.absent
    assert not reading.devices


def test_an_empty_prompt_says_nothing():
    assert read_prompt("") == Reading()


def test_a_canonical_prompt_is_read_back_as_what_it_was_made_of(clinic):
    for report in clinic.cohort.records["report"]:
        reading = read_prompt(report)
        again = read_prompt(canonical_prompt(reading))
        assert again.present == reading.present, report
        assert again.devices.keys() == reading.devices.keys()
        assert again.view == reading.view
        assert reading.absent <= again.absent


def test_each_finding_can_be_said_and_denied_by_itself():
    for name in NOUNS:
        assert read_prompt(canonical_prompt(Reading(present={name: Said()}))).present.keys() == {name}
        assert name in read_prompt(canonical_prompt(Reading(absent=frozenset({name})))).absent
    assert set(FINDINGS) == {*NOUNS, "No Finding"}


def test_the_label_counts_where_the_report_says_something_else():
    report = read_prompt("Large left pneumothorax. No edema.")
    labels = {"Pneumothorax": 0, "Edema": 1, "Pneumonia": None}
    reading = labelled_reading(labels, "AP", report)
    assert reading.present == {"Edema": Said()}
    assert reading.absent == {"Pneumothorax"}
