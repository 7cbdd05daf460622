"""Two utilities compared: the mean is tested, findings are beside it, and the words are those of use."""

from __future__ import annotations

import re

import numpy as np
import pytest

from leadapron.audits.run_audit import audit
from leadapron.comparisons.comparison import compare
from leadapron.comparisons.comparison_page import RENDERERS, as_table
from leadapron.release import Release
from page_outline import Outline, plain
from utility_releases import made, unit


@pytest.fixture(scope="module")
def comparison():
    release = made(1.5)
    noise = np.random.default_rng(0).standard_normal(release.image.shape)
    blurred = Release(release.records, {**release.arrays, "image": unit(release.image + 0.3 * noise)})
    return compare(*(audit(one, "utility", redraws=100, strengths=(0.1,)) for one in (release, blurred)))


def test_the_mean_is_tested_and_no_finding_is_another_direction_of_it(comparison):
    assert [(row.at.metric, row.at.at) for row in comparison.paired] == [("auroc", {})]
    assert comparison.paired[0].more_risk
    assert comparison.exit_code == 1
    findings = [change for change in comparison.changes if change.before.at]
    assert findings
    assert all(change.paired for change in findings)


def test_the_words_are_of_use(comparison):
    said = as_table(comparison)
    assert said.splitlines()[3].startswith("CLEAR LOSS: sensitivity at 0.5, ")
    assert "By the measure that is tested: the use is LOWER. In 1,000 comparisons, a linear probe scores" in plain(said)
    assert "(AUROC)" in said
    assert "The method is probe, before and after." in said
    assert "the same method on the same records" in " ".join(said.split())
    words = Outline(RENDERERS[".html"](comparison)).words.lower()
    for word in ("attacker", "the risk"):
        assert word not in words


def test_findings_are_rows_of_one_table_and_of_one_figure(comparison):
    said = as_table(comparison)
    (head,) = [line for line in said.splitlines() if line.startswith("Finding  ")]
    assert head.split() == ["Finding", "Before", "After", "Difference", "p"]
    assert said.count("AUROC, by probe (guessing: 0.500)") == 1
    rows = [change for change in comparison.changes if change.before.metric == "auroc"]
    assert [line.split("  ")[0] for line in said.splitlines()[said.splitlines().index(head) + 1 :][: len(rows)]] == [
        "all together",
        *(row.before.label.replace("_", " ") for row in rows[1:]),
    ]
    page = RENDERERS[".html"](comparison)
    assert page.count('<table class="whole"><caption>AUROC, by probe') == 1
    assert "logarithmic" not in Outline(page).words
    assert Outline(page).words.count("Finding atelectasis") == 0


def test_where_guessing_differs_from_finding_to_finding_it_has_a_column(comparison):
    captions = re.findall(r"<caption>(.*?)</caption>\n<thead>(.*?)</thead>", RENDERERS[".html"](comparison))
    heads = {caption: "Guessing" in columns for caption, columns in captions}
    assert heads["Accuracy at 0.5, by probe"] is True
    assert heads["AUROC, by probe (guessing: 0.500)"] is False
