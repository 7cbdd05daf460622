"""The dials mean what they say: the ground truth of every other test rests on this."""

from __future__ import annotations

import re
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.case_mix import GENERAL, INTENSIVE_CARE
from leadapron.phantoms.phantom_findings import PATHOLOGIES, noisy_labels
from leadapron.phantoms.prose import PROSE
from leadapron.phantoms.report import write_report
from leadapron.phantoms.scene import CHEST_TUBE, ENDOTRACHEAL
from leadapron.phantoms.seen import Seen, Study
from leadapron.phantoms.shorthand import SHORTHAND
from leadapron.phantoms.sites import SITES

FINDINGS = st.lists(st.sampled_from(PATHOLOGIES), unique=True)
in_both_wordings = pytest.mark.parametrize("wording", [PROSE, SHORTHAND], ids=["prose", "shorthand"])


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
        incidental=tuple(draw(st.lists(st.sampled_from(sorted(PROSE.incidental)), unique=True))),
    )


def report(wording, shown, seed, specificity, view="AP", prior=None):
    dials = Dials(specificity=specificity, repetition=0.5)
    return write_report(Random(seed), shown, prior, view, wording=wording, dials=dials, identifiers=None).text


@in_both_wordings
@settings(deadline=None)
@given(data=st.data(), findings=FINDINGS, seed=st.integers(0, 2**32))
def test_specificity_zero_makes_the_report_a_function_of_the_labels(wording, data, findings, seed):
    """Two images with the same labels, as different as can be, get the same words from the same radiologist."""
    some = [data.draw(st.sampled_from(["acute", "pacemaker", "both"])) for _ in range(2)]
    devices = some if data.draw(st.booleans()) else ["none", "none"]
    one, other = (study(findings, device, data.draw) for device in devices)
    prior = study(findings, "none", data.draw)
    assert report(wording, one, seed, 0, "AP", prior) == report(wording, other, seed, 0, "PA", prior)


@in_both_wordings
def test_specificity_one_says_every_detail(wording):
    effusion = Seen("Pleural Effusion", 0.9, "left", None, None)
    lesion = Seen("Lung Lesion", 0.5, "right", "upper", "23 mm")
    seen = Study((effusion, lesion), ENDOTRACHEAL, "right", 0.5, 4.2, True, ("wires",))
    for seed in range(50):
        text = report(wording, seen, seed, 1)
        for choices in (
            wording.sides["left"],
            wording.sides["right"],
            wording.zones["upper"],
            wording.grades[2],
            wording.incidental["wires"],
            wording.pacemaker,
            ("23 mm",),
            ("4.2 cm",),
            ("AP",),
        ):
            assert re.search("|".join(rf"\b{re.escape(words)}(?!\w)" for words in choices), text, re.IGNORECASE)


@in_both_wordings
def test_details_are_said_as_often_as_the_dial_says(wording):
    seen = Study((Seen("Lung Lesion", 0.5, "right", "upper", "23 mm"),), 0, "right", 0.5, 0.0, False, ())
    for specificity in (0.2, 0.7):
        said = np.mean(["23 mm" in report(wording, seen, seed, specificity) for seed in range(2000)])
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


@pytest.mark.parametrize("case_mix", [GENERAL, INTENSIVE_CARE], ids=["general", "intensive care"])
@pytest.mark.parametrize("noise", [0.0, 0.3, 1.0])
def test_label_noise_redraws_that_share_and_keeps_the_prevalence(noise, case_mix):
    rng = np.random.default_rng(5)
    prevalence = np.array([value / 100 for value in case_mix.prevalence.values()])
    truth = (rng.random((40_000, len(prevalence))) < prevalence).astype(np.int8)
    noisy = noisy_labels(rng, truth, noise, case_mix)
    assert noisy.mean(axis=0) == pytest.approx(prevalence, abs=0.011)
    disagreement = (noisy != truth).mean(axis=0)
    assert disagreement == pytest.approx(noise * 2 * prevalence * (1 - prevalence), abs=0.011)


@pytest.mark.parametrize("site", SITES)
def test_repetition_is_the_share_of_normals_that_get_a_template(site):
    for repetition in (0.0, 0.5, 1.0):
        records = build_clinic(Dials(patients=400, repetition=repetition, site=site)).cohort.records
        studies = records.unique("study_id")
        normal = studies.filter((studies["label_no_finding"] == 1) & (studies["label_support_devices"] == 0))["report"]
        share = normal.is_in(list(SITES[site].wording.templates)).mean()
        assert share == pytest.approx(repetition, abs=4 * 0.5 / len(normal) ** 0.5 * (0 < repetition < 1))


def test_a_normal_study_is_one_without_finding_and_device():
    plain = Study((), 0, "right", 0.5, 0.0, False, ("wires",))
    assert plain.normal
    assert not replace(plain, pacemaker=True).normal
    assert not replace(plain, device=ENDOTRACHEAL).normal
