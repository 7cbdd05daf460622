"""What is left in de-identified reports: every share against a slow recount, and a leak that is what it says."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import leadapron as la
from leadapron.attacks.reports import ReleasedReports, audit_residual, residual_audit
from leadapron.attacks.reports.against_truth import compare_cases
from leadapron.attacks.reports.open_words import covered_by, leaks_of
from leadapron.attacks.reports.report_cases import Case, cases_of, reports_of
from leadapron.attacks.reports.residual_controls import ALIGNED, NULL, PLANTED, REPLACED
from leadapron.attacks.reports.true_spans import Span, Truth, by_key, read_truth
from leadapron.errors import ConfigError, DataError
from leadapron.reports.identifiers.categories import NOT_HIPAA
from leadapron.results.selection import covered, only
from leadapron.stats import shares
from report_data import all_but, identifiers, made, released


def truth_of(of):
    terms = pl.col("category") == "term"
    return Truth(of.source, *(by_key(of.truth.filter(part), "record_id") for part in (~terms, terms)))


def subject_of(of, found, **how):
    reports = released(of, found, **how)
    return ReleasedReports(reports_of(reports), cases_of(reports, truth_of(of)))


def clumsy(of, seed=3):
    """Overlooks some, cuts some short, marks clinical words now and then."""
    rng = np.random.default_rng(seed)
    rows = []
    for record, start, end, category in of.truth.iter_rows():
        luck = rng.random()
        if category == "term":
            if luck < 0.1:
                rows.append((record, start, end, "name"))
        elif luck < 0.7:
            rows.append((record, start, end, category))
        elif luck < 0.85:
            rows.append((record, start, start + max(1, (end - start) // 2), "id"))
    return pl.DataFrame(rows, schema=of.truth.schema, orient="row")


@pytest.fixture(scope="module")
def of():
    return made(40)


@pytest.fixture(scope="module")
def found(of):
    return audit_residual(subject_of(of, clumsy(of), how="stand-in"))


def value(found, metric, category="all", attacker="truth"):
    return only(found, metric=metric, category=category, attacker=attacker).value


# The slow, obvious recount: sets of characters, one report at a time.


def characters(spans):
    return {at for span in spans for at in range(span.start, span.end)}


def is_leak(case, span):
    left = characters([span]) - characters(case.found)
    text = "".join(case.source[at] if at in left else "\x00" for at in range(span.start, span.end))
    runs = [run for run in re.findall(r"[A-Za-z0-9]+", text) if len(run) >= 3]
    if not any(len(run) >= 3 for run in re.findall(r"[A-Za-z0-9]+", case.source[span.start : span.end])):
        runs = [text] if "\x00" not in text else []
    return any(run in case.released for run in runs)


def recount(cases, wanted):
    true = [(case, span) for case in cases for span in case.truth if wanted(span.category)]
    spans = [(case, span) for case in cases for span in case.found if wanted(span.category)]
    right = [bool(characters([span]) & characters(case.truth)) for case, span in spans]
    touched = [bool(characters([span]) & characters(case.found)) for case, span in true]
    whole = [
        all(at in characters(case.found) for at in characters([span]) if case.source[at].isalnum())
        for case, span in true
    ]
    leaks = [is_leak(case, span) for case, span in true]
    patients = {case.patient for case in cases}
    leaking = {case.patient for (case, _), leak in zip(true, leaks, strict=True) if leak}
    return {
        "recall": np.mean(touched),
        "recall-strict": np.mean(whole),
        "left": np.mean(leaks),
        "leak": len(leaking) / len(patients),
        "precision": np.mean(right),
        "f1": (sum(touched) + sum(right)) / (len(touched) + len(right)),
    }


WANTED = {"all": lambda _name: True, "HIPAA": lambda name: name not in NOT_HIPAA, "mrn": lambda name: name == "mrn"}


@pytest.mark.parametrize("category", WANTED)
def test_every_share_of_identifiers_is_what_a_recount_gives(of, found, category):
    cases = subject_of(of, clumsy(of), how="stand-in").cases
    for metric, again in recount(cases, WANTED[category]).items():
        assert value(found, metric, category) == pytest.approx(again), metric
    assert 0 < value(found, "leak", category) < 1


def test_every_share_of_words_is_what_a_recount_gives(of, found):
    hits = truths = founds = 0
    for case in subject_of(of, clumsy(of), how="stand-in").cases:
        for word in re.finditer(r"[A-Za-z0-9]+", case.source):
            own = set(range(word.start(), word.end()))
            is_true, is_found = bool(own & characters(case.truth)), bool(own & characters(case.found))
            hits += is_true and is_found
            truths += is_true
            founds += is_found
    assert value(found, "token-recall") == pytest.approx(hits / truths)
    assert value(found, "token-precision") == pytest.approx(hits / founds)
    assert value(found, "token-f1") == pytest.approx(2 * hits / (truths + founds))


def test_terms_and_findings_are_what_a_recount_gives(of, found):
    terms, same, changed = [], [], {}
    for case in subject_of(of, clumsy(of), how="stand-in").cases:
        for term in case.terms:
            gone = characters([term]) & characters(case.found)
            terms.append(not gone and case.source[term.start : term.end] in case.released)
        before, after = la.label_report(case.source), la.label_report(case.released)
        same += [before[name] == after[name] for name in before]
        moved = any((before[name] == "positive") != (after[name] == "positive") for name in before)
        changed[case.patient] = changed.get(case.patient, False) or moved
    assert value(found, "terms-kept") == pytest.approx(np.mean(terms))
    assert value(found, "findings-kept") == pytest.approx(np.mean(same))
    assert value(found, "positive-changed") == pytest.approx(np.mean(list(changed.values())))
    assert value(found, "terms-kept") < 1
    assert value(found, "positive-changed") > 0


def test_patients_are_the_units_of_the_intervals(of, found):
    row = only(found, metric="recall", category="all", attacker="truth")
    compared = compare_cases(subject_of(of, clumsy(of), how="stand-in").cases).identifiers
    again = shares(compared["touched"].to_numpy()[:, None].astype(float), compared["patient_id"].to_numpy())[0]
    alone = shares(compared["touched"].to_numpy()[:, None].astype(float), np.arange(len(compared)))[0]
    assert (row.low, row.high, row.patients) == (again.low, again.high, 40)
    assert row.high - row.low > alone.high - alone.low
    assert found.headline.n == 40
    assert found.headline.metric == "leak"


# What a leak is.


@pytest.mark.parametrize(
    ("source", "true", "cut", "after", "leaks"),
    [
        ("by Alma Holt.", (3, 12), [(3, 12)], "by [NAME].", False),
        ("by Alma Holt.", (3, 12), [(3, 7)], "by [NAME] Holt.", True),
        ("by Alma Holt.", (3, 12), [], "by Alma Holt.", True),
        ("by Alma Holt.", (3, 12), [], "by somebody.", False),  # nobody marked it, and yet it is gone
        ("by Alma Ko.", (3, 10), [(3, 7)], "by [NAME] Ko.", False),  # two letters beside a name that is gone
        ("by Smithson.", (3, 11), [(3, 8)], "by [NAME]son.", True),
        ("by J. K. today", (3, 8), [], "by J. K. today", True),  # no word of three letters: as a whole
        ("by J. K. today", (3, 8), [(3, 5)], "by [NAME] K. today", False),
        ("on 4/5/21 he", (3, 9), [], "on 4/5/21 he", True),
        ("MRN 123456", (4, 10), [(4, 8)], "MRN [MRN]56", False),
        ("MRN 123456", (4, 10), [(4, 7)], "MRN [MRN]456", True),
    ],
)
def test_a_leak_is_a_word_that_was_not_covered_and_still_stands_there(source, true, cut, after, leaks):
    case = Case("r", "p", source, after, tuple(Span(*one, "name") for one in cut), (Span(*true, "name"),))
    assert leaks_of(case, covered_by(case.found, len(source))) == [leaks]


def test_nothing_is_left_where_everything_was_found(of):
    found = audit_residual(subject_of(of, identifiers(of)))
    assert found.headline.value == 0
    assert found.headline.high < 0.1
    assert found.headline.detectable < 0.06
    assert {row.value for row in found.estimates if row.metric in ("recall", "recall-strict", "precision")} == {1.0}
    assert value(found, "terms-kept") == value(found, "findings-kept") == 1
    assert all(outcome.outcome == "pass" for outcome in found.outcomes)


def test_an_identifier_left_on_purpose_is_found(of):
    own = identifiers(of)
    left = own.filter(pl.col("category") == "mrn")["record_id"][:6].to_list()
    found = audit_residual(subject_of(of, own.filter(~(pl.col("record_id").is_in(left) & (own["category"] == "mrn")))))
    assert value(found, "leak") == value(found, "leak", "mrn") == 3 / 40  # two reports a patient
    assert value(found, "left", "mrn") == 6 / 80
    assert set(found.evidence("leaks")["record_id"]) == set(left)
    assert "text" not in " ".join(found.evidence("leaks").columns)


# The controls.


def of_check(found, name):
    return next(outcome for outcome in found.outcomes if outcome.check == name)


def test_the_controls_vouch_for_the_comparison(found):
    assert of_check(found, NULL).outcome == of_check(found, PLANTED).outcome == "pass"
    assert covered(found) == {"truth"}


def test_spans_without_any_replacement_are_caught(of):
    """Who lists every identifier and cuts none would have no leak by the spans alone."""
    subject = subject_of(of, identifiers(of))
    cheating = [replace(case, released=case.source) for case in subject.cases]
    found = audit_residual(replace(subject, cases=cheating))
    assert of_check(found, REPLACED).outcome == "error"
    assert value(found, "unchanged") == 1


def test_reports_of_which_something_else_changed_are_told(of):
    subject = subject_of(of, identifiers(of))
    changed = [replace(case, released=case.released.replace("The", "That")) for case in subject.cases]
    assert of_check(audit_residual(replace(subject, cases=changed)), ALIGNED).outcome == "error"


@pytest.mark.parametrize(("said", "check"), [(True, NULL), (False, PLANTED)])
def test_a_comparison_that_does_not_look_is_caught(of, monkeypatch, said, check):
    from leadapron.attacks.reports import against_truth

    monkeypatch.setattr(against_truth, "leaks_of", lambda case, _covered: [said] * len(case.truth))
    found = audit_residual(subject_of(of, all_but(of, 0.1)))
    assert of_check(found, check).outcome == "error"
    assert covered(found) == frozenset()


# Without the truth.


def looking(monkeypatch, recogniser):
    monkeypatch.setattr(residual_audit, "load_recogniser", lambda: recogniser)


def test_nothing_to_compare_with_is_refused(of, monkeypatch):
    looking(monkeypatch, None)
    with pytest.raises(ConfigError, match="nothing to compare"):
        audit_residual(ReleasedReports(reports_of(of.source)))


def test_another_recogniser_is_shown_and_never_relied_on(of, monkeypatch):
    looking(monkeypatch, lambda texts: ["Nora" in text or "Whitfield" in text for text in texts])
    subject = subject_of(of, identifiers(of), how="stand-in")
    found = audit_residual(subject)
    row = only(found, metric="looks-like")
    hit = {report.patient for report in subject.reports if "Nora" in report.text}
    assert row.value == len(hit) / 40
    assert 0 < row.value < 1
    assert found.headline.attacker == "truth"
    assert "other-recogniser" not in covered(found)
    alone = audit_residual(ReleasedReports(subject.reports))
    assert alone.headline.metric == "looks-like"
    assert covered(alone) == frozenset()


def test_a_truth_with_an_unknown_category_is_refused(tmp_path):
    (tmp_path / "reports.csv").write_text("record_id,patient_id,report\nr1,p1,Ann is well.\n")
    (tmp_path / "truth.csv").write_text("record_id,start,end,category\nr1,0,3,nome\n")
    with pytest.raises(DataError, match="unknown category; got 'nome'"):
        read_truth(tmp_path / "truth.csv", tmp_path / "reports.csv")
