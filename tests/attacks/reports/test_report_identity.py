"""Reports of one patient are recognised by their words where these tell, and at chance where they do not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.reports import ReportIdentityConfig, audit_report_identity
from leadapron.attacks.reports.report_identity_audit import NULL, PLANTED, vectors_of
from leadapron.audits.measure import Measure
from leadapron.errors import DataError
from leadapron.reports.report_set import ReportSet, of_cohort
from leadapron.reports.report_vectors import grams_of, reduced, report_vectors, weighted_grams
from leadapron.results.selection import only
from report_data import BODY


def reports(patients=80, *, own=True, seed=0):
    """Two reports a patient: the same body for everybody, with a phrase of the patient's own or of nobody's."""
    rng = np.random.default_rng(seed)
    rows = []
    for number in range(patients):
        phrase = f"follow-up of the {number * 37 % 101} mm nodule after resection {number}"
        for visit in range(2):
            said = phrase if own else f"seen {rng.integers(1000)} times in {rng.integers(1000)} days"
            rows.append((f"r{number}-{visit}", f"p{number}", " ".join([*rng.permutation(BODY)[:3], said])))
    return ReportSet(pl.DataFrame(rows, schema=["record_id", "patient_id", "report"], orient="row"), "ours")


def audited(reports_, **asked):
    return audit_report_identity(vectors_of(reports_), ReportIdentityConfig(**asked))


def test_a_phrase_of_ones_own_is_recognised():
    found = audited(reports())
    assert found.headline.value > 0.8
    assert found.audit == "report-identity"
    assert found.headline.at["direction"] == "report-to-report"
    outcomes = {outcome.check: outcome.outcome for outcome in found.outcomes}
    assert outcomes[NULL] == outcomes[PLANTED] == "pass"
    assert set(found.evidence("records")["direction"]) == {"report-to-report"}


def test_reports_of_nobody_in_particular_give_chance():
    found = audited(reports(own=False))
    row = only(found, metric="auc", protocol="all-pairs", attacker="cosine")
    assert row.low < 0.5 < row.high
    assert found.headline.low <= found.headline.chance


def test_no_word_of_its_numbers_speaks_of_radiographs():
    found = audited(reports(40))
    from leadapron.attacks.reports import REPORT_IDENTITY

    texts = [*found.limits[1:], *(outcome.reason for outcome in found.outcomes), *REPORT_IDENTITY.attackers.values()]
    for measure in REPORT_IDENTITY.measures:
        assert isinstance(measure, Measure)
        texts += [measure.title, measure.event, measure.units, measure.counted]
    texts += REPORT_IDENTITY.page.glossary.values()
    assert [text for text in texts if "radiograph" in text or "image" in text or "release" in text] == []


def test_a_report_that_images_share_counts_once(small_clinic):
    release = vectors_of(of_cohort(small_clinic.cohort))
    studies = small_clinic.cohort.records.drop_nulls("report")["study_id"].n_unique()
    assert len(release) == studies < len(small_clinic.cohort)
    assert "view" not in release.records.columns
    assert "label_edema" in release.records.columns


def test_the_vectors_keep_the_angles_of_the_words():
    texts = reports(40).records["report"].to_list()
    rows = weighted_grams(texts)
    again = report_vectors(texts, 10_000)
    dense = rows.toarray()
    assert np.allclose(again @ again.T, dense @ dense.T, atol=1e-5)
    assert np.allclose((dense**2).sum(axis=1), 1)
    assert np.array_equal(report_vectors(texts), report_vectors(texts))


def test_few_numbers_keep_the_largest_part():
    rows = weighted_grams(reports(60).records["report"].to_list())
    values = np.linalg.svd(rows.toarray(), compute_uv=False)
    kept = np.sqrt((reduced(rows, 20).astype(float) ** 2).sum(axis=0))
    assert np.allclose(kept, values[:20], rtol=0.02)


def test_words_and_their_weights_are_what_a_recount_gives():
    texts = ["clear lungs", "clear lungs lungs", "an effusion"]
    rows = weighted_grams(texts).toarray()
    first = next(iter(grams_of("clear")))  # the beginning, which every report has
    lungs = next(column for column in grams_of("lungs") if column in set(grams_of("clear lungs")) and column != first)
    own = [sum(column == lungs for column in grams_of(text)) for text in texts]
    assert own == [1, 2, 0]
    rarity = np.log(4 / 3) + 1
    ratio = rows[1, lungs] / rows[1, first]
    assert ratio == pytest.approx((1 + np.log(2)) * rarity / (np.log(4 / 4) + 1))


@pytest.mark.parametrize(
    ("patients", "what"), [(["a", "b", "c"], "no patient has two"), (["a", "a", "a"], "one patient")]
)
def test_nobody_to_recognise_is_refused(patients, what):
    table = pl.DataFrame({"record_id": ["1", "2", "3"], "patient_id": patients, "report": ["x y", "y z", "z x"]})
    with pytest.raises(DataError, match=what):
        vectors_of(ReportSet(table, "ours"))
