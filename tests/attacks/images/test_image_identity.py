"""Whether a released image is recognised: nobody where there is nothing, everybody where all is there."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from image_data import audited, audited_anew, noised, subject_of
from leadapron.attacks.images import image_identity_controls as controls
from leadapron.attacks.images.image_attackers import ADAPTIVE, ANOTHER, SOURCE, STATIC
from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.images.image_identity_attack import dealt_anew
from leadapron.attacks.images.image_identity_audit import IMAGE_IDENTITY, ImageIdentityConfig
from leadapron.attacks.images.image_sides import sides_of
from leadapron.attacks.images.likeness import Likeness, Mates, weigh
from leadapron.attacks.images.paired_gaussian import fit_pairs
from leadapron.attacks.images.ranked_mates import other_studies, rank_mates
from leadapron.errors import ConfigError, DataError
from leadapron.results.selection import only


@pytest.fixture(scope="module")
def oracle():
    return audited("image-identity", "said")


@pytest.fixture(scope="module")
def undefended():
    return audited("image-identity", "real")


def test_undefended_images_are_recognised_and_strangers_bodies_hardly(oracle, undefended):
    assert undefended.headline.value > 0.3
    assert oracle.headline.value < 0.25
    found = only(undefended, metric="precision@1", attacker=ADAPTIVE, holds=SOURCE, pool=50)
    assert found.value == 1.0
    for results in (oracle, undefended):
        assert results.headline.chance == 1 / 50
        assert {outcome.outcome for outcome in results.outcomes} == {"pass"}, results.outcomes


def test_images_dealt_to_other_patients_are_at_chance():
    subject = subject_of("real")
    dealt = dealt_anew(sides_of(subject.source.records, "here"), 1)
    found = audited_anew("image-identity", subject.released.with_images(subject.source.images[dealt]), encoder="none")
    for attacker in (STATIC, ADAPTIVE):
        row = only(found, metric="auc", attacker=attacker, holds=ANOTHER)
        assert abs(row.value - 0.5) < 5 * row.sd


def test_noise_on_top_of_the_source_hides_nobody_from_one_who_holds_it():
    found = audited_anew("image-identity", noised("real", 30.0), encoder="none")
    assert only(found, metric="precision@1", attacker=ADAPTIVE, holds=SOURCE, pool=50).value > 0.9


def test_dealing_anew_leaves_no_attacked_image_with_its_patient_and_the_known_as_they_are():
    sides = sides_of(subject_of("real").source.records, "here")
    dealt = dealt_anew(sides, 0)
    assert not np.any(sides.patient[dealt[sides.attacked]] == sides.patient[sides.attacked])
    rest = np.setdiff1d(np.arange(len(dealt)), sides.attacked)
    assert np.array_equal(dealt[rest], rest)
    assert np.array_equal(np.sort(dealt), np.arange(len(dealt)))


def test_chances_in_pools_are_those_of_every_pool_that_can_be_drawn():
    rng = np.random.default_rng(4)
    patient = np.repeat(np.arange(4), 2)
    study = np.arange(8)
    left, right = rng.integers(0, 3, (2, 8, 2)).astype(float)
    likeness = Likeness(left, right, np.zeros(8), np.zeros(8))
    rows = np.arange(8)
    found = rank_mates(likeness, other_studies(rows, patient, study), rows, (patient, patient), [3])
    for query in rows:
        scores = left[query] @ right.T
        mate = query ^ 1
        others = [row for row in rows if patient[row] != patient[query]]
        chances = []
        for drawn in combinations(others, 2):
            best = max(scores[mate], *scores[list(drawn)])
            chances.append((scores[mate] == best) / np.sum(np.r_[scores[mate], scores[list(drawn)]] == best))
        assert found.first[3][query] == pytest.approx(np.mean(chances))
        below = np.mean((scores[mate] > scores[others]) + 0.5 * (scores[mate] == scores[others]))
        assert found.auc[query] == pytest.approx(below)


def test_pairs_of_two_views_are_scored_by_their_likelihood_ratio():
    rng = np.random.default_rng(0)
    shared = rng.normal(size=(20_000, 1))
    left = np.c_[shared + rng.normal(size=shared.shape), rng.normal(size=shared.shape)]
    right = np.c_[rng.normal(size=shared.shape), -shared + rng.normal(size=shared.shape)]
    rows = np.arange(len(left))
    model = fit_pairs(left.astype(np.float32), right.astype(np.float32), Mates(rows, rows), 0)
    assert model.alike[0] == pytest.approx(0.5, abs=0.06)
    likeness = model.likeness(left, right)
    own = likeness.between(rows[:500], rows[:500])
    rho = 0.5
    x, y = left[:500, 0] / np.sqrt(2), -right[:500, 1] / np.sqrt(2)
    ratio = (rho * np.outer(x, y) - rho**2 * (x[:, None] ** 2 + y**2) / 2) / (1 - rho**2)
    assert np.corrcoef(own.ravel(), ratio.ravel())[0, 1] > 0.98


def test_a_method_that_knows_nothing_gets_no_weight():
    rng = np.random.default_rng(0)
    rows, patient = np.arange(300), np.arange(300)
    hidden = rng.normal(size=(300, 5))
    zero = np.zeros(300)
    knows = Likeness(hidden, hidden + 0.3 * rng.normal(size=hidden.shape), zero, zero)
    blind = Likeness(rng.normal(size=(300, 5)), rng.normal(size=(300, 5)), zero, zero)
    weights = weigh({"knows": knows, "blind": blind}, Mates(rows, rows), (patient, patient), 0)
    assert weights["blind"] < 0.05 * weights["knows"]


def test_an_adaptive_attacker_that_is_weaker_is_an_error(oracle):
    records = subject_of("real").source.records
    patient = sides_of(records, "here").patient
    rows = np.arange(200)
    for better, outcome in ((ADAPTIVE, "pass"), (STATIC, "error")):
        found = ImageGathering(IMAGE_IDENTITY, records=records, patient=patient)
        for attacker in (ADAPTIVE, STATIC):
            values = np.full(200, 0.6 if attacker == better else 0.2)
            found.add_values("precision@1", rows, values, attacker=attacker, chance=0.02, holds=ANOTHER, pool=50)
        assert controls.adaptive_is_stronger(found, oracle.headline).outcome == outcome


def test_a_pool_that_cannot_be_filled_and_too_few_patients_are_refused():
    with pytest.raises(ConfigError, match="can be filled"):
        audited("image-identity", "real", pools=(5000,))
    subject = subject_of("real")
    few = subject.source.at(np.arange(20))
    with pytest.raises(DataError, match="too few patients"):
        audited_anew("image-identity", few)


def test_the_page_names_the_published_test_and_the_limits(oracle, tmp_path):
    saved = oracle.save(tmp_path / "out")
    page = (saved.folder / "report.html").read_text()
    assert "a classifier" in page
    assert "No network was trained" in page
    assert ImageIdentityConfig().networks == "auto"
