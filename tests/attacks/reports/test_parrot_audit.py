"""Leaks among stand-ins: what is marked stands where it should, chance where there is nothing, planted words found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from scipy.special import expit

import leadapron as la
from leadapron.attacks.reports import (
    PARROT,
    ParrotConfig,
    ReleasedReports,
    audit_parrot,
    parrot_attack,
    parrot_controls,
)
from leadapron.attacks.reports.imitation import STRENGTH, fit
from leadapron.attacks.reports.marked_parts import mark, with_made_up_leaks, with_planted_leaks
from leadapron.attacks.reports.parrot_audit import ALIGNED, ENOUGH, FEWEST_LEAKS
from leadapron.attacks.reports.parrot_controls import NULL, PLANTED
from leadapron.attacks.reports.report_cases import cases_of, reports_of
from leadapron.attacks.reports.true_spans import Truth, by_key
from leadapron.attacks.reports.word_features import WIDTH, read_words, shape_of
from leadapron.audits.audit import NOTHING, Loaded
from leadapron.audits.render import render
from leadapron.audits.run_audit import run_audit
from leadapron.audits.standard_words import marked_verdict
from leadapron.errors import DataError
from leadapron.results import Inputs
from leadapron.results.selection import covered, only
from report_data import all_but, identifiers, made, released
from tiny_results import inputs_of

PATIENTS = 90


def subject_of(of, found, how="stand-in"):
    reports = released(of, found, how=how)
    cases = cases_of(reports, Truth(of.source, by_key(identifiers(of), "record_id"), {}))
    return ReleasedReports(reports_of(reports), cases, replaced="surrogate")


@pytest.fixture(scope="module")
def of():
    return made(PATIENTS)


@pytest.fixture(scope="module")
def subject(of):
    return subject_of(of, all_but(of, 0.06))


@pytest.fixture(scope="module")
def found(subject):
    return audit_parrot(subject)


def of_check(found, name):
    return next(outcome for outcome in found.outcomes if outcome.check == name)


def test_marks_stand_where_stand_ins_and_leaks_do(of, subject):
    marked = mark(subject.cases)
    assert marked.apart == 0
    assert len(marked.marks) == len(identifiers(of))  # one each: found whole, or overlooked whole
    case_of = {case.record: case for case in subject.cases}
    for one in marked.marks:
        case = case_of[marked.records[one.report]]
        text = "".join(marked.texts[one.report][at:upto] for at, upto in one.parts)
        in_source = [case.source[span.start : span.end] for span in case.truth]
        assert text
        if one.leak:
            assert text in "".join(in_source).replace(" ", "").replace(":", "").replace("/", "") or text in in_source


def test_the_numbers_are_what_a_slow_recount_gives(found):
    table = found.evidence("marks")
    leaks = table.filter("leak")["suspicion"].to_list()
    others = sorted(table.filter(~pl.col("leak"))["suspicion"].to_list(), reverse=True)
    wins = sum((leak > other) + (leak == other) / 2 for leak in leaks for other in others)
    assert only(found, metric="auc").value == pytest.approx(wins / len(leaks) / len(others))
    for rate in (0.05, 0.01):
        cut = others[int(rate * len(others))]
        flagged, alarms = (sum(one > cut for one in side) for side in (leaks, others))
        assert only(found, metric=f"tpr@fpr={rate:g}").value == pytest.approx(flagged / len(leaks))
        assert alarms <= rate * len(others)
        among = only(found, metric=f"leaks-among@fpr={rate:g}")
        assert among.value == pytest.approx(flagged / (flagged + alarms))
        assert among.chance == pytest.approx(len(leaks) / (len(leaks) + len(others)))
    assert found.headline.metric == "tpr@fpr=0.01"
    assert found.counts["leaks"] == len(leaks) == found.headline.n
    assert found.headline.patients == table.filter("leak")["patient_id"].n_unique()


def test_the_controls_pass_and_vouch_for_it(found):
    assert of_check(found, NULL).outcome == of_check(found, PLANTED).outcome == "pass"
    assert covered(found) == {"imitation"}


def test_the_same_seed_gives_the_same_numbers(subject, found):
    again = audit_parrot(subject, ParrotConfig())
    assert again.estimates == found.estimates
    other = audit_parrot(subject, ParrotConfig(seed=5))
    assert other.headline.value != found.headline.value or other.estimates[0].value != found.estimates[0].value


def test_nobody_is_judged_by_what_their_own_reports_taught(subject, monkeypatch):
    seen = []

    def watched(features, _marks):
        seen.append(features.shape[0])
        return np.zeros(WIDTH)

    monkeypatch.setattr(parrot_attack, "fit", watched)
    marked = mark(subject.cases)
    words = read_words(marked.texts)
    parrot_attack.suspect(marked, 10_000, 0)
    assert len(seen) == 2
    assert sum(seen) == len(words.report)  # two halves, no word in both
    patients = np.unique(marked.patients, return_inverse=True)[1][words.report]
    half = set(np.random.default_rng(0).permutation(PATIENTS)[: PATIENTS // 2].tolist())
    assert seen[0] == sum(patient in half for patient in patients)


def test_leaks_in_a_form_that_is_never_replaced_are_found(of):
    """A finder that knows no lower-case names, where some are written so."""
    marked = with_planted_leaks(mark(subject_of(of, identifiers(of)).cases), 0.5, 1)
    table = parrot_attack.suspect(marked, 500, 0)
    leaks, others = (table.filter(leak=side)["suspicion"].to_numpy() for side in (True, False))
    assert (leaks[:, None] > others).mean() > 0.95
    for one in marked.marks:
        if one.leak:
            ((at, upto),) = one.parts
            assert marked.texts[one.report][at:upto].islower()


def test_stand_ins_that_are_called_leaks_cannot_be_told(of):
    marked = mark(subject_of(of, identifiers(of)).cases)
    values = []
    for seed in range(3):
        table = parrot_attack.suspect(with_made_up_leaks(marked, 0.1, seed), 500, seed)
        leaks, others = (table.filter(leak=side)["suspicion"].to_numpy() for side in (True, False))
        values.append(((leaks[:, None] > others) + (leaks[:, None] == others) / 2).mean())
    assert abs(np.mean(values) - 0.5) < 0.06


def test_an_attack_that_looks_at_the_truth_is_caught(subject, monkeypatch):
    honest = parrot_attack.suspect

    def peeks(marked, read, seed):
        return honest(marked, read, seed).with_columns(suspicion=pl.col("suspicion") + 100 * pl.col("leak"))

    monkeypatch.setattr(parrot_controls, "suspect", peeks)
    found = audit_parrot(subject)
    assert of_check(found, NULL).outcome == "error"
    assert covered(found) == frozenset()


def test_an_attack_that_sees_nothing_is_caught(subject, monkeypatch):
    monkeypatch.setattr(parrot_attack, "fit", lambda _features, _marks: np.zeros(WIDTH))
    assert of_check(audit_parrot(subject), PLANTED).outcome == "error"


def test_too_few_leaks_are_no_pass(of):
    found = audit_parrot(subject_of(of, identifiers(of)))
    assert found.estimates == ()
    assert of_check(found, ENOUGH).outcome == "not-run"
    assert str(FEWEST_LEAKS) in of_check(found, ENOUGH).reason
    assert of_check(found, PLANTED).outcome == "pass"  # it would have been seen


def test_without_stand_ins_there_is_nothing_to_hide_among(of):
    found = audit_parrot(subject_of(of, all_but(of, 0.2), "remove"))
    assert found.estimates == ()
    assert "nothing to hide among" in of_check(found, ENOUGH).reason


def test_reports_that_do_not_align_are_left_out_and_told(subject):
    cases = [
        replace(case, released=f"{case.released} Signed") if at < 9 else case for at, case in enumerate(subject.cases)
    ]
    found = audit_parrot(replace(subject, cases=cases))
    assert of_check(found, ALIGNED).outcome == "error"
    with pytest.raises(DataError, match="no released report is its source"):
        audit_parrot(replace(subject, cases=[replace(case, released="gone") for case in subject.cases]))


def test_words_have_their_neighbours_and_places():
    words = read_words(["Seen by Dr. Holt\nNAME: Alma", "Holt"])
    assert [(report, start, end) for report, start, end in zip(words.report, words.start, words.end, strict=True)] == [
        (0, 0, 4), (0, 5, 7), (0, 8, 10), (0, 12, 16), (0, 17, 21), (0, 23, 27), (1, 0, 4),
    ]  # fmt: skip
    assert words.features.shape == (7, WIDTH)
    rows = [set(words.features[[at]].indices.tolist()) for at in range(7)]
    assert rows[3] & rows[6]  # the same word
    assert rows[3] != rows[6]  # in another place
    assert shape_of("McX-7b") == "AaA-9a"
    again = read_words(["Holt"])
    assert set(again.features.indices.tolist()) == rows[6]  # no neighbour from the report before


def test_the_imitation_is_the_minimum_of_its_loss():
    rng = np.random.default_rng(0)
    features = sparse.random_array((200, 30), density=0.2, rng=rng, format="csr")
    marks = rng.random(200) < 0.3
    weights = fit(features, marks)
    sign = np.where(marks, 1.0, -1.0)
    slope = features.T @ (-sign * expit(-sign * (features @ weights))) + STRENGTH * weights
    assert np.abs(slope).max() < 1e-2


def test_the_verdict_of_nothing_measured_says_so(of):
    inputs = inputs_of({"reports.csv": "ab" * 32}, kind="reports", holds=(), mates=None)
    loaded = Loaded(subject_of(of, identifiers(of)), NOTHING, Inputs.model_validate(inputs))
    results = run_audit(PARROT, loaded, ParrotConfig(), command="x")
    assert marked_verdict(results).startswith("Too few leaks to measure")
    for suffix in (".html", ".md", ".xml"):
        assert "Too few leaks to measure" in render(results, suffix)
    assert la.gate(results).exit_code == 3
