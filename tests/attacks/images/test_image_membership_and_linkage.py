"""Who was learnt from, and what a released image leads to."""

from __future__ import annotations

import numpy as np
import pytest

import leadapron as la
from image_data import audited, audited_anew, images_of
from leadapron.attacks.images.image_attackers import ADAPTIVE
from leadapron.attacks.images.image_linkage_page import COUNTERPART, REPORT
from leadapron.audits.images_subject import ReleasedImages
from leadapron.errors import ConfigError
from leadapron.results.selection import only


def remembering():
    """Counterparts of a generator that gives every training image back, and invents those of others."""
    made, real = images_of("said"), images_of("real")
    training = made.records["split"].eq("train").to_numpy()
    noise = np.random.default_rng(0).normal(0, 8, real.images.shape)
    copied = np.clip(real.images + noise, 0, 255).astype(np.uint8)
    return made.with_images(np.where(training[:, None, None], copied, made.images))


def test_nobody_is_known_as_a_member_where_nothing_was_trained():
    for kind in ("said", "real"):
        found = audited("image-membership", kind)
        for row in found.estimates:
            assert row.low <= row.chance <= row.high, row
        assert {outcome.outcome for outcome in found.outcomes} == {"pass"}


def test_members_are_known_where_the_generator_remembers_them(tmp_path):
    found = audited_anew("image-membership", remembering())
    own = only(found, metric="auc", attacker="own")
    assert own.value > 0.95
    assert only(found, metric="tpr@fpr=0.01", attacker="own").value > 0.8
    assert found.headline.value == own.value
    page = (found.save(tmp_path / "out").folder / "report.html").read_text()
    assert "a patient whom the generator was trained on" in page


@pytest.fixture(scope="module")
def linked():
    return audited("image-linkage", "said")


def test_a_counterpart_leads_to_its_report_and_hardly_to_another_counterpart(linked, tmp_path):
    assert linked.headline.low > linked.headline.chance
    assert linked.spot.sought == REPORT
    apart = only(linked, metric="precision@1", sought=COUNTERPART, attacker=ADAPTIVE, pool=50)
    assert apart.value < 0.2
    assert {outcome.outcome for outcome in linked.outcomes} == {"pass"}, linked.outcomes
    assert "the report of its source" in (linked.save(tmp_path / "out").folder / "report.html").read_text()


def test_undefended_images_lead_to_others_of_their_patient():
    found = audited("image-linkage", "real")
    assert only(found, metric="precision@1", sought=COUNTERPART, attacker=ADAPTIVE, pool=50).value > 0.3


def test_images_without_reports_are_linked_to_each_other_alone():
    images = images_of("real")
    bare = images.records.with_columns(report=None).cast({"report": images.records["report"].dtype})
    cohort = type(images.cohort)(images.cohort.name, bare, images.cohort.funnel)
    without = type(images)(cohort, images.images)
    found = audited_anew("image-linkage", ReleasedImages(without, without), encoder="none")
    assert found.spot.sought == COUNTERPART
    assert any(outcome.outcome == "not-run" for outcome in found.outcomes)
    outcomes = {one.id: one.outcome for one in la.gate(found).judgements}
    assert outcomes["report-of-released-image"] == "not-applicable"
    assert outcomes["another-released-image"] == "fail"
    with pytest.raises(ConfigError, match="can be filled"):
        audited("image-linkage", "real", pools=(9999,), encoder="none")
