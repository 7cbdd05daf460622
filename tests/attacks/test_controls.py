"""Controls test the attackers that they vouch for: whoever looks at the truth is caught, in every audit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from command_line import run
from identity_data import drawn as drawn_images
from identity_data import release_of
from leadapron.attacks.identity import IdentityConfig, audit_identity, retrieval
from leadapron.attacks.identity import identity_controls as identity_controls
from leadapron.attacks.identity import identity_gathering as identity_found
from leadapron.attacks.identity import recognisers as recognisers
from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.attacks.linkage import linkage_audit as linkage
from leadapron.attacks.linkage import linkage_controls as linkage_controls
from leadapron.attacks.linkage import linkers as linkers
from leadapron.attacks.linkage import random_pools as linkage_pools
from leadapron.attacks.membership import as_found_attackers, audit_as_found, audit_membership
from leadapron.attacks.membership import record_attackers as recallers
from leadapron.audits import standard_words as words
from leadapron.audits import vouching
from leadapron.release import Release, write_release
from leadapron.results import Measured, read_results
from leadapron.results.selection import covered, uncovered
from linkage_data import planted
from membership_data import drawn, models_of, signals_of, wild

EVERYBODY = {"cosine", "csls", "pooled", "realigned", "sinkhorn", "assignment"}


def of(risk, start):
    return next(outcome for outcome in risk.outcomes if outcome.check.startswith(start))


def peeks(task, _knowledge):
    """Pulls every seventh query towards its true candidate."""
    texts = np.asarray(task.database.texts)
    queries = task.queries.copy()
    queries[::7] += texts[task.database.text_of[task.truth[::7]]]
    return replace(task, queries=queries)


def test_a_linkage_attacker_that_looks_at_the_truth_is_caught(monkeypatch):
    monkeypatch.setitem(linkers.ATTACKERS, "realigned", peeks)
    risk = audit_linkage(planted(0), LinkageConfig(seed=3))
    null = of(risk, "null")
    assert risk.spot.attacker == "realigned"
    assert null.outcome == "error"
    assert "realigned" in null.reason
    assert set(null.attackers) == EVERYBODY - {"realigned"}


def test_an_identity_attacker_that_looks_at_who_stands_beside_whom_is_caught(monkeypatch):
    """Images of a patient stand together in the gallery; to smooth over neighbours is to look at the answer."""
    honest = recognisers.ATTACKERS["whitened"]

    def neighbours(images, knowledge):
        return honest(images + np.roll(images, 1, axis=0) + np.roll(images, -1, axis=0), knowledge)

    monkeypatch.setitem(recognisers.ATTACKERS, "whitened", neighbours)
    image, who = drawn_images(150, 1.0)
    noise = np.random.default_rng(0).normal(size=image.shape)
    risk = audit_identity(release_of(noise, who), IdentityConfig(redraws=200))
    null = of(risk, "null")
    assert risk.spot.attacker == "whitened"
    assert null.outcome == "error"
    assert "whitened" in null.reason
    assert set(null.attackers) == {"cosine", "euclidean"}


@pytest.mark.parametrize("labels", [1, 3])
def test_a_membership_attacker_that_looks_at_the_truth_is_caught(monkeypatch, labels):
    table = recallers.ONE_LABEL if labels == 1 else recallers.SEVERAL_LABELS
    monkeypatch.setitem(table, "rmia", lambda gathered, _slope: gathered.truth + 0.1 * gathered.answered)
    values, members, who = drawn(150, 16)
    if labels > 1:
        values = values[:, :, None] + np.random.default_rng(1).normal(size=(*values.shape, labels))
    columns = {f"label_{at}": np.ones(len(who)) for at in range(labels)} if labels > 1 else {}
    risk = audit_membership(signals_of(values, members, who, logits=labels > 1, **columns))
    null = of(risk, "null")
    assert null.outcome == "error"
    assert "rmia" in null.reason
    assert "rmia" not in null.attackers
    assert {"joint", "maximum", "calibrated", "bi-normal", "mann-whitney", "lira"} <= set(null.attackers)


def test_an_attacker_of_a_found_model_that_looks_at_the_truth_is_caught(monkeypatch):
    monkeypatch.setitem(as_found_attackers.ATTACKERS, "rmia-500", lambda asked: asked.found.truth + 0.1 * asked.ratio)
    null = of(audit_as_found(models_of(*wild(300))), "null")
    assert null.outcome == "error"
    assert "rmia-500" in null.reason
    assert set(null.attackers) == {"rmia-offline", "target-alone", "joint", "calibrated", "maximum"}


def blind(task, _knowledge):
    return replace(task, queries=np.random.default_rng(0).normal(size=task.queries.shape).astype(np.float32))


def test_an_attacker_that_finds_nothing_is_not_vouched_for_and_fails_the_audit_only_as_its_headline(monkeypatch):
    monkeypatch.setitem(linkers.ATTACKERS, "csls", blind)
    leak = of(audit_linkage(planted(0.3), LinkageConfig()), "planted")
    assert (leak.outcome, set(leak.attackers)) == ("pass", EVERYBODY - {"csls"})
    leak = of(audit_linkage(planted(0.3), LinkageConfig(attackers=("csls",))), "planted")
    assert (leak.outcome, leak.attackers) == ("error", ())


def test_controls_notice_an_audit_that_sees_nothing_or_what_is_not_there(monkeypatch):
    """Not an attacker is wrong here, but what every attacker is measured by."""
    for share, wrong in ((0.01, "planted"), (0.4, "null")):
        monkeypatch.setattr(
            linkage_pools, "recall_in_pool", lambda ranks, *_, share=share: np.full(len(ranks.above), share)
        )
        risk = audit_linkage(planted(0), LinkageConfig(pools=(100,), attackers=("cosine",)))
        assert of(risk, wrong).outcome == "error"
    monkeypatch.undo()
    honest = retrieval.first_in_gallery
    monkeypatch.setattr(identity_found, "first_in_gallery", lambda best, pool: 0.4 * honest(best, pool))
    risk = audit_identity(release_of(*drawn_images(40, 1.0)), IdentityConfig(attackers=("cosine",), redraws=200))
    assert of(risk, "planted").outcome == "error"


def test_controls_of_honest_attackers_pass_and_cover_everybody():
    known = planted(0.2, seed=1)
    known = Release(known.records.with_columns(patient_id="k" + known.records["patient_id"]), dict(known.arrays))
    for others in (None, known):
        risk = audit_linkage(planted(0.2), LinkageConfig(), known=others)
        for start in ("null", "planted"):
            assert of(risk, start).outcome == "pass", of(risk, start).reason
            assert set(of(risk, start).attackers) == EVERYBODY | ({"composed"} if others else set())


@pytest.mark.study
@pytest.mark.parametrize("leaked", [0.0, 1.0])
def test_the_null_control_raises_no_false_alarm(leaked):
    """However strong the leak is that was broken up, and where reports are shared or alike: 60 audits, none wrong."""
    for seed in range(30):
        release = planted(leaked, patients=60, width=6, seed=seed)
        if seed % 3 == 1:
            release = Release(release.records, {"image": release.image, "text": release.text[np.arange(180) % 9]})
        if seed % 3 == 2:
            text = release.text + 10.0
            release = Release(release.records, {"image": release.image, "text": text.astype(np.float32)})
        small = LinkageConfig(attackers=("cosine", "csls", "pooled", "realigned", "assignment"), seed=seed)
        found = linkage.run_attacks(linkage_controls.shuffled(release, seed), small)
        rows = [row for row in found.estimates if row.metric == "recall@1" and row.group is None]
        assert not [row for row in rows if row.protocol == "random" and vouching.off_chance(row)]


def test_a_share_is_off_where_guessing_hardly_explains_it():
    def row(value, patients, chance=0.01):
        numbers = {"value": value, "low": 0, "high": 1, "sd": 0, "chance": chance, "n": 900, "patients": patients}
        return Measured(metric="any", attacker="any", **numbers)

    assert not vouching.off_chance(row(0.01, 300))
    assert not vouching.off_chance(row(0.0, 300))
    assert not vouching.off_chance(row(0.03, 100)), "three of a hundred patients, one expected"
    assert vouching.off_chance(row(0.08, 300))
    assert vouching.off_chance(row(0.0, 3000)), "nobody, and thirty expected"
    assert vouching.off_chance(row(1.0, 300))


def test_copies_are_planted_for_everybody_also_in_a_part_of_many_patients(monkeypatch):
    monkeypatch.setattr(identity_controls, "IMAGES", 60)
    image, who = drawn_images(200, 1.0)
    some = identity_controls.some_patients(release_of(image, who), seed=0)
    assert 60 <= len(some) < 80
    sizes = some.records["patient_id"].value_counts()["count"]
    assert sizes.min() >= 2, "only who has two images can be recognised"
    copies = identity_controls.planted_copies(some, 0)
    same = some.records["patient_id"][0] == some.records["patient_id"]
    assert np.ptp(copies.image[same.to_numpy()], axis=0).max() < 0.02


def test_an_audit_whose_control_fails_is_written_marked_and_exits_with_3(monkeypatch, tmp_path):
    write_release(planted(0), tmp_path / "release")
    monkeypatch.setitem(linkers.ATTACKERS, "realigned", peeks)
    done = run("audit", "linkage", tmp_path / "release", "--out", tmp_path / "audit")
    assert done.code == 3
    assert "must not be relied on" in done.err
    results = read_results(tmp_path / "audit")
    assert uncovered(results) == ["realigned"]
    assert covered(results) == EVERYBODY - {"realigned"}
    page = (tmp_path / "audit" / "report.html").read_text()
    assert "Not reliable, a control of this audit went wrong." in page
    assert "can be relied on" not in page
    assert "No control covers realigned" in page
    for suffix in ("md", "xml"):
        run("report", tmp_path / "audit", "--output", tmp_path / f"page.{suffix}")
        assert "Not reliable" in (tmp_path / f"page.{suffix}").read_text()


def test_a_page_relies_on_nothing_that_no_control_covered(tmp_path):
    label = np.arange(1200) % 2
    write_release(planted(0.3, label_edema=label), tmp_path / "release")
    assert run("audit", "linkage", tmp_path / "release", "--out", tmp_path / "audit").code == 0
    results = read_results(tmp_path / "audit")
    assert "can be relied on" in words.standing(results)[1]

    def where_controls_cover(names):
        outcomes = [row if row.attackers is None else replace(row, attackers=names) for row in results.outcomes]
        return words.standing(results.updated(outcomes=tuple(outcomes)))

    strongest = results.spot.attacker
    worst, said = where_controls_cover(tuple(EVERYBODY - {strongest}))
    assert worst == "not-run"
    assert f"No control covers {strongest}: do not rely on those numbers." in said
    assert where_controls_cover(None)[0] == "not-run", "as in results of versions that did not say"
    worst, said = where_controls_cover((strongest, "cosine"))
    assert worst == "pass"
    assert all(name in said for name in EVERYBODY - {strongest, "cosine"})
