"""Two membership audits side by side, patient by patient; and what a comparison of releases tells of membership."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.attacks.membership import audit_membership
from leadapron.compare import RENDERERS, as_table, compare
from leadapron.compare.exposure import exposure_of
from leadapron.compare.words import verdict
from membership_data import drawn, signals_of
from sample_results import write_risk


@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    """The same patients: half of them memorised, and nobody; and other patients."""
    found = {}
    leaks = {"leaks": (np.arange(200) % 2) * 1.5, "tight": 0.0}
    for name, shift in leaks.items():
        risk = audit_membership(signals_of(*drawn(200, models=32, shift=shift)))
        found[name] = write_risk(risk, tmp_path_factory.mktemp(name) / "audit", {"seed": 0})
    return found


def test_a_defence_that_helps_is_seen_patient_by_patient(audits):
    comparison = compare(audits["leaks"], audits["tight"])
    (change,) = comparison.paired
    before, after = (audits[name].evidence("patients")["auc_joint"].mean() for name in ("leaks", "tight"))
    assert (change.metric, change.protocol, change.pool) == ("auc", "patient", 32)
    assert (change.before, change.after) == pytest.approx((before, after))
    assert change.high < 0 < 1 - change.p
    assert change.p < 0.01
    assert verdict(comparison).startswith("The risk is lower: in 100 comparisons, a model that learnt from a patient")
    assert "guessing would be right 50 times (32 models)" in verdict(comparison)
    assert "HIGHER" in verdict(compare(audits["tight"], audits["leaks"]))


def test_every_form_of_it_can_be_written(audits):
    comparison = compare(audits["leaks"], audits["tight"])
    for render in (*RENDERERS.values(), as_table):
        assert "AUC" in render(comparison) or "auc" in render(comparison)


def test_the_exposure_of_a_release_is_that_of_its_audit(audits):
    before, after = (exposure_of(audits["leaks"], audits[name], 0) for name in ("leaks", "tight"))
    assert before.models == 32
    assert before.change.value == 0
    assert before.top.value > before.top_chance > 0.6
    assert after.change.high < 0
    assert after.attack.low < 0.5 < after.attack.high
    assert after.exposed.value < before.exposed.value
    assert exposure_of(None, audits["tight"], 0) is None
