"""The identity audit as a whole: chance where there is nothing, what was planted is found, confounds are held equal."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from identity_data import cosine_table, drawn, judged_by_the_other_half, release_of
from leadapron.attacks.identity import IdentityConfig, audit_identity
from leadapron.attacks.identity.identity_audit import run_attacks
from leadapron.attacks.open_world import METRIC
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release

FAST = IdentityConfig(redraws=300)


def audit(release, config=FAST, **others):
    return audit_identity(release, config, **others)


def found(risk, metric, attacker="cosine", protocol="random", group=None, pool=None):
    rows = [
        row
        for row in risk.estimates
        if (row.metric, row.attacker, row.protocol, row.group) == (metric, attacker, protocol, group)
        and pool in (None, row.pool)
    ]
    return rows[-1]


def renamed(release, prefix):
    ids = ("patient_id", "record_id")
    records = release.records.with_columns(*(pl.format(prefix + "{}", pl.col(name)).alias(name) for name in ids))
    return Release(records, release.arrays, release.card)


def test_without_identity_everything_sits_at_chance():
    risk = audit(release_of(*drawn(120, 1000.0, seed=1)))
    for metric, protocol in (
        ("auc", "all-pairs"),
        ("eer", "all-pairs"),
        ("precision@1", "random"),
        ("map@r", "random"),
    ):
        row = found(risk, metric, protocol=protocol)
        assert abs(row.value - row.chance) <= 3.5 * row.sd
    patient = found(risk, "patient-recognised", attacker=risk.spot.attacker)
    assert patient.low <= patient.chance * 1.2


def test_identity_is_found_and_told_in_every_way():
    risk = audit(release_of(*drawn(120, 0.1)))
    assert found(risk, "auc", protocol="all-pairs").value > 0.9999
    assert found(risk, "eer", protocol="all-pairs").value < 0.01
    assert found(risk, "precision@1").value > 0.999
    assert found(risk, "map@r").value > 0.99
    assert found(risk, "r-precision").value > 0.99
    assert {outcome.outcome for outcome in risk.outcomes} <= {"pass", "not-run"}
    assert risk.evidence("survival").filter(pl.col("risk") >= 0.99)["share"][0] > 0.99


def test_what_lives_off_a_confound_is_gone_among_matched_strangers():
    """Embeddings that know the sex and the view, which a patient's images share, and nothing of the patient."""
    rng = np.random.default_rng(0)
    who = np.repeat(np.arange(150), 4)
    sex, view = rng.integers(0, 2, 150)[who], rng.integers(0, 3, 150)[who]
    image = np.eye(6)[view] * 2 + np.eye(6)[3 + sex] * 2 + 0.5 * rng.normal(size=(600, 6))
    risk = audit(release_of(image, who, sex=np.array(["F", "M"])[sex], view=np.array(["AP", "PA", "LL"])[view]))
    everybody, matched = (found(risk, "auc", protocol=protocol) for protocol in ("all-pairs", "matched"))
    assert everybody.low > 0.75
    assert matched.low <= 0.5 <= matched.high
    assert risk.details["matched_on"] == ["sex", "view"]
    assert found(risk, "precision@1", protocol="matched").value == pytest.approx(
        found(risk, "precision@1", protocol="matched").chance, abs=0.03
    )


def test_repeats_of_one_day_are_told_apart():
    """Only images of one study are alike; without them nothing is left."""
    rng = np.random.default_rng(1)
    who, study = np.repeat(np.arange(100), 4), np.repeat(np.arange(200), 2)
    image = rng.normal(size=(200, 12))[study] + 0.3 * rng.normal(size=(400, 12))
    risk = audit(release_of(image, who, study_id=[f"s{number}" for number in study]))
    assert risk.counts["same_day_pairs"] == 200
    assert found(risk, "precision@1").value > 0.95
    apart = found(risk, "precision@1", protocol="apart")
    assert apart.value < 0.1
    assert found(risk, "auc", protocol="apart").value == pytest.approx(0.5, abs=0.06)


def test_copies_are_counted_within_patients_and_between_them():
    image, who = drawn(40, 1.0, seed=2)
    first = [int(np.flatnonzero(who == patient)[0]) for patient in (0, 1)]
    second = next(int(row) for row in np.flatnonzero(who == np.bincount(who).argmax())[1:])
    image[second] = image[np.flatnonzero(who == who[second])[0]]
    image[first[1]] = image[first[0]]
    counts = audit(release_of(image, who)).counts
    assert counts["same_picture_pairs"] is None, "some, and withheld"
    assert counts["strangers_same_picture"] is None


def test_who_knows_other_patients_sees_through_what_all_images_share():
    """Strong variation from image to image hides a weak identity; it is learned from known patients, and undone."""
    rng = np.random.default_rng(3)
    mixing = rng.normal(size=(24, 24))

    def made(patients, seed):
        draw = np.random.default_rng(seed)
        who = np.repeat(np.arange(patients), 3)
        own = draw.normal(size=(patients, 24)) * (np.arange(24) < 8)
        noise = draw.normal(size=(len(who), 24)) * np.where(np.arange(24) < 8, 0.4, 6.0)
        return release_of((own[who] + noise) @ mixing, who)

    attacked, known = made(150, 4), renamed(made(400, 5), "k")
    risk = audit(attacked, known=known)
    assert found(risk, "auc", "learned", "all-pairs").value > 0.97
    assert found(risk, "auc", "cosine", "all-pairs").value < 0.65
    assert risk.spot.attacker == "learned"
    unknown = audit(attacked)
    assert ("attacker learned", "not-run") in {(row.check, row.outcome) for row in unknown.outcomes}


def test_more_known_images_recognise_more():
    who = np.repeat(np.arange(80), 7)
    rng = np.random.default_rng(6)
    image = rng.normal(size=(80, 16))[who] + 2.0 * rng.normal(size=(560, 16))
    risk = audit(release_of(image, who), IdentityConfig(attackers=("cosine",), redraws=300))
    groups = [f"known_images={number}" for number in (1, 2, 3, 5)]
    values = [found(risk, "precision@1", protocol="fused", group=group).value for group in groups]
    assert values == sorted(values)
    assert values[-1] > 1.5 * values[0]


def test_a_networks_own_score_is_used_where_the_release_has_one():
    image, who = drawn(60, 0.5, seed=7)
    weights = np.where(np.arange(image.shape[1]) < 12, -1.0, 0.0)
    release = release_of(image, who)
    card = {"identity_score": {"kind": "weighted-l1", "weights": weights.tolist(), "bias": 0.3}}
    risk = audit(Release(release.records, release.arrays, card))
    assert found(risk, "auc", "network", "all-pairs").value > 0.95
    with pytest.raises(DataError, match="does not fit"):
        audit(Release(release.records, release.arrays, {"identity_score": {"kind": "weighted-l1", "weights": [1.0]}}))


def test_strata_say_what_changed_between_two_images():
    who = np.repeat(np.arange(60), 3)
    rng = np.random.default_rng(8)
    image = rng.normal(size=(60, 16))[who]
    changed = np.arange(180) % 3 == 2  # the third image of everybody is of another view, and unlike the others
    image = image + np.where(changed, 3.0, 0.2)[:, None] * rng.normal(size=(180, 16))
    columns = {
        "view": np.where(changed, "PA", "AP"),
        "age": 50.0 + np.arange(180) % 3 * 5,
        "follow_up": np.arange(180) % 3,
        "label_edema": changed.astype(int),
        "label_support_devices": np.zeros(180, dtype=int),
    }
    risk = audit(release_of(image, who, **columns), IdentityConfig(attackers=("cosine",), redraws=300))
    rates = {row.group: row for row in risk.estimates if row.metric == "tpr"}
    assert rates["view=same"].value > 0.95 > rates["view=changed"].value
    assert rates["years=5"].n == 120
    assert rates["years=10"].n == 60
    assert rates["new_edema=appears"].n == 120
    assert rates["devices=in neither"].n == 180


def test_a_threshold_is_set_on_other_patients():
    attacked, other = release_of(*drawn(80, 0.6)), renamed(release_of(*drawn(80, 0.6, seed=9)), "t")
    risk = audit(attacked, tuning=other)
    assert found(risk, "accuracy", protocol="all-pairs").value > 0.9
    assert {"specificity", "recall", "precision", "f1"} <= {row.metric for row in risk.estimates}
    assert not any(outcome.check == "threshold" for outcome in risk.outcomes)


def without(name):
    """Two images of one patient and one of another, short of a column or of the images."""
    whole = release_of(np.ones((3, 2)), [0, 0, 1])
    if name == "image":
        return Release(whole.records, {"text": whole.arrays["image"]})
    return Release(whole.records.drop(name), whole.arrays)


@pytest.mark.parametrize(
    ("broken", "words"),
    [
        (release_of(np.ones((3, 2)), [0, 1, 2]), "no patient has two images"),
        (release_of(np.ones((3, 2)), [0, 0, 0]), "one patient in all"),
        (release_of(np.zeros((3, 2)), [0, 0, 1]), "all zeros"),
        (without("patient_id"), "whose the images are"),
        (without("image"), "image embeddings"),
    ],
)
def test_a_release_that_cannot_be_audited_says_why(broken, words):
    with pytest.raises(DataError, match=words):
        audit(broken)


def test_settings_that_cannot_be_are_refused():
    release = release_of(*drawn(20, 1.0))
    with pytest.raises(ConfigError, match="cannot be drawn"):
        audit(release, IdentityConfig(pools=(10**6,)))
    with pytest.raises(ConfigError, match="unknown attacker"):
        IdentityConfig(attackers=("cosin",))
    with pytest.raises(ConfigError, match="among those under attack"):
        audit(release, known=release)
    with pytest.raises(ConfigError, match="none of the attackers"):
        audit(release, IdentityConfig(attackers=("network",)))


def test_an_age_of_414_is_unknown_and_counted():
    image, who = drawn(40, 1.0)
    age = np.where(np.arange(len(who)) < 12, 414.0, 60.0)
    risk = audit(release_of(image, who, age=age), IdentityConfig(attackers=("cosine",), redraws=200))
    assert risk.counts["unknown_age"] == 12
    assert not any("410" in (row.group or "") or "90+" in (row.group or "") for row in risk.estimates)


def test_planted_copies_are_found_where_every_image_is_shared_by_many_patients():
    """As after microaggregation: five vectors for everybody."""
    image, who = drawn(60, 1.0, seed=11)
    shared = image[:5][np.arange(len(who)) % 5]
    risk = audit(release_of(shared, who), IdentityConfig(attackers=("cosine",), redraws=200))
    assert {outcome.check: outcome.outcome for outcome in risk.outcomes}["planted copies"] == "pass"


def slow_open_world(image, who, rate=0.01):
    """All other images are the gallery: each image by itself, once with and once without the others of its patient."""
    table, count = cosine_table(image), len(who)
    false, right = [], []
    for query in range(count):
        strangers = np.sort(table[query, who != who[query]])[::-1]
        level = strangers[:10].mean()
        false.append((strangers[0] - strangers[1:11].mean(), strangers[0]))
        mates = table[query, (who == who[query]) & (np.arange(count) != query)]
        if len(mates):
            right.append((mates.max() > strangers[0], mates.max() - level, mates.max(), who[query]))
    first, *scores, whose = np.array(right).T
    thresholds = (np.sort(column)[::-1][int(rate * count)] for column in np.array(false).T)
    named = [first * (score > threshold + 1e-9) for score, threshold in zip(scores, thresholds, strict=True)]
    return judged_by_the_other_half(named, [f"p{int(one)}" for one in whose])


def test_the_open_world_agrees_with_the_slow_way_and_needs_surer_scores_than_a_closed_gallery():
    image, who = drawn(120, 1.2, seed=3)
    found_here = run_attacks(release_of(image, who), IdentityConfig(attackers=("cosine",)))
    row = found(found_here, METRIC)
    assert row.pool == len(who) - 1
    assert row.value == pytest.approx(slow_open_world(image, who), abs=1e-9)
    assert row.low <= row.value <= row.high
    closed = found(found_here, "precision@1")
    assert row.value < closed.value
    assert row.chance == pytest.approx(0.01 * closed.chance)
    assert row.n == closed.n


def test_the_controls_cover_the_open_world():
    risk = audit(release_of(*drawn(120, 0.5)), IdentityConfig(attackers=("cosine",)))
    outcomes = {outcome.check: outcome for outcome in risk.outcomes}
    assert outcomes["planted leak, open world"].outcome == "pass"
    assert "cosine 1.000" in outcomes["planted leak, open world"].reason
    nothing = audit(release_of(*drawn(120, 1000.0, seed=1)), IdentityConfig(attackers=("cosine",)))
    row = found(nothing, METRIC)
    assert row.low <= row.chance <= row.high
