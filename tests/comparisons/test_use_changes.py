"""What a defence costs: every use that both audits hold, the worst clear loss first."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy.stats import norm

from leadapron.audits.run_audit import audit
from leadapron.comparisons.comparison import compare
from leadapron.comparisons.comparison_page import as_json, as_table, page_of
from leadapron.comparisons.use_changes import LEVEL, use_changes
from leadapron.comparisons.use_words import cost_table, worst_in_words
from leadapron.release import Release
from leadapron.results.withheld import FEWEST_POSITIVES
from page_outline import plain
from utility_releases import made, unit

LOST = 3
"""The finding whose axis a defence takes away: its place among the findings."""


def without(release, axes):
    """The release without what its images say along these axes."""
    image = release.image.copy()
    image[:, axes] = np.random.default_rng(5).standard_normal((len(image), len(axes))) * image[:, axes].std()
    return Release(release.records, {**release.arrays, "image": unit(image)}, prompts=release.prompts)


@pytest.fixture(scope="module")
def before():
    return audit(made(2.0, patients=500), "utility", redraws=200, strengths=(0.1,))


@pytest.fixture(scope="module")
def after():
    return audit(without(made(2.0, patients=500), [LOST]), "utility", redraws=200, strengths=(0.1,))


def test_nothing_is_lost_where_nothing_changed(before):
    changes = use_changes(before, before)
    assert {change.status for change in changes} == {"no clear change"}
    assert worst_in_words(changes) == f"no use is clearly lost ({len(changes)} compared)"


def test_what_one_finding_loses_comes_before_the_mean_that_hides_it(before, after):
    changes = use_changes(before, after)
    label = before.details["macro_over"]["probe"][LOST]
    worst = changes[0]
    assert (worst.row.at, worst.status) == ({"label": label}, "worse")
    assert worst.positives == before.details["positives"][label] >= FEWEST_POSITIVES
    clear = [change for change in changes if change.status == "worse"]
    assert {change.row.at.get("label") for change in clear} <= {label, None}
    assert [change.loss for change in clear] == sorted((change.loss for change in clear), reverse=True)
    order = [("worse", "no clear change", "better").index(change.status) for change in changes]
    assert order == sorted(order)
    comparison = compare(before, after)
    assert comparison.uses == tuple(changes)
    assert comparison.exit_code == 1
    said = plain(as_table(comparison))
    assert said.index("CLEAR LOSS") < said.index("By the measure that is tested")
    assert page_of(comparison).sections[0].key == "cost"
    assert json.loads(as_json(comparison))["uses"][0]["status"] == "worse"


def distance(change):
    """In standard errors."""
    found = change.change
    return abs(found.difference) / found.sd if found.difference else 0.0


def test_the_adjustment_is_holms_among_means_and_among_findings(before, after):
    """The slow way: the k-th smallest p times what is left, and never less than the one before."""
    changes = use_changes(before, after)
    for of_findings in (False, True):
        own = [change for change in changes if (change.positives is not None) == of_findings]
        family = sorted(((distance(change), change) for change in own), key=lambda one: -one[0])
        assert family
        reached = 0.0
        for place, (far, change) in enumerate(family):
            reached = max(reached, min(1.0, 2 * norm.sf(far) * (len(family) - place)))
            assert change.p_adjusted == pytest.approx(reached, rel=1e-6)
            assert (change.status != "no clear change") == (reached < LEVEL)


def test_the_table_has_every_clear_change_and_all_means(before, after):
    changes = use_changes(before, after)
    rows = cost_table("", changes).rows
    assert rows[0][-1] == "clear loss"
    means = [change for change in changes if change.positives is None]
    clear = [change for change in changes if change.status != "no clear change" and change.positives is not None]
    assert len(rows) == len(means) + len(clear)
