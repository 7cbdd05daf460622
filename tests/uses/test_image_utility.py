"""What can be learnt from released images: all of it from the source, nothing from noise."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.linalg import sqrtm

from image_data import audited, audited_anew, images_of, subject_of
from leadapron.audits.audit_registry import find_audit
from leadapron.errors import DataError
from leadapron.results.selection import only
from leadapron.uses.image_likeness import coverage, frechet, similarity
from leadapron.uses.image_scores import REAL, RELEASED, from_table

FEW = {"positives": 20}


@pytest.fixture(scope="module")
def undefended():
    return audited("image-utility", "real", **FEW)


@pytest.fixture(scope="module")
def oracle():
    return audited("image-utility", "said", **FEW)


def of_noise():
    images = images_of("real")
    drawn = np.random.default_rng(0).integers(0, 256, images.images.shape, dtype=np.uint8)
    return images.with_images(drawn)


def test_the_source_itself_loses_nothing_so_nothing_is_told_as_kept(undefended):
    assert undefended.headline.value == only(undefended, metric="auroc", attacker=REAL, findings="all findings").value
    assert not [row for row in undefended.estimates if row.metric == "kept"]
    assert undefended.details["looks"]["ssim"] == pytest.approx(1.0)
    assert undefended.details["looks"]["frechet"] == pytest.approx(0.0, abs=1e-4)


def test_the_same_findings_in_other_bodies_can_be_learnt_from(undefended, oracle):
    assert oracle.headline.value > 0.8
    change = find_audit("image-utility").measure_of("auroc").paired(undefended, oracle, undefended.headline)
    assert change.before == undefended.headline.value
    assert change.after == oracle.headline.value
    assert change.low <= change.difference <= change.high


def test_nothing_can_be_learnt_from_noise():
    found = audited_anew("image-utility", of_noise(), **FEW)
    assert abs(found.headline.value - 0.5) < 0.1
    assert found.details["looks"]["coverage"] < 0.1


def test_findings_that_the_probe_does_not_see_do_not_count(oracle):
    scores = from_table(oracle.evidence("records"))
    assert set(scores.labels.names) == set(oracle.details["counted"])
    assert all(scores.labels.positive.sum(axis=0) >= FEW["positives"])
    assert not set(oracle.details["counted"]) & set(oracle.details["left_out"])
    with pytest.raises(DataError, match="no finding can be measured"):
        audited("image-utility", "real", positives=5000)


def test_groups_are_told_apart_and_the_page_says_what_is_not_measurable(oracle, tmp_path):
    assert any((row.group or "").startswith("sex=") for row in oracle.estimates)
    page = (oracle.save(tmp_path / "out").folder / "report.html").read_text()
    assert "Not measurable here" in page
    assert "Trained on released" in page


def test_description_agrees_with_slow_formulas():
    rng = np.random.default_rng(0)
    one, two = rng.normal(size=(60, 4)).astype(np.float32), 1 + 2 * rng.normal(size=(50, 4)).astype(np.float32)
    first, second = np.cov(one.astype(float).T), np.cov(two.astype(float).T)
    apart = one.astype(float).mean(axis=0) - two.astype(float).mean(axis=0)
    slow = apart @ apart + np.trace(first + second - 2 * sqrtm(first @ second).real)
    assert frechet(one, two) == pytest.approx(slow)
    near = [np.sort(np.linalg.norm(one - row, axis=1))[5] for row in one]
    covered = [np.linalg.norm(two - row, axis=1).min() <= reach for row, reach in zip(one, near, strict=True)]
    assert coverage(one, two) == pytest.approx(np.mean(covered))
    images = images_of("real").images[:3]
    assert similarity(images, images) == pytest.approx(1.0)
    assert similarity(images, 255 - images) < 0.5


def test_a_network_learns_from_pixels_where_torch_is_there():
    pytest.importorskip("torch")
    from leadapron.cohort.truth import Labels
    from leadapron.engine import silent
    from leadapron.uses.image_network_probe import probed_by_network
    from leadapron.uses.image_probes import Rows

    rng = np.random.default_rng(0)
    subject = subject_of("real")
    images, truth = subject.source.images[:160].copy(), rng.integers(0, 2, (160, 1)).astype(np.int8)
    images[truth[:, 0] == 1, 40:60, 40:60] = 255
    planted = subject_of(subject.source.at(np.arange(160)).with_images(images))
    rows = Rows(np.arange(100), np.arange(100, 110), np.arange(110, 160))
    scores = probed_by_network(planted, Labels(("square",), truth), rows, 4, 0, "cpu", silent)[RELEASED][:, 0]
    there = truth[110:, 0] == 1
    assert np.mean(scores[there][:, None] > scores[~there]) > 0.95
