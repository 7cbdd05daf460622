"""Two whole linkage audits side by side: attackers who hold records out, and a paired difference for every estimate."""

from __future__ import annotations

import json
import re

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.attacks.linkage.linkage_gathering import METRICS
from leadapron.comparisons import RENDERERS, as_table, compare
from leadapron.errors import DataError
from leadapron.release import Release
from leadapron.results import Results
from leadapron.stats import share_differences
from page_outline import plain
from sample_results import write_risk

PATIENTS, WIDTH = 100, 12
CONFIG = LinkageConfig(
    pools=(20, 200),
    hard_pool=20,
    known_pairs=0.2,
    redraws=100,
    attackers=("cosine", "csls", "realigned", "assignment"),
    headline_pool=200,
)


def released(turn: np.ndarray, name: str = "r") -> Release:
    """Two images a patient, whose reports lie near them but for a turn of the space."""
    rng = np.random.default_rng(0)
    count = 2 * PATIENTS
    image = rng.standard_normal((count, WIDTH))
    text = (image + 0.9 * rng.standard_normal(image.shape)) @ turn
    records = pl.DataFrame(
        {
            "record_id": [f"{name}{row}" for row in range(count)],
            "patient_id": [f"p{row // 2}" for row in range(count)],
            "label_edema": np.arange(count) % 3 == 0,
        }
    ).with_columns(pl.col("label_edema").cast(pl.Int8))
    return Release(records, {"image": image.astype(np.float32), "text": text.astype(np.float32)})


@pytest.fixture(scope="module")
def audits(tmp_path_factory) -> dict[str, Results]:
    """As it was; with the reports turned, so that only who knows pairs finds any; and other records."""
    turn = np.linalg.qr(np.random.default_rng(1).standard_normal((WIDTH, WIDTH)))[0]
    releases = {
        "before": released(np.eye(WIDTH)),
        "turned": released(turn),
        "others": released(turn, "other"),
    }
    folder = tmp_path_factory.mktemp("audits")
    return {name: write_risk(audit_linkage(release, CONFIG), folder / name, {}) for name, release in releases.items()}


@pytest.fixture(scope="module")
def comparison(audits):
    return compare(audits["before"], audits["turned"])


def test_attackers_judged_on_different_records_are_compared_on_those_they_share(audits, comparison):
    tested, other = comparison.paired
    assert (tested.at.direction, tested.tested, other.tested) == ("image-to-report", True, False)
    assert tested.attacker_before == audits["before"].spot.attacker != "realigned"
    assert tested.attacker_after == "realigned"
    judged = audits["turned"].evidence("records").filter(direction="image-to-report", attacker="realigned")
    assert tested.found.n == len(judged) < 200
    assert (tested.left_out, tested.held_out_by) == (200 - len(judged), ("realigned",))
    old = audits["before"].evidence("records").filter(direction="image-to-report", attacker=tested.attacker_before)
    shared = old.join(judged, on="record_id")
    assert tested.found.before == pytest.approx(shared["recall"].mean())
    assert tested.found.after == pytest.approx(judged["recall"].mean())


def test_how_many_are_left_out_and_why_is_said(comparison):
    said = f"{comparison.paired[0].left_out} radiographs are left out: realigned learnt from their true pairs"
    for render in (as_table, RENDERERS[".md"], RENDERERS[".html"]):
        assert said in plain(render(comparison))
    content = json.loads(RENDERERS[".json"](comparison))
    assert content["paired"][0]["left_out"] == comparison.paired[0].left_out


def test_audits_of_other_records_are_refused(audits):
    with pytest.raises(DataError, match="200 before, 200 after, 0 in both"):
        compare(audits["before"], audits["others"])


def test_every_estimate_of_everybody_has_its_paired_difference(comparison):
    """Two random pools and the matched one by three ranking attackers, and the matching; in both directions."""
    rows = [row for row in comparison.changes if row.before.metric in METRICS and row.before.group is None]
    assert len(rows) == 2 * (3 * 3 * 4 + 1)
    assert {row.before.protocol for row in rows} == {"random", "hard"}
    for row in rows:
        assert row.paired is not None
        assert row.paired.before == pytest.approx(row.before.value, abs=1e-6)
        assert row.paired.after == pytest.approx(row.after.value, abs=1e-6)
        assert row.paired.low <= row.paired.difference <= row.paired.high
        assert 0 < row.paired.p <= 1


def test_a_paired_difference_is_that_of_the_ranks(audits, comparison):
    """In the whole database the true one is among the first five if fewer than five are above it; ties share."""
    (row,) = (
        change
        for change in comparison.changes
        if change.before.has(direction="report-to-image", attacker="csls", pool=200, metric="recall@5")
    )
    sides = []
    for name in ("before", "turned"):
        rows = audits[name].evidence("records").filter(direction="report-to-image", attacker="csls").sort("record_id")
        above, ties = (rows[column].to_numpy().astype(float) for column in ("above", "ties"))
        sides.append(np.clip((5 - above) / (ties + 1), 0, 1))
    expected = share_differences(*(side[:, None] for side in sides), rows["patient_id"].to_numpy())[0]
    assert row.paired.difference == pytest.approx(expected.difference)
    assert (row.paired.low, row.paired.high) == pytest.approx((expected.low, expected.high))
    assert row.paired.p == pytest.approx(expected.p)


def test_one_difference_is_tested_and_the_others_are_said_to_describe(comparison):
    for render in (as_table, RENDERERS[".md"], RENDERERS[".html"]):
        assert "One difference is tested" in plain(render(comparison))
        assert "Described and not tested (report → radiograph, among 200 at random)" in plain(render(comparison))


def test_the_page_speaks_to_people(comparison):
    page = plain(RENDERERS[".html"](comparison))
    for words in (
        "Of 1,000 radiographs, an attacker with a pool of 200 reports finds the right one first for",
        "Right one first, radiograph → report, among 200 at random (guessing: 0.5 %)",
        "Right one first, radiograph → report, among 20 with matching findings",
        "Among the first 10, report → radiograph, among 20 at random",
        "<dt>Paired difference</dt>",
        "<dt>Pathology-matched pool</dt>",
        "<legend>Decision</legend>",
    ):
        assert words in page
    body = re.sub(r"<style>.*?</style>|<svg.*?</svg>|<dl.*?</dl>", "", page, flags=re.DOTALL)
    assert not re.search(r"recall@|hard \d|[ (]-\d", body)
    assert re.search(r"−\d", body)
