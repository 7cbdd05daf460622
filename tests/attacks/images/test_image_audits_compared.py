"""Every audit of images before and after a defence: the same units, so that a trial can set them side by side."""

from __future__ import annotations

import pytest

import leadapron as la
from image_data import audited
from leadapron.audits import default_policy
from leadapron.audits.audit_registry import every_audit, find_audit
from leadapron.comparisons import pairing

QUICK = {
    "image-utility": {"positives": 20},
    "report-writing": {"writer": "ridge"},
}
NAMES = ["image-identity", "image-copies", "image-membership", "image-linkage", "image-utility", "report-writing"]
ELSEWHERE = "recital"
"""It trains writers, and its own tests compare it."""


def test_these_are_all_audits_of_images():
    assert {audit.name for audit in every_audit() if audit.subject == "images"} == {*NAMES, ELSEWHERE}


@pytest.mark.parametrize("name", NAMES)
def test_an_undefended_and_a_defended_release_are_compared_unit_by_unit(name):
    audit = find_audit(name)
    before, after = (audited(name, kind, **QUICK.get(name, {})) for kind in ("real", "said"))
    old, new = (pairing.tested_row(audit, found) for found in (before, after))
    assert (old.metric, old.at) == (new.metric, new.at)
    measure = audit.measure_of(old.metric)
    if measure.paired is not None:
        assert measure.paired(before, after, old).before == old.value
        return
    pairs = pairing.pair_strongest(audit, before, after, old)
    assert pairs.left_out == 0
    assert pairs.before.mean() == pytest.approx(old.value)


def test_the_default_policy_asks_for_the_pool_that_the_headline_is_of():
    asked = default_policy().only({"image-identity"}).requirements[0].select
    found = audited("image-identity", "said")
    assert asked["metric"] == found.spot.metric
    assert (asked["holds"], asked["pool"]) == (found.spot.holds, found.spot.pool)


RISKS = ("image-identity", "image-copies", "image-membership", "image-linkage")


def judged(kind):
    found = la.gate(*(audited(name, kind) for name in RISKS))
    return {one.id: one for one in found.judgements if one.metric}


def test_undefended_images_break_the_starting_point_and_strangers_anatomy_breaks_no_limit_of_it():
    """So few patients leave it open whether the limits are kept."""
    undefended, defended = judged("real"), judged("said")
    assert len(undefended) == len(defended) == len(default_policy().only(set(RISKS)).requirements)
    for name in ("patient-in-released-image", "another-released-image"):
        assert undefended[name].outcome == "fail", undefended[name]
    assert {one.outcome for one in defended.values()} <= {"pass", "incomplete"}
    assert not any("does not cover" in one.reason for one in (*undefended.values(), *defended.values()))


def test_a_metric_without_its_parameter_is_judged_at_whichever_was_measured():
    """Of few patients a hundredth could not be told from none, and a twentieth is measured."""
    copies = judged("said")["copies-of-training-images"]
    assert copies.metric == "flagged@real=0.05"
    assert copies.limit == pytest.approx(3 * 0.05)
