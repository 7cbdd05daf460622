"""A trial of a defended table: the table is asked about where a defence changed it, and only there."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

import leadapron as la
from command_line import run
from leadapron.trials.entrants import read_entrants
from leadapron.trials.scenarios import scenarios_of


@pytest.fixture(scope="module")
def release():
    """Sixty patients with two visits each, on days that nobody shares; without labels, so that a trial is quick."""
    rng = np.random.default_rng(0)
    image = rng.normal(size=(120, 8))
    return la.Release.of(
        image=image,
        text=image + rng.normal(size=image.shape),
        patient=np.arange(120) // 2,
        split=np.repeat(["train", "validate", "test"], [60, 20, 40]),
        sex=np.repeat(rng.choice(["F", "M"], 60), 2),
        age=np.repeat(rng.integers(20, 90, 60), 2),
        date=pl.Series(rng.permutation(120) + 16000).cast(pl.Date),
    )


def keys(*entrants: la.Release) -> list[str]:
    return [scenario.key for scenario in scenarios_of(read_entrants(entrants[0], entrants[1:]))]


def test_the_table_is_asked_about_where_it_changed(release):
    assert "table" in keys(release, la.defend(release, "table", k=5))
    assert "table" not in keys(release, la.defend(release, "noise", length=1.0))


def test_the_whole_table_is_counted_before_and_after(release, tmp_path):
    after = la.defend(release, "table", k=5)
    la.trial(release, after, out=tmp_path, attackers=("cosine",), pool=20)
    found = {name: la.read_results(tmp_path / name / "table") for name in ("release", "table-5")}
    assert (found["release"].headline.value, found["table-5"].headline.value) == (1.0, 0.0)
    assert {one.headline.n for one in found.values()} == {60}
    linkage = [la.read_results(tmp_path / name / "linkage").estimates for name in ("release", "table-5")]
    assert [row for row in linkage[0] if row.group is None] == [row for row in linkage[1] if row.group is None]
    page = (tmp_path / "report.html").read_text()
    assert "Whom do the columns of its table single out?" in page


def test_a_cohort_whose_table_alone_changed_is_asked_about_it_alone(small_clinic_folder, tmp_path):
    assert run("defend", "table", small_clinic_folder, "--k", 3, "--out", tmp_path / "coarse").code == 0
    assert keys(small_clinic_folder, tmp_path / "coarse") == ["table"]
    la.trial(small_clinic_folder, tmp_path / "coarse", out=tmp_path / "trial")
    found = la.read_results(tmp_path / "trial" / "coarse" / "table")
    assert next(row.value for row in found.estimates if row.metric == "unique") == 0
