"""A federated run beside its secure-aggregated and its noised version: risk, AUROC and guarantee on one frontier."""

from __future__ import annotations

import json

import numpy as np
import pytest

import leadapron as la
from command_line import refusal, run
from federation_runs import loaded, patients, train
from leadapron.attacks.federation.run_utility import CHECK, use_run
from leadapron.audits.audit import AuditConfig
from leadapron.release import Release, write_release
from leadapron.results.selection import only


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    place, source = tmp_path_factory.mktemp("trial"), patients()
    plans = {"plain": {}, "secure": {"secure": True}, "noised": {"clip": 1.0, "noise": 1.0}}
    return {name: train(place / name, source=source, **given) for name, given in plans.items()}


@pytest.fixture(scope="module")
def frontier(runs):
    return la.trial(*runs.values(), out=runs["plain"].parent / "out")


def test_runs_are_compared_by_risk_use_and_guarantee(runs, frontier):
    assert [point.name for point in frontier.points] == ["plain", "secure", "noised"]
    assert (frontier.risk, frontier.use, frontier.kind) == ("federation", "run-utility", "run")
    plain, secure, noised = frontier.points
    for point, folder in zip(frontier.points, runs.values(), strict=True):
        recorded = loaded(folder).run.tested("both")
        used = point.answers["run-utility"].row
        assert (used.value, used.low, used.high) == (recorded.value, recorded.low, recorded.high)
    assert secure.answers["run-utility"].change.difference == 0  # the same mean, whoever adds it up
    assert noised.answers["run-utility"].change.difference < 0
    assert plain.guarantee["kind"] == secure.guarantee["kind"] == "none"
    assert noised.guarantee["kind"] == "differential privacy"
    assert noised.answers["federation"].row.value <= plain.answers["federation"].row.value


def test_the_page_and_the_table_speak_of_runs(runs, frontier):
    page = (runs["plain"].parent / "out" / "report.html").read_text()
    assert "A federated training, defended, attacked again and used again" in page
    assert "The same patients are asked about in all runs." in page
    words = page.partition("<main>")[2].partition('id="glossary"')[0]
    assert "each release" not in words
    assert "Guarantee: DP, patient" in " ".join(repr(frontier).split())
    told = json.loads((runs["plain"].parent / "out" / "frontier.json").read_text())
    assert [point["method"] for point in told["points"]] == [
        "car-mfl", "secure aggregation", "clipped updates, noised updates"
    ]  # fmt: skip


def test_the_use_of_a_run_is_what_it_recorded_and_a_changed_model_is_noticed(runs, tmp_path):
    done = run("utility", "run", runs["plain"], "--out", tmp_path / "use")
    assert done.code == 0, done.out + done.err
    assert "AUROC, report alone" in done.out
    subject = loaded(runs["plain"])
    assert use_run(subject, AuditConfig()).outcomes[0].outcome == "pass"
    subject.seen.final["classifier.weight"][:] = np.roll(subject.seen.final["classifier.weight"], 3, axis=1)
    check = use_run(subject, AuditConfig()).outcomes[0]
    assert (check.check, check.outcome) == (CHECK, "error")
    assert only(use_run(subject, AuditConfig()), metric="auroc-image").n == len(subject.test)


def test_what_is_not_alike_is_refused_before_anything_is_attacked(runs, tmp_path):
    other = train(tmp_path / "other", seed=7, epochs=1, rounds=1)
    said = refusal("trial", runs["plain"], other, "--out", tmp_path / "out")
    assert "the run is not of the same records" in said
    assert "public set and seed" in said
    write_release(Release.of(image=np.eye(6), patient=np.arange(6)), tmp_path / "release")
    said = refusal("trial", runs["plain"], tmp_path / "release", "--out", tmp_path / "out")
    assert "a trial compares what is of one kind" in said
    said = refusal("trial", runs["plain"], runs["secure"], "--pool", "100", "--out", tmp_path / "out")
    assert "takes no option but --seed" in said
    assert not (tmp_path / "out").exists()
