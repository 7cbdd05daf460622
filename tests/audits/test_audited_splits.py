"""Whom an audit counts: by default patients whom nothing of the release was fitted on, and if not, it says so."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from command_line import refusal, run
from identity_data import drawn, release_of
from leadapron.audits.render import render
from leadapron.cohort import SPLITS
from leadapron.release import write_release
from leadapron.release.fitting import HERE, Fitting, fitted_to
from leadapron.results import read_results
from linkage_data import planted

QUICK = ("--attacker", "cosine")
COUNTED = "This counts patients on whom the alignment (canonical correlation) was fitted"


def overfitted():
    """Every training pair lies on itself, and no other does: what an alignment learned by heart."""
    split = np.repeat(["train", "validate", "test"], [60, 60, 120])
    whole = planted(0.25, patients=80, split=split)
    seen = whole.records.filter(pl.col("split") == "train")
    return replace(whole, fitted=(fitted_to("alignment", "canonical correlation", seen, whole.records),))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("splits") / "release"
    write_release(overfitted(), out)
    return out


def audit(folder, out, *options, kind="linkage"):
    said = run("audit", kind, folder, "--out", out, *QUICK, *options)
    assert said.code == 0, said.err
    return read_results(out), " ".join(said.out.split()), (out / "report.html").read_text()


def test_the_headline_counts_nobody_whom_the_alignment_was_fitted_on(folder, tmp_path):
    """Of all 240 radiographs a quarter is found, of the 180 others none: the former used to be the headline."""
    results, said, page = audit(folder, tmp_path / "a")
    assert results.headline.value < 0.03
    assert results.counts["records"] == results.counts["reports"] == 180
    assert results.config["split"] == "test+validate"
    assert results.attacked.splits == ("test", "validate")
    (fitted,) = results.attacked.fitted_on
    assert (fitted.part, fitted.method, fitted.splits) == ("alignment", "canonical correlation", ("train",))
    assert "(splits test and validate)" in said
    assert COUNTED not in said + page


@pytest.mark.parametrize(
    ("split", "records", "counted"), [("all", 240, True), ("train", 60, True), ("test", 120, False)]
)
def test_who_asks_for_fitted_patients_is_told_so_in_the_verdict(folder, tmp_path, split, records, counted):
    results, said, page = audit(folder, tmp_path / "a", "--split", split)
    assert results.counts["records"] == records
    assert results.config["split"] == (None if split == "all" else split)
    for text in (said, page, render(results, ".xml"), " ".join(render(results, ".md").replace("\\", "").split())):
        assert (COUNTED in text) is counted


def test_where_nothing_was_fitted_everybody_is_attacked(tmp_path):
    write_release(replace(overfitted(), fitted=()), tmp_path / "release")
    for place, split in enumerate(((), ("--split", "all"))):
        results, said, page = audit(tmp_path / "release", tmp_path / str(place), *split)
        assert (results.counts["records"], results.config["split"]) == (240, None)
        assert "Attacked" not in said
        assert "This counts" not in page


def test_known_pairs_are_of_a_split_that_is_not_attacked(folder, tmp_path):
    results, _, _ = audit(folder, tmp_path / "a", "--known-split", "train", "--attacker", "realigned")
    assert results.config["known_split"] == "train"
    for split, got in (((), "test+validate"), (("--split", "all"), "all"), (("--split", "test"), "test")):
        said = refusal("audit", "linkage", folder, "--out", tmp_path / "b", *QUICK, *split, "--known-split", "test")
        assert f"must be of different splits; got 'attacked {got}, known test'" in said


def test_where_every_split_was_fitted_on_nobody_is_left_to_attack(tmp_path):
    everything = (Fitting("encoder", "a network", HERE, SPLITS),)
    write_release(replace(overfitted(), fitted=everything), tmp_path / "release")
    said = refusal("audit", "linkage", tmp_path / "release", "--out", tmp_path / "a")
    assert "the encoder (a network)" in said
    assert "--split all" in said
    _, said, _ = audit(tmp_path / "release", tmp_path / "b", "--split", "all")
    assert "on whom the encoder (a network) was fitted" in said


@pytest.mark.parametrize(
    ("on", "splits", "expected"),
    [
        ((), SPLITS, ("test", "train", "validate")),
        (("train",), SPLITS, ("test", "train", "validate")),
        (("train",), ("train", "test"), ("test", "train", None)),
        (("test",), SPLITS, ("train+validate", None, None)),
        ((), ("train", "test"), (None, None, None)),
    ],
)
def test_identity_attacks_test_patients_unless_something_was_fitted_on_them(tmp_path, on, splits, expected):
    image, who = drawn(90, 0.7)
    whole = release_of(image, who, split=np.array(splits)[who % len(splits)])
    fittings = (Fitting("encoder", "a network", HERE, on),) if on else ()
    write_release(replace(whole, fitted=fittings), tmp_path / "release")
    results, said, page = audit(tmp_path / "release", tmp_path / "a", "--redraws", 100, kind="identity")
    config = results.config
    assert (config["split"], config["known_split"], config["tune_split"]) == expected
    assert "This counts" not in said + page
    if on:
        _, said, page = audit(tmp_path / "release", tmp_path / "b", "--redraws", 100, "--split", on[0], kind="identity")
        assert "on whom the encoder (a network) was fitted" in said
        assert "on whom the encoder (a network) was fitted" in page


def test_no_threshold_is_set_on_a_single_patient(tmp_path):
    """A small release has one patient to tune on, and the audit was refused: there was nobody to tell from."""
    image, who = drawn(60, 0.7)
    several = int(np.bincount(who).argmax())
    split = np.where(who == several, "validate", np.where(who % 2, "train", "test"))
    write_release(release_of(image, who, split=split), tmp_path / "release")
    results, _, _ = audit(tmp_path / "release", tmp_path / "out", "--redraws", 100, kind="identity")
    config = results.config
    assert (config["split"], config["known_split"], config["tune_split"]) == ("test", "train", None)
