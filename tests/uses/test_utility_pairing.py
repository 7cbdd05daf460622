"""Two releases of the same records: what is the same, what is worse, and what chance alone would do."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from leadapron.cohort.truth import Labels
from leadapron.errors import DataError
from leadapron.release import Release
from leadapron.stats import two_sided_p
from leadapron.uses import UTILITY, UtilityConfig, measure_utility, utility_pairing
from leadapron.uses.auroc import spread
from leadapron.uses.finding_scores import Redrawing, Scores, from_table, judge, to_table
from utility_releases import made, only, unit, with_labels

QUICK = UtilityConfig(redraws=200)


def blurred(release, noise, seed=0):
    """The same records with noise on every embedding."""
    rng = np.random.default_rng(seed)
    arrays = {name: unit(array + noise * rng.standard_normal(array.shape)) for name, array in release.arrays.items()}
    return Release(release.records, arrays, prompts=release.prompts)


def change(before, after, metric, label=None):
    """The difference of a number, by its measure."""
    return UTILITY.measure_of(metric).paired(before, after, only(before, metric, label))


def changes(before, after):
    return [change(before, after, row.metric, row.at.get("label")) for row in before.estimates]


def test_a_release_is_no_different_from_itself():
    utility = measure_utility(made(1.5), QUICK)
    assert all((row.difference, row.low, row.high, row.p) == (0, 0, 0, 1) for row in changes(utility, utility))
    assert [(row.before, row.n, row.clusters) for row in changes(utility, utility)] == [
        (row.value, row.n, row.patients) for row in utility.estimates
    ]


def test_a_blurred_release_is_worse_and_the_pairing_is_what_shows_it():
    release = made(2.0)
    before, after = measure_utility(release, QUICK), measure_utility(blurred(release, 0.3), QUICK)
    for metric in ("auroc", "zero-shot auroc", "label-retrieval jaccard@10"):
        row = change(before, after, metric)
        assert row.before == pytest.approx(only(before, metric).value)
        assert row.after == pytest.approx(only(after, metric).value)
        assert row.difference == pytest.approx(row.after - row.before)
        assert row.high < 0
        assert row.p < 0.02
    # redraws of the same patients on both sides cancel what they have in common
    apart = np.hypot(only(before, "auroc").sd, only(after, "auroc").sd)
    assert change(before, after, "auroc").sd < apart


def test_all_measures_of_a_comparison_are_one_computation_and_before_is_judged_once(monkeypatch):
    release = made(1.5)
    before, *afters = (measure_utility(blurred(release, noise), QUICK) for noise in (0, 0.1, 0.2))
    judged = []

    def counting(scores, how):
        judged.append(scores)
        return judge(scores, how)

    monkeypatch.setattr(utility_pairing, "judge", counting)
    for after in afters:
        changes(before, after)
        changes(before, after.updated(audit="utility"))  # the same evidence
    assert len(judged) == 3


def test_the_order_of_the_records_does_not_matter():
    release = made(1.5)
    other = blurred(release, 0.2)
    shuffled = np.random.default_rng(1).permutation(len(release))
    turned = Release(
        other.records[shuffled.tolist()],
        {name: array[shuffled] for name, array in other.arrays.items()},
        prompts=other.prompts,
    )
    before = measure_utility(release, QUICK)
    one, two = (changes(before, measure_utility(each, QUICK)) for each in (other, turned))
    for first, second in zip(one, two, strict=True):
        assert first.difference == pytest.approx(second.difference, abs=1e-4)
        assert first.low == pytest.approx(second.low, abs=1e-4)


def test_means_are_compared_over_the_labels_that_both_have():
    release = made(1.5)
    utility = measure_utility(release, QUICK)
    fewer = utility.updated().with_evidence({"records": utility.evidence("records").drop("probe_edema")})
    assert change(utility, fewer, "auroc", "edema") is None
    assert change(utility, fewer, "auroc").difference == 0
    assert change(utility, fewer, "auroc").before != only(utility, "auroc").value


def test_without_evidence_nothing_is_paired():
    utility = measure_utility(made(1.5), QUICK)
    assert change(utility, utility.updated().with_evidence({}), "auroc") is None


def test_releases_of_other_records_patients_or_labels_are_refused():
    release = made(1.5)
    utility = measure_utility(release, QUICK)
    longer = measure_utility(made(1.5, patients=260), QUICK)
    with pytest.raises(DataError, match="same test records"):
        changes(utility, longer)
    flipped = with_labels(release, lambda _, column: 1 - column)
    with pytest.raises(DataError, match="different labels"):
        changes(utility, measure_utility(flipped, QUICK))
    alone = Release(release.records.drop("patient_id"), release.arrays)
    with pytest.raises(DataError, match="different patients"):
        changes(utility, measure_utility(alone, QUICK))


def test_scores_come_back_from_their_table_as_they_were():
    scores = from_table(measure_utility(made(1.0), QUICK).evidence("records"), "evidence")
    again = from_table(to_table(scores), "evidence")
    assert (again.labels.truth == scores.labels.truth).all()
    for part, held in scores.parts().items():
        for name, values in held.items():
            np.testing.assert_array_equal(again.parts()[part][name], values)
    with pytest.raises(DataError, match="no scores"):
        from_table(to_table(scores).drop("record_id"), "evidence")


def simulated(seed, *, patients=60, images=5, shift=1.0, scorers=1):
    """A finding a patient, and scores that only differ between patients: the records of one add nothing."""
    rng = np.random.default_rng(seed)
    truth = np.arange(patients) % 2
    who = np.repeat(np.arange(patients), images)
    probes = [shift * truth + rng.standard_normal(patients) for _ in range(scorers)]
    labels = Labels(("a",), truth[who][:, None].astype(np.int8))
    ids = np.array([f"r{row}" for row in range(len(who))]), np.array([f"p{one}" for one in who])
    return [Scores(*ids, labels, {"a": probe[who]}, {}, {}, {}) for probe in probes]


def covered(resample, trials=120):
    """How often the interval holds the true area, over data drawn anew."""
    true, hits = norm.cdf(1.0 / 2**0.5), 0
    for seed in range(trials):
        area = next(one for one in judge(simulated(seed)[0], Redrawing(resample, 200, seed)) if one.metric == "auroc")
        low, high, _ = spread(area.replicates)
        hits += low <= true <= high
    return hits / trials


@pytest.mark.study
def test_intervals_over_patients_cover_and_those_over_records_do_not():
    assert covered("patient") > 0.88
    assert covered("record") < 0.75


@pytest.mark.study
def test_two_scorers_that_are_equally_good_seldom_seem_different():
    """A p below 0.1 one time in ten: the p-value is what it says."""
    seen, trials = 0, 120
    how = Redrawing(redraws=200)
    for seed in range(trials):
        before, after = (judge(scores, how)[0] for scores in simulated(seed, images=2, scorers=2))
        assert before.metric == after.metric == "auroc"
        seen += two_sided_p(after.value - before.value, after.replicates - before.replicates) < 0.1
    assert 0.02 < seen / trials < 0.2
