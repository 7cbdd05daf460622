"""The audit on releases whose leak is known."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.attacks.linkage.linkage_audit import run_attacks
from leadapron.attacks.linkage.linkage_evidence import metric_in_pool
from leadapron.attacks.linkage.linkage_gathering import METRICS
from leadapron.attacks.linkage.linkage_measures import of_records
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release
from linkage_data import planted


def only(risk, **wanted):
    """The one estimate with these keys; everybody unless a group is asked for."""
    wanted = {"direction": "image-to-report", "protocol": "random", "group": None, **wanted}
    rows = [row for row in risk.estimates if all(getattr(row, key) == value for key, value in wanted.items())]
    assert len(rows) == 1, wanted
    return rows[0]


WITHOUT_KNOWN_PAIRS = ("cosine", "csls", "pooled", "realigned", "sinkhorn", "assignment")
PLAIN = LinkageConfig(pools=(100,), attackers=("cosine",))


@pytest.mark.parametrize("leaked", [0.05, 0.5, 1.0])
def test_a_planted_leak_is_found(leaked):
    risk = audit_linkage(planted(leaked), PLAIN)
    for pool in (100, 1200):
        row = only(risk, pool=pool, metric="recall@1")
        expected = leaked + (1 - leaked) / pool
        assert row.low - 1e-9 <= expected <= row.high + 1e-9
        assert row.chance == 1 / pool
        assert row.enrichment == pytest.approx(row.value * pool)
        assert row.n == 1200
    curve = risk.evidence("curve").filter(pl.col("direction") == "image-to-report")
    assert curve["pool"].to_list() == list(range(2, 1201))
    assert curve["recall"][98] == pytest.approx(only(risk, pool=100, metric="recall@1").value, abs=1e-12)
    assert {outcome.outcome for outcome in risk.outcomes} <= {"pass", "not-run"}


@pytest.mark.study
def test_without_a_leak_the_interval_covers_chance():
    """Nineteen times in twenty, over releases drawn anew."""
    covered, trials = 0, 60
    for seed in range(trials):
        config = LinkageConfig(pools=(50,), attackers=("cosine",), redraws=300, seed=seed)
        row = only(run_attacks(planted(0, patients=150, seed=seed), config), pool=50, metric="mrr")
        covered += row.low <= row.chance <= row.high
    assert covered / trials == pytest.approx(0.95, abs=0.10)


def test_patients_fall_more_often_than_images():
    """At least one of three images is linked: the exact chance for the planted, chance for the others."""
    risk = audit_linkage(planted(0.25), PLAIN)
    linked = only(risk, metric="patient-linked")
    assert linked.value == pytest.approx(0.25 + 0.75 * (1 - 0.99**3), abs=0.02)
    assert linked.chance == pytest.approx(1 - 0.99**3)
    assert linked.n == 400
    some_report = only(risk, metric="patient-report", pool=1200)
    assert some_report.value == pytest.approx(0.25, abs=0.02)
    assert some_report.chance == pytest.approx(3 / 1200)
    in_a_pool = only(risk, metric="patient-report", pool=100)
    assert in_a_pool.chance == pytest.approx((1 + 2 * 99 / 1199) / 100)
    assert in_a_pool.value == pytest.approx(0.25 + 0.75 * in_a_pool.chance, abs=0.02)
    survival = risk.evidence("survival")
    assert survival["share"][0] == 1
    assert survival.filter(pl.col("risk") > 0.9)["share"].to_list()[-1] == pytest.approx(0.25, abs=0.01)
    assert risk.evidence("patients")["patient_id"].is_unique().all()
    assert len(risk.evidence("patients")) == 400


def test_a_group_that_bears_the_risk_is_found_and_one_that_does_not_is_not():
    exposed = np.repeat(np.where(np.arange(400) < 100, "F", "M"), 3)
    noise = np.repeat(np.random.default_rng(5).choice(["A", "B", "C"], 400), 3)
    risk = audit_linkage(planted(0.25, sex=exposed, race=noise), PLAIN)
    tests = {test.attribute: test for test in risk.group_tests}
    assert tests["sex"].p_adjusted < 0.01
    assert tests["race"].p_adjusted > 0.05
    assert only(risk, group="sex=F", metric="recall@1", pool=100).value > 0.99
    assert only(risk, group="sex=M", metric="recall@1", pool=100).value == pytest.approx(0.01, abs=0.01)


def test_the_results_say_whether_patients_are_named():
    release = planted(0.25, patients=40)
    assert audit_linkage(release, LinkageConfig(attackers=("cosine",))).patients_named is True
    nameless = Release(release.records.drop("patient_id"), release.arrays)
    assert audit_linkage(nameless, LinkageConfig(attackers=("cosine",))).patients_named is False


def test_a_group_of_fewer_than_ten_patients_is_not_spoken_of_nor_can_it_be_worked_out():
    rare = np.repeat(np.where(np.arange(400) < 9, "rare", "common"), 3)
    risk = audit_linkage(planted(0.25, race=rare), PLAIN)
    assert {row.group for row in risk.estimates} == {None}
    assert risk.group_tests == ()


def test_all_attackers_and_both_directions_are_measured_and_the_strongest_is_the_headline():
    labels = {"label_edema": np.tile([1, 0, 0], 400), "label_fracture": np.tile([0, 0, 1], 400)}
    risk = audit_linkage(planted(0.3, **labels), LinkageConfig(redraws=100))
    for direction in ("image-to-report", "report-to-image"):
        for attacker in WITHOUT_KNOWN_PAIRS:
            assert only(risk, direction=direction, attacker=attacker, pool=1200, metric="recall@1").value > 0.1
        assert only(risk, direction=direction, attacker="cosine", protocol="hard", metric="mrr").pool == 100
    records = risk.evidence("records").filter(direction="image-to-report").group_by("attacker")
    reached = {name: metric_in_pool(rows, "random", 1000, "recall@1").mean() for (name,), rows in records}
    assert risk.spot.attacker == max(reached, key=reached.get)
    assert risk.spot.pool == 1000
    row = risk.headline
    others = [only(risk, attacker=name, pool=1000, metric="recall@1") for name in set(reached) - {row.attacker}]
    assert row.low <= row.value <= max(reached.values()) + 1e-9, "it allows for the choice"
    assert row.high >= max(other.high for other in others)


def test_the_evidence_of_the_records_gives_every_estimate_again():
    labels = {"label_edema": np.tile([1, 0, 0], 400), "label_fracture": np.tile([0, 0, 1], 400)}
    release = planted(0.3, **labels)
    text = release.text.copy()
    text[:40] = text[0]  # ties
    risk = audit_linkage(
        Release(release.records, {"image": release.image, "text": text}), LinkageConfig(pools=(100,), redraws=100)
    )
    tables = pl.concat([risk.evidence("records"), risk.evidence("assignment")], how="diagonal")
    checked = 0
    for (direction, attacker), rows in tables.group_by("direction", "attacker"):
        told = rows.drop([column for column in rows.columns if rows[column].null_count()])
        estimates = [
            row for row in risk.estimates if (row.direction, row.attacker, row.group) == (direction, attacker, None)
        ]
        for row in estimates:
            if row.metric in METRICS:
                again = of_records(risk, row)["value"].to_numpy()  # of the headline what allows for the choice
                if not row.is_at(risk.spot):
                    assert again == pytest.approx(metric_in_pool(told, row.protocol, row.pool, row.metric))
                assert again.mean() == pytest.approx(row.value, abs=1e-7)
                assert len(again) == row.n
                checked += 1
    # two random pools and a matched one by five ranking attackers, and the matching; in both directions
    assert checked == 2 * (5 * 3 * 4 + 1)
    assert risk.evidence("records")["attacker"].n_unique() == 5


def test_the_evidence_of_a_record_takes_some_forty_bytes():
    labels = {"label_edema": np.tile([1, 0, 0], 400), "label_fracture": np.tile([0, 0, 1], 400)}
    table = audit_linkage(planted(0.3, **labels), PLAIN).evidence("records")
    numbers = table.drop("record_id", "patient_id", "direction", "attacker")  # a file writes each name once
    assert numbers.estimated_size() / len(table) <= 40


def test_images_of_a_study_share_one_candidate():
    rng = np.random.default_rng(0)
    text = rng.standard_normal((30, 8)).astype(np.float32)
    study = np.repeat(np.arange(30), 2)
    records = pl.DataFrame(
        {"record_id": [str(row) for row in range(60)], "report_id": study.astype(str), "patient_id": study.astype(str)}
    )
    release = Release(records, {"image": text[study], "text": text[study]})
    risk = audit_linkage(release, LinkageConfig(attackers=("cosine",)))
    assert risk.counts["reports"] == 30
    for direction, queries in (("image-to-report", 60), ("report-to-image", 30)):
        row = only(risk, direction=direction, pool=30, metric="recall@1")
        assert (row.value, row.n) == (pytest.approx(1), queries)


def test_length_does_not_matter():
    release = planted(0.3)
    scale = np.random.default_rng(1).uniform(0.1, 10, (len(release), 1)).astype(np.float32)
    longer = Release(release.records, {"image": release.image * scale, "text": release.text * scale[::-1]})
    for one, other in zip(audit_linkage(release, PLAIN).estimates, audit_linkage(longer, PLAIN).estimates, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-3)


def test_queries_may_be_drawn_instead_of_patients():
    by_query = audit_linkage(planted(0.3), LinkageConfig(pools=(100,), attackers=("cosine",), resample="query"))
    by_patient = audit_linkage(planted(0.3), PLAIN)
    rows = [only(risk, pool=100, metric="recall@1") for risk in (by_query, by_patient)]
    assert rows[0].value == pytest.approx(rows[1].value)
    assert rows[0].sd < 0.8 * rows[1].sd  # three images of a patient fall together
    assert [row.patients for row in rows] == [400, 400]


def test_a_release_without_patients_says_so():
    release = planted(0.3)
    bare = Release(release.records.drop("patient_id"), release.arrays)
    risk = audit_linkage(bare, PLAIN)
    assert risk.counts["patients"] == 1200
    assert any("no patients" in limit for limit in risk.limits)


def test_what_cannot_be_audited_is_refused():
    release = planted(0)
    with pytest.raises(DataError, match="needs text embeddings"):
        audit_linkage(Release(release.records, {"image": release.image}))
    with pytest.raises(DataError, match="24 and 8 dimensions"):
        audit_linkage(Release(release.records, {"image": release.image, "text": release.text[:, :8].copy()}))
    for config, said in (
        (LinkageConfig(pools=(1201,)), "2 to 1200"),
        (LinkageConfig(pools=(1,)), "2 to 1200"),
        (LinkageConfig(hard_pool=100), "needs labels"),
    ):
        with pytest.raises(ConfigError, match=said):
            audit_linkage(release, config)
    with pytest.raises(ConfigError, match="did you mean 'csls'"):
        LinkageConfig(attackers=("cslss",))
    text = release.text.copy()
    text[7] = 0
    with pytest.raises(DataError, match="row 7"):
        audit_linkage(Release(release.records, {"image": release.image, "text": text}))
    lonely = Release(release.records[:1], {name: array[:1] for name, array in release.arrays.items()})
    with pytest.raises(DataError, match="two records"):
        audit_linkage(lonely)


def few(records: int, patients: int, **columns) -> Release:
    rng = np.random.default_rng(0)
    image, text = (rng.standard_normal((records, 4)).astype(np.float32) for _ in range(2))
    names = {
        "record_id": [str(row) for row in range(records)],
        "patient_id": [str(row % patients) for row in range(records)],
    }
    return Release(pl.DataFrame({**names, **columns}), {"image": image, "text": text})


@pytest.mark.parametrize(("records", "patients"), [(2, 2), (2, 1), (3, 2), (50, 1), (4, 4)])
def test_the_smallest_releases_are_audited_and_their_controls_do_not_boast(records, patients):
    risk = audit_linkage(few(records, patients))
    controls = {outcome.check: outcome.outcome for outcome in risk.outcomes}
    assert controls["null control (shuffled pairs)"] == controls["planted leak"] == "warn"
    assert all(0 <= row.value <= 1 for row in risk.estimates)


def test_one_report_for_all_is_refused():
    with pytest.raises(DataError, match="at least two reports"):
        audit_linkage(few(5, 5, report_id=["r"] * 5))


def test_one_report_id_with_two_texts_is_refused():
    with pytest.raises(DataError, match="rows 1 and 0"):
        audit_linkage(few(4, 4, report_id=["a", "a", "b", "c"]))


def test_what_leaks_everything_is_audited():
    """The worst release there is: every estimate is one, and none is more."""
    release = planted(1.0)
    risk = audit_linkage(release, LinkageConfig(pools=(2, 5, 10, 100), attackers=("cosine",)))
    assert min(row.value for row in risk.estimates if row.metric in ("recall@1", "mrr")) == pytest.approx(1)
    assert max(row.high for row in risk.estimates) <= 1


@pytest.mark.parametrize("length", [1e-30, 1e-20, 1e18, 1e36])
def test_lengths_beyond_float32_do_not_hide_a_leak(length):
    """Their squares overflow, or vanish, in single precision."""
    release = planted(0.3)
    far = Release(release.records, {name: array * np.float32(length) for name, array in release.arrays.items()})
    one, other = (only(audit_linkage(which, PLAIN), pool=100, metric="recall@1") for which in (release, far))
    assert one.value == pytest.approx(other.value, abs=1e-3)


def test_the_headline_is_one_of_the_pools_that_were_asked_for():
    risk = audit_linkage(planted(0.3, patients=100), LinkageConfig(pools=(20, 50), attackers=("cosine",)))
    assert risk.spot.pool == 50


def rotated(patients, seed, turn, width=24):
    """Pairs that agree, but for a rotation of the text side that the attacker does not know."""
    rng = np.random.default_rng(seed)
    image = rng.standard_normal((patients, width))
    text = (image + 0.5 * rng.standard_normal((patients, width))) @ turn
    records = pl.DataFrame(
        {
            "record_id": [f"{seed}-{row}" for row in range(patients)],
            "patient_id": [f"{seed}-{row}" for row in range(patients)],
        }
    )
    return Release(records, {"image": image.astype(np.float32), "text": text.astype(np.float32)})


def test_pairs_of_other_patients_teach_the_attacker_and_nobody_is_held_out():
    turn = np.linalg.qr(np.random.default_rng(0).standard_normal((24, 24)))[0]
    attacked, known = rotated(300, 1, turn), rotated(400, 2, turn)
    config = LinkageConfig(pools=(100,), attackers=("cosine", "realigned"))
    risk = audit_linkage(attacked, config, known=known)
    cosine, realigned = (only(risk, pool=100, metric="recall@1", attacker=name) for name in config.attackers)
    assert cosine.n == realigned.n == 300
    assert cosine.high < 0.05
    assert realigned.low > 0.9
    with pytest.raises(ConfigError, match="patients under attack"):
        audit_linkage(attacked, config, known=attacked)


def test_many_known_pairs_bring_more_than_no_change():
    """Directions that agree among many that do not: canonical correlation weighs them, a plain ridge cannot."""
    rng = np.random.default_rng(3)
    shared = rng.standard_normal((3000, 6))
    sides = [
        np.hstack([shared + 0.3 * rng.standard_normal(shared.shape), rng.standard_normal((3000, 34))]) for _ in "ab"
    ]
    parts = []
    for rows in (slice(0, 500), slice(500, 3000)):
        ids = [str(row) for row in range(3000)[rows]]
        arrays = {name: side[rows].astype(np.float32) for name, side in zip(("image", "text"), sides, strict=True)}
        parts.append(Release(pl.DataFrame({"record_id": ids, "patient_id": ids}), arrays))
    config = LinkageConfig(pools=(100,), attackers=("cosine", "realigned"))
    risk = audit_linkage(parts[0], config, known=parts[1])
    cosine, realigned = (only(risk, pool=100, metric="recall@1", attacker=name) for name in config.attackers)
    assert realigned.low > 1.5 * cosine.high


def test_some_queries_against_all_candidates():
    whole = only(audit_linkage(planted(0.25), PLAIN), pool=1200, metric="recall@1")
    risk = audit_linkage(planted(0.25), LinkageConfig(pools=(100,), attackers=("cosine",), queries=300))
    some = only(risk, pool=1200, metric="recall@1")
    assert 300 <= some.n < 310
    assert risk.counts["reports"] == 1200
    assert some.low <= whole.value <= some.high
    with pytest.raises(ConfigError, match="too few"):
        LinkageConfig(queries=1)
