"""Releases in memory go through a trial, and releases without labels: what cannot be measured is said."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import leadapron as la
from command_line import run
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, write_release
from page_outline import Outline, plain
from utility_releases import made

NO_LABELS = "What is it still good for? Not measured: There are no labels in it, and utility is judged by them"


@pytest.fixture(scope="module")
def release():
    return made(2.0, patients=60, images=5, prevalence=0.45)


def without_labels(release: Release) -> Release:
    return replace(release, records=release.records.drop(pl.selectors.starts_with("label_")), prompts={})


@pytest.mark.study
def test_releases_in_memory_are_named_by_what_was_done_to_them(release, tmp_path):
    defended = [la.defend(release, "quantise", bits=bits) for bits in (4, 2)]
    again = la.defend(release, "quantise", bits=2)
    frontier = la.trial(release, *defended, again, out=tmp_path / "out", attackers=("cosine",), probe_strength=0.1)
    names = ["release", "quantise-4", "quantise-2", "after-3"]
    assert [point.name for point in frontier.points] == names
    assert (frontier.risk, frontier.use) == ("linkage", "utility")
    assert frontier.points[2].answers["linkage"].row == frontier.points[3].answers["linkage"].row
    assert frontier.points[1].answers["utility"].kept.value > frontier.points[2].answers["utility"].kept.value
    content = json.loads((tmp_path / "out" / "frontier.json").read_text())
    assert [point["name"] for point in content["points"]] == names
    assert "quantise-4" in repr(frontier)
    assert frontier._repr_html_().startswith("<iframe")


@pytest.mark.study
def test_a_folder_and_a_release_in_memory_give_the_same_numbers(release, tmp_path):
    write_release(release, tmp_path / "before")
    defended = la.defend(release, "quantise", bits=2)
    options = {"attackers": ["cosine"], "probe_strength": 0.1}
    sides = [
        la.trial(before, defended, out=tmp_path / name, **options)
        for name, before in (("memory", release), ("folder", tmp_path / "before"))
    ]
    for one, other in zip(*(side.points for side in sides), strict=True):
        for key, answer in one.answers.items():
            assert (answer.row, answer.change, answer.cut) == (
                other.answers[key].row,
                other.answers[key].change,
                other.answers[key].cut,
            )


def test_without_labels_the_releases_stand_by_their_risk_and_it_is_said_that_use_was_not_measured(release, tmp_path):
    before = without_labels(release)
    for name, one in (("before", before), ("coarse", la.defend(before, "quantise", bits=1))):
        write_release(one, tmp_path / name)
    done = run("trial", tmp_path / "before", tmp_path / "coarse", "--attacker", "cosine", "--out", tmp_path / "out")
    assert done.code == 0, done
    page = (tmp_path / "out" / "report.html").read_text()
    for said in (plain(done.out), plain(Outline(page).words)):
        assert NO_LABELS in said
        assert "AUROC" not in said
    assert "No use could be measured, so releases stand by their risk alone." in plain(Outline(page).words)
    content = json.loads((tmp_path / "out" / "frontier.json").read_text())
    assert (content["risk"], content["use"]) == ("linkage", None)
    texts = [path for path in (tmp_path / "out").rglob("*") if path.suffix in (".json", ".html")]
    assert [path for path in texts if str(tmp_path) in path.read_text()] == [], "where on this machine it lies"


def test_a_defence_that_drops_the_labels_stands_beside_the_plane(release, tmp_path):
    bare = without_labels(la.defend(release, "quantise", bits=1))
    frontier = la.trial(
        release, la.defend(release, "quantise", bits=2), bare, out=tmp_path, attackers=("cosine",), probe_strength=0.1
    )
    assert frontier.use == "utility"
    assert [("utility" in point.answers, point.name) for point in frontier.points][2] == (False, "quantise-1")
    assert not frontier.points[2].on_front
    assert "Not measured of quantise-1: There are no labels in it" in plain(repr(frontier))


def test_what_does_not_fit_is_refused_before_anything_is_attacked(release, tmp_path):
    fewer = release.of_splits(("train", "test"))
    with pytest.raises(DataError, match="after-1: the release is not of the same records, patients and splits"):
        la.trial(release, fewer, out=tmp_path / "out")
    other = replace(release, records=release.records.with_columns(patient_id=pl.lit("p") + pl.col("record_id")))
    with pytest.raises(DataError, match="after-1: the release is not of the same records, patients and splits"):
        la.trial(release, other, out=tmp_path / "out")
    with pytest.raises(ConfigError, match="pools"):
        la.trial(release, release, out=tmp_path / "out", pools=(10,))
    assert not (tmp_path / "out").exists()


def test_records_may_stand_in_another_order_after(release, tmp_path):
    order = np.random.default_rng(0).permutation(len(release))
    arrays = {name: rows[order] for name, rows in release.arrays.items()}
    moved = Release(release.records[order.tolist()], arrays, prompts=release.prompts)
    frontier = la.trial(release, moved, out=tmp_path, attackers=("cosine",), probe_strength=0.1)
    for key in ("linkage", "linkage-by-words"):
        assert frontier.points[1].answers[key].change.difference == pytest.approx(0, abs=1e-12)
