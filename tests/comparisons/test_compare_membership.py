"""Two membership audits side by side, patient by patient; and what a trial tells of membership."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.attacks.membership import MEMBERSHIP, audit_membership
from leadapron.comparisons import RENDERERS, as_table, compare
from leadapron.comparisons.comparison_words import verdict
from leadapron.results.selection import select
from membership_data import drawn, signals_of
from page_outline import plain
from sample_results import write_risk


@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    """The same patients: half of them memorised, and nobody."""
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
    assert (change.at.metric, change.at.protocol, change.at.pool) == ("auc", "patient", 32)
    assert (change.found.before, change.found.after) == pytest.approx((before, after))
    assert change.found.high < 0
    assert change.found.p < 0.01
    said = verdict(comparison)
    assert said.startswith(
        "The risk is lower. In 1,000 comparisons, a model that was trained on a patient is told from"
    )
    assert "504 times after; by guessing, 500 times" in said
    assert "HIGHER" in verdict(compare(audits["tight"], audits["leaks"]))


def test_every_form_of_it_can_be_written(audits):
    comparison = compare(audits["leaks"], audits["tight"])
    for render in (*RENDERERS.values(), as_table):
        assert "AUC" in render(comparison) or "auc" in render(comparison)


def test_the_numbers_of_the_audits_own_verdicts_stand_side_by_side(audits):
    """Only the AUC of each patient is paired; what few patients exceed, and how many, is told beside it."""
    comparison = compare(audits["leaks"], audits["tight"])
    for render in (RENDERERS[".html"], RENDERERS[".md"], as_table):
        said = plain(render(comparison))
        assert "AUC that 1 % of the patients reach" in said
        assert "Patients above AUC 0.9, without scatter" in said
    (tested,) = [change for change in comparison.changes if change.paired]
    assert (tested.before, tested.paired) == (comparison.paired[0].at, comparison.paired[0].found)


def test_what_a_trial_shows_is_in_every_audit(audits):
    for results in audits.values():
        for wanted in MEMBERSHIP.in_trials:
            assert len(select(results, **{"attacker": "joint", **wanted})) == 1, wanted
