"""Patients of one release looked for in another: with mates there, without, and releases that do not fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from command_line import refusal, run
from identity_data import judged_by_the_other_half
from leadapron.attacks.identity import IDENTITY, IdentityConfig, audit_identity
from leadapron.attacks.identity.crossing import Place, add_crossing, cross
from leadapron.attacks.identity.scores import cosines
from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.attacks.open_world import METRIC
from leadapron.audits import Gathering
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, read_release, write_release
from leadapron.release.provenance import inputs_of
from leadapron.results import read_results
from leadapron.results.selection import only, select

WIDTH, BOTH, ALONE = 24, 60, 240


def releases(noise=0.3, seed=0, card=None):
    """Two releases of one image a visit: 60 patients are in both, and 240 in each alone."""
    rng = np.random.default_rng(seed)
    own = rng.normal(size=(BOTH + 2 * ALONE, WIDTH))
    made = []
    for name, patients in (("old", np.r_[:BOTH, BOTH : BOTH + ALONE]), ("new", np.r_[:BOTH, BOTH + ALONE : len(own)])):
        who = np.repeat(patients, np.where(patients % 3 == 0, 2, 1))
        image, text = ((own[who] + noise * rng.normal(size=(len(who), WIDTH))).astype(np.float32) for _ in range(2))
        ids = {"record_id": [f"{name}{row}" for row in range(len(who))], "patient_id": [f"p{one}" for one in who]}
        made.append(Release(pl.DataFrame(ids), {"image": image, "text": text}, card or {}, where=name))
    return made


def slow(probes, gallery, probed, patient, rate=0.01):
    """Each probe with a mate against the whole gallery, and each without: the right first, and named rightly."""
    table = (probes / np.linalg.norm(probes, axis=1, keepdims=True)).astype(np.float64)
    table = table @ (gallery / np.linalg.norm(gallery, axis=1, keepdims=True)).astype(np.float64).T
    false, right, whose = [], [], []
    for row, who in zip(table, probed, strict=True):
        strangers = np.sort(row[patient != who])[::-1]
        if who in patient:
            best = row[patient == who].max()
            right.append((best > strangers[0], best - strangers[:10].mean(), best))
            whose.append(who)
        else:
            false.append((strangers[0] - strangers[1:11].mean(), strangers[0]))
    first, *scores = np.array(right).T
    thresholds = (np.sort(column)[::-1][int(rate * len(false))] for column in np.array(false).T)
    named = [first * (score > threshold + 1e-7) for score, threshold in zip(scores, thresholds, strict=True)]
    return first.mean(), judged_by_the_other_half(named, whose)


@pytest.mark.parametrize("noise", [0.7, 1.2])
def test_both_numbers_are_those_of_the_slow_way(noise):
    old, new = releases(noise)
    probed, patient = (one.records["patient_id"].to_numpy() for one in (new, old))
    found = Gathering(IDENTITY)
    crossing = cross(new.image, old.image, probed, patient)
    place = Place("precision@1", "image-to-image", (100, len(old)))
    rows = {"cosine": lambda one: cosines(np.concatenate([one.probes, one.gallery]))}
    add_crossing(found, rows, crossing, place)
    first, named = slow(new.image, old.image, probed, patient)
    here = {(row.metric, row.pool): row for row in found.estimates}
    assert here["precision@1", len(old)].value == pytest.approx(first)
    assert here[METRIC, len(old)].value == pytest.approx(named)
    assert here["precision@1", 100].value > first
    assert here[METRIC, len(old)].n == (crossing.mated).sum() == 80
    assert (~crossing.mated).sum() == crossing.asked_in_vain.sum() == 320


def test_identity_finds_those_who_are_in_both_and_says_who_was_asked_for():
    old, new = releases(0.1)
    risk = audit_identity(new, IdentityConfig(attackers=("cosine",)), before=old)
    row = only(risk, metric=METRIC, protocol="against", pool=400)
    assert row.value > 0.95
    assert row.chance < 1e-4
    assert risk.details["against"]["patients_in_both"] == BOTH
    outcomes = {outcome.check: outcome.outcome for outcome in risk.outcomes}
    assert outcomes["null control (released before)"] == outcomes["planted leak (released before)"] == "pass"


def test_linkage_looks_in_both_directions_and_nothing_is_found_where_nothing_is():
    old, new = releases(0.1)
    strangers = replace(old, arrays={name: array[::-1].copy() for name, array in old.arrays.items()})
    config = LinkageConfig(attackers=("cosine", "csls", "realigned", "assignment"))
    for before, there in ((old, True), (strangers, False)):
        risk = audit_linkage(new, config, before=before)
        for direction in ("image-to-report", "report-to-image"):
            rows = select(risk, protocol="against", direction=direction, pool=400)
            assert {(row.metric, row.attacker) for row in rows} == {
                (metric, name) for metric in ("patient-report", METRIC) for name in ("cosine", "csls")
            }
            assert all(row.value > 0.9 if there else row.low <= row.chance for row in rows)
    only_images = replace(old, arrays={"image": old.image})
    risk = audit_linkage(new, config, before=only_images)
    assert {row.direction for row in select(risk, protocol="against")} == {"report-to-image"}


def test_where_everybody_is_in_both_false_alarms_are_counted_with_the_own_patient_taken_out():
    _, new = releases(0.5)
    again = replace(new, arrays={"image": new.image + np.float32(0.01)}, where="again")
    risk = audit_identity(new, IdentityConfig(attackers=("cosine",)), before=again)
    assert risk.details["against"]["in_vain"] == "everybody"
    assert only(risk, metric=METRIC, protocol="against", pool=400).value > 0.95


def test_a_handful_in_both_is_not_spoken_of():
    old, new = releases(0.1)
    kept = (pl.col("patient_id") != "p0") & ~pl.col("patient_id").is_in([f"p{one}" for one in range(5, BOTH)])
    rows = old.records.select(kept).to_series()
    few = replace(old, records=old.records.filter(rows), arrays={"image": old.image[rows.to_numpy()]})
    risk = audit_identity(new, IdentityConfig(attackers=("cosine",)), before=few)
    assert select(risk, protocol="against") == []
    assert risk.details["against"]["patients_in_both"] is None
    assert {one.outcome for one in risk.outcomes if "released before" in one.check} == {"not-run"}


def test_releases_that_do_not_fit_are_refused():
    old, new = releases()
    encoded = [
        {"encoder": {"name": name, "weights": {"w": {"sha256": digest}}}} for name, digest in (("a", "1"), ("b", "1"))
    ]
    narrow = replace(old, arrays={name: array[:, :8].copy() for name, array in old.arrays.items()})
    others = replace(old, records=old.records.with_columns(patient_id=pl.format("x{}", pl.col("patient_id"))))
    nameless = replace(old, records=old.records.drop("patient_id"))
    for before, error, said in (
        (new, ConfigError, "against itself"),
        (replace(new, arrays=dict(new.arrays), where="copy"), ConfigError, "against itself"),
        (narrow, DataError, "8 dimensions, and 24 here"),
        (others, DataError, "no patient is in both"),
        (nameless, DataError, "no patient_id"),
        (replace(old, arrays={"image_features": old.image}), DataError, "nothing to search"),
    ):
        for audit in (audit_identity, audit_linkage):
            with pytest.raises(error, match=said):
                audit(new, before=before)
    with pytest.raises(DataError, match=r"a \(1\) and b \(1\)"):
        audit_identity(replace(new, card=encoded[0]), before=replace(old, card=encoded[1]))


def test_on_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    old, new = releases()
    half = [replace(old, records=old.records[part], arrays={name: array[part] for name, array in old.arrays.items()})
            for part in (slice(0, 160), slice(160, 320))]  # fmt: skip
    for name, release in (("new", new), ("early", half[0]), ("late", half[1])):
        write_release(release, tmp_path / name)
    write_release(
        replace(old, arrays={name: rows[:, :8].copy() for name, rows in old.arrays.items()}), tmp_path / "slim"
    )
    done = run(
        "audit", "identity", "new", "--against", "early", "--against", "late", "--out", "out", "--attacker", "cosine"
    )
    assert done.code == 0, done.err
    results = read_results(tmp_path / "out")
    assert results.config["against"] == ["early", "late"]
    assert results.config["against_ids"] == [inputs_of(tmp_path / one, read_release(tmp_path / one))["subject"]["id"]
                                             for one in ("early", "late")]  # fmt: skip
    assert {row.pool for row in select(results, protocol="against")} == {10, 100, 320}
    page = (tmp_path / "out" / "report.html").read_text()
    assert "candidates of early and late" in page
    assert "Looked for in what was released before" in page
    assert "Open world: most have no match" in page
    for audit in ("identity", "linkage"):
        for given, said in (
            (("new",), "against itself"),
            (("early", "early"), "given twice"),
            (("slim",), "8 dimensions, and 24 here"),
        ):
            options = [part for one in given for part in ("--against", one)]
            assert said in refusal("audit", audit, "new", *options, "--out", "never")
    assert not (tmp_path / "never").exists()
