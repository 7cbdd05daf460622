"""The dials mean what they say: the ground truth of every other test rests on this."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.phantom import Dials, build_clinic
from leadapron.phantom.findings import PREVALENCE, noisy_labels
from leadapron.phantom.phrases import GRADES, INCIDENTAL, TEMPLATES
from leadapron.phantom.report import write_report
from leadapron.phantom.scene import CHEST_TUBE, ENDOTRACHEAL
from leadapron.phantom.seen import Seen, Study

FINDINGS = st.lists(
    st.sampled_from([name for name in PREVALENCE if name not in ("No Finding", "Support Devices")]), unique=True
)


def shown(finding, draw):
    """The finding with details of its own."""
    return Seen(
        finding=finding,
        severity=draw(st.floats(0.01, 1)),
        side=draw(st.sampled_from(["right", "left", "bilateral"])),
        zone=draw(st.sampled_from(["upper", "mid", "lower"])),
        measure=draw(st.sampled_from(["12 mm", "0.61"]))
        if finding in ("Lung Lesion", "Cardiomegaly", "Fracture")
        else None,
    )


def study(findings, device, draw):
    return Study(
        findings=tuple(shown(finding, draw) for finding in findings),
        device=draw(st.integers(ENDOTRACHEAL, CHEST_TUBE)) if device in ("acute", "both") else 0,
        device_side=draw(st.sampled_from(["right", "left"])),
        device_tip=draw(st.floats(0, 0.99)),
        airway_tip_cm=draw(st.floats(1, 7)),
        pacemaker=device in ("pacemaker", "both"),
        incidental=tuple(draw(st.lists(st.sampled_from(sorted(INCIDENTAL)), unique=True))),
    )


def report(shown, seed, specificity, view="AP", prior=None):
    draft = write_report(Random(seed), shown, prior, view, specificity=specificity, repetition=0.5, identifiers=None)
    return draft.text


@settings(deadline=None)
@given(st.data(), FINDINGS, st.integers(0, 2**32))
def test_specificity_zero_makes_the_report_a_function_of_the_labels(data, findings, seed):
    """Two images with the same labels, as different as can be, get the same words from the same radiologist."""
    some = [data.draw(st.sampled_from(["acute", "pacemaker", "both"])) for _ in range(2)]
    devices = some if data.draw(st.booleans()) else ["none", "none"]
    one, other = (study(findings, device, data.draw) for device in devices)
    prior = study(findings, "none", data.draw)
    assert report(one, seed, 0, "AP", prior) == report(other, seed, 0, "PA", prior)


def test_specificity_one_says_every_detail():
    effusion = Seen("Pleural Effusion", 0.9, "left", None, None)
    lesion = Seen("Lung Lesion", 0.5, "right", "upper", "23 mm")
    seen = Study((effusion, lesion), ENDOTRACHEAL, "right", 0.5, 4.2, True, ("wires",))
    for seed in range(50):
        text = report(seen, seed, 1)
        assert "left" in text
        assert "right" in text
        assert "23 mm" in text
        assert "4.2 cm" in text
        assert any(word in text.lower() for word in ("upper lung", "upper lobe", "apex"))
        assert any(word in text.lower() for word in GRADES[2])
        assert "sternotomy" in text
        assert "AP" in text


def test_details_are_said_as_often_as_the_dial_says():
    seen = Study((Seen("Lung Lesion", 0.5, "right", "upper", "23 mm"),), 0, "right", 0.5, 0.0, False, ())
    for specificity in (0.2, 0.7):
        said = np.mean(["23 mm" in report(seen, seed, specificity) for seed in range(2000)])
        assert said == pytest.approx(specificity, abs=4 * 0.5 / 2000**0.5)


def likeness(identity: float, seed: int = 1) -> tuple[float, float]:
    """How often two studies of a patient are nearer than two of different patients: AUC and its error.

    Nearness is the cosine of whitened small images, which sees anatomy, findings and devices.
    """
    clinic = build_clinic(Dials(patients=250, seed=seed, identity=identity, specificity=0))
    records = clinic.cohort.records
    first = records["study_id"].is_first_distinct().to_numpy()
    small = clinic.radiographs(64)[first].reshape(first.sum(), 32, 2, 32, 2).mean(axis=(2, 4)).reshape(first.sum(), -1)
    images, _, _ = np.linalg.svd(small - small.mean(axis=0), full_matrices=False)
    images = images[:, :60]
    images /= np.linalg.norm(images, axis=1, keepdims=True)
    patient = records["patient_id"].to_physical().rank("dense").to_numpy()[first]
    near = images @ images.T
    one, other = np.triu_indices(len(near), 1)
    same = patient[one] == patient[other]
    scores = near[one, other]
    strangers = np.sort(scores[~same])
    places = np.searchsorted(strangers, scores[same]) / len(strangers)
    # each patient counts once, so that the error is that of independent patients
    means = [places[patient[one][same] == who].mean() for who in np.unique(patient[one][same])]
    return float(np.mean(means)), float(np.std(means) / len(means) ** 0.5)


def test_identity_zero_makes_two_studies_of_a_patient_strangers():
    auc, error = likeness(0)
    assert abs(auc - 0.5) < 3.5 * error
    assert error < 0.03  # the test could have seen a small leak


def test_identity_one_makes_a_patient_known_again():
    auc, _ = likeness(1)
    halfway, _ = likeness(0.6)
    assert auc > 0.8
    assert 0.55 < halfway < auc


def test_identity_zero_unties_every_number_behind_the_image():
    """No single number of the anatomy, no finding and no implant is shared by a patient's first two studies."""
    clinic = build_clinic(Dials(patients=3000, identity=0, specificity=0, repetition=1))
    records = clinic.cohort.records
    number = records["study_id"].str.extract(r"-s(\d)$").cast(int).to_numpy()
    first = records["study_id"].is_first_distinct().to_numpy()
    patient = records["patient_id"].to_numpy()
    ones, twos = (np.flatnonzero(first & (number == wanted)) for wanted in (1, 2))
    ones = ones[np.isin(patient[ones], patient[twos])]
    assert (patient[ones] == patient[twos]).all()
    assert len(ones) > 1500
    for name in clinic.scenes.dtype.names:
        values = clinic.scenes[name].reshape(len(records), -1).astype(float)
        for column in values.T:
            if column[ones].std() > 0 and column[twos].std() > 0:
                r = np.corrcoef(column[ones], column[twos])[0, 1]
                assert abs(r) < 4.5 / len(ones) ** 0.5, name


@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_label_noise_redraws_that_share_and_keeps_the_prevalence(noise):
    rng = np.random.default_rng(5)
    prevalence = np.array([value / 100 for value in PREVALENCE.values()])
    truth = (rng.random((40_000, len(prevalence))) < prevalence).astype(np.int8)
    noisy = noisy_labels(rng, truth, noise)
    assert noisy.mean(axis=0) == pytest.approx(prevalence, abs=0.011)
    disagreement = (noisy != truth).mean(axis=0)
    assert disagreement == pytest.approx(noise * 2 * prevalence * (1 - prevalence), abs=0.011)


def test_repetition_is_the_share_of_normals_that_get_a_template():
    for repetition in (0.0, 0.5, 1.0):
        records = build_clinic(Dials(patients=400, repetition=repetition)).cohort.records
        studies = records.unique("study_id")
        normal = studies.filter((studies["label_no_finding"] == 1) & (studies["label_support_devices"] == 0))["report"]
        share = normal.is_in(list(TEMPLATES)).mean()
        assert share == pytest.approx(repetition, abs=4 * 0.5 / len(normal) ** 0.5 * (0 < repetition < 1))


def test_a_normal_study_is_one_without_finding_and_device():
    plain = Study((), 0, "right", 0.5, 0.0, False, ("wires",))
    assert plain.normal
    assert not replace(plain, pacemaker=True).normal
    assert not replace(plain, device=ENDOTRACHEAL).normal
