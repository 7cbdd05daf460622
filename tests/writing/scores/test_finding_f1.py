"""F1 of findings and of their sides, counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.writing.scores.finding_f1 import COUNTED, FindingF1, SideF1, f1, findings_of, sides_of_findings

TRUTH = ["Left pleural effusion. Cardiomegaly.", "Right pneumothorax.", "No acute findings."]
WRITTEN = ["Right pleural effusion.", "Right pneumothorax. Possible pneumonia.", "No pneumothorax."]


def score(how, written=WRITTEN, truth=TRUTH):
    return float(how.value(how.statistics(written, truth).sum(axis=0)))


def test_findings_and_sides_are_read():
    assert findings_of(TRUTH[0]) == {"Pleural Effusion", "Cardiomegaly"}
    assert findings_of(WRITTEN[1]) == {"Pneumothorax", "Pneumonia"}  # doubted counts as there
    assert findings_of(TRUTH[2]) == frozenset()
    assert sides_of_findings(TRUTH[0]) == {("Pleural Effusion", "left")}
    assert sides_of_findings("Bilateral pleural effusion.") == {("Pleural Effusion", "both")}


def test_counted_by_hand():
    assert score(FindingF1()) == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))
    assert score(SideF1()) == pytest.approx(2 * 1 / (2 * 1 + 1 + 1))
    assert score(FindingF1(macro=True)) == pytest.approx((1 + 1 + 0) / 3)


def test_the_side_tells_a_stranger_with_the_same_findings_and_a_copy_has_all():
    assert score(FindingF1(), ["Right pleural effusion. Cardiomegaly."], TRUTH[:1]) == 1.0
    assert score(SideF1(), ["Right pleural effusion. Cardiomegaly."], TRUTH[:1]) == 0.0
    for how in (FindingF1(), FindingF1(macro=True), SideF1()):
        assert score(how, TRUTH, TRUTH) == 1.0
        assert score(how, TRUTH[2:], TRUTH[2:]) == 0.0  # nothing to find


def test_sums_of_redraws_have_values_too():
    rows = FindingF1().statistics(WRITTEN, TRUTH)
    assert rows.shape == (3, 3 * len(COUNTED))
    both = FindingF1().value(np.stack([rows.sum(axis=0), 5 * rows.sum(axis=0)]))
    assert both[0] == pytest.approx(both[1])
    assert f1(np.array([0.0, 0.0, 0.0])) == 0.0
