"""Two kinds of clinic: site A is what it always was, site B differs in patients, machine and words, and stays true."""

from __future__ import annotations

import hashlib
import re

import numpy as np
import polars as pl
import pytest
from scipy.ndimage import gaussian_filter

from command_line import everything_in, run
from leadapron.cohort import read_cohort
from leadapron.errors import ConfigError
from leadapron.phantoms import Dials, build_clinic, render
from leadapron.phantoms.prose import PROSE
from leadapron.phantoms.scanner import soften
from leadapron.phantoms.scene import DEVICES, NO_DEVICE
from leadapron.phantoms.shorthand import SHORTHAND
from leadapron.phantoms.sites import SITES


@pytest.fixture(scope="module")
def clinics():
    return {site: build_clinic(Dials(patients=250, seed=4, site=site)) for site in SITES}


@pytest.fixture(scope="module")
def films(clinics):
    return {site: clinic.radiographs(64) for site, clinic in clinics.items()}


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(
    ("dials", "pixels", "reports"),
    [
        (
            Dials(patients=8, seed=0),
            "1a2f7693e7a044cfa421b91d1cc62bb2f9793053231da66743af6855cc0eae0e",
            "0c35124b6cc1ba8959fe4c4918f476fcec543d18184a69639716d0f0036a05f2",
        ),
        (
            Dials(patients=8, seed=3, identity=0.6, identifiers="plain"),
            "dd9a8a6c53dae799d52aad664a55fc21883f7a3173be20ed0aaa7e63fd1f5217",
            "1826347d480f45b2423ad2a12d0fa9f1ec3443429d0bf73997e2c1fc6b527acd",
        ),
    ],
    ids=["plain", "with other dials"],
)
def test_site_a_is_what_it_was_before_there_was_another(dials, pixels, reports):
    """Hashes recorded then: the shipped encoders were trained on this clinic, and published figures rest on it."""
    clinic = build_clinic(dials)
    assert sha256(clinic.radiographs(64).tobytes()) == pixels
    assert sha256("\x1f".join(clinic.cohort.records["report"]).encode()) == reports


def test_no_two_clinics_share_an_id_or_a_patient():
    clinics = [build_clinic(Dials(patients=30, seed=seed, site=site)) for site in SITES for seed in (0, 1, 10)]
    for column, per_clinic in (("patient_id", 30), ("study_id", None), ("record_id", None)):
        ids = [set(clinic.cohort.records[column]) for clinic in clinics]
        assert len(set.union(*ids)) == sum(map(len, ids))
        assert per_clinic is None or all(len(some) == per_clinic for some in ids)
    # nor do two people of different clinics have the same chest
    chests = [set(clinic.scenes[["rib_spacing", "lung_width", "knob"]].tolist()) for clinic in clinics]
    assert len(set.union(*chests)) == sum(map(len, chests))


def test_ids_tell_site_seed_patient_study_and_image():
    records = build_clinic(Dials(patients=3, seed=7, site="B")).cohort.records
    assert records["patient_id"][0] == "B7-00000"
    assert records["study_id"][0] == "B7-00000-s1"
    assert records["record_id"][0] == "B7-00000-s1-1"
    assert (records["record_id"].str.replace(r"-\d$", "") == records["study_id"]).all()
    assert (records["study_id"].str.replace(r"-s\d$", "") == records["patient_id"]).all()


def test_site_b_has_other_patients(clinics):
    a, b = (clinics[site].cohort.records.unique("study_id") for site in "AB")
    for label in ("support_devices", "pleural_effusion", "edema", "atelectasis", "lung_opacity"):
        assert b[f"label_{label}"].mean() > a[f"label_{label}"].mean() + 0.05, label
    assert b["label_no_finding"].mean() < a["label_no_finding"].mean() - 0.10
    assert (b["view"] == "AP").mean() > 0.85 > 0.70 > (a["view"] == "AP").mean()

    def days_apart(records):
        ordered = records.sort("study_id")
        gaps = ordered.select(pl.col("date").diff().over("patient_id").dt.total_days()).to_series()
        return gaps.drop_nulls().median()

    assert days_apart(b) < 6 < 30 < days_apart(a)


def test_site_b_has_another_machine(films):
    def histogram(pictures):
        return np.bincount(pictures.ravel(), minlength=256) / pictures.size

    def distance(one, other):
        """Total variation: the share of pixels that would have to change their grey."""
        return 0.5 * np.abs(histogram(one) - histogram(other)).sum()

    a, b = (films[site][:, 8:-8, 8:-8] for site in "AB")  # without the border
    half = len(a) // 2
    assert distance(a, b) > 0.2 > 4 * distance(a[:half], a[half:])


def test_site_b_closes_the_collimator_and_not_over_the_marker(clinics, films):
    edges = {
        site: np.concatenate([film[:, 0], film[:, -1], film[:, :, 0], film[:, :, -1]], 1)
        for site, film in films.items()
    }
    assert not edges["B"].any()
    assert (edges["A"].max(axis=1) > 50).mean() > 0.9
    corner = render(clinics["B"].scenes[:20], 128)[:, :26, 100:]
    assert (corner.max(axis=(1, 2)) > 220).all()


def test_site_b_is_noisier_and_less_sharp(clinics):
    """One chest on both machines: with the noise off its edges are softer, with the noise on it is grainier."""
    chest = clinics["A"].scenes[:10]
    machines = {site: chest.copy() for site in SITES}
    other = clinics["B"].scenes[:10]
    for name in ("gamma", "blur", "grain"):
        machines["B"][name] = other[name]
    grainy = {site: render(scenes, 128).astype(float) for site, scenes in machines.items()}
    for scenes in machines.values():
        scenes["grain"] = 0
    clean = {site: render(scenes, 128).astype(float) for site, scenes in machines.items()}
    middle = np.s_[:, 40:90, 20:110]
    noise = {site: (grainy[site] - clean[site])[middle].std() for site in SITES}
    assert noise["B"] > 1.4 * noise["A"]
    # the steepest step from pixel to pixel, in units of the picture's own contrast
    steps = {
        site: np.abs(np.diff(clean[site][middle])).max(axis=(1, 2)) / np.ptp(clean[site][middle], axis=(1, 2))
        for site in SITES
    }
    assert (steps["B"] < steps["A"]).all()


@pytest.mark.parametrize("sigma", [0.4, 1.0, 2.3])
def test_soften_is_a_gaussian(sigma):
    canvas = np.random.default_rng(1).random((31, 31))
    slow = gaussian_filter(canvas, sigma, mode="nearest", radius=int(np.ceil(3 * sigma)))
    np.testing.assert_allclose(soften(canvas, sigma), slow, atol=1e-12)


def test_site_b_writes_in_other_words(clinics):
    def triples(clinic):
        words = (re.findall(r"[a-z]+|\d+", text.lower()) for text in clinic.cohort.records["report"].unique())
        return [three for text in words for three in zip(text, text[1:], text[2:], strict=False)]

    known = set(triples(clinics["A"]))
    familiar = {
        site: np.mean([three in known for three in triples(build_clinic(Dials(patients=100, seed=5, site=site)))])
        for site in SITES
    }
    assert familiar["A"] > 0.8
    assert familiar["B"] < 0.1
    assert not set(clinics["A"].cohort.records["report"]) & set(clinics["B"].cohort.records["report"])


def test_both_wordings_know_the_same_facts():
    for part in ("nouns", "sides", "zones", "measures", "changes", "devices", "incidental", "negatives", "views"):
        assert getattr(PROSE, part).keys() == getattr(SHORTHAND, part).keys(), part
    assert PROSE.contradicted_by == SHORTHAND.contradicted_by
    assert len(PROSE.veins) == len(SHORTHAND.veins)
    for wording in (PROSE, SHORTHAND):
        assert sorted(wording.order) == ["devices", "findings", "incidental", "negatives", "view"]
        assert sorted(wording.phrase) == ["grade", "measure", "noun", "side", "zone"]
        assert all(frame.endswith(".") for frame in (*wording.frames, *wording.hedges))


@pytest.mark.parametrize("site", SITES)
def test_whatever_is_said_is_inside_the_picture(clinics, site):
    """Take one thing at a time out of some scenes: what a report may speak of has left its trace on the film."""
    scenes = clinics[site].scenes
    whole = [(name, scenes[name] > 0) for name in ("device", "pacemaker", "wires", "clips", "granuloma")]
    parts = [(index, scenes["severity"][:, index] > 0) for index in range(DEVICES)]
    for what, there in (*whole, *parts):
        shown = scenes[there][:10]
        bare = shown.copy()
        if isinstance(what, str):
            bare[what] = 0
        else:
            bare["severity"][:, what] = 0
        assert len(shown)
        assert (np.abs(render(shown, 128).astype(int) - render(bare, 128)).sum(axis=(1, 2)) > 30).all(), what
    assert ((scenes["device"] != NO_DEVICE) == (scenes["severity"][:, DEVICES] > 0)).all()


def test_an_unknown_site_is_named():
    with pytest.raises(ConfigError, match="unknown site; got 'b'; allowed: A, B"):
        Dials(site="b")


def test_the_command_takes_a_site(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("phantom", "--patients", 3, "--seed", 2, "--site", "B", "--out", "clinic").code == 0
    made = read_cohort(tmp_path / "clinic").records
    expected = build_clinic(Dials(patients=3, seed=2, site="B")).cohort.records
    assert made.drop("image_path").equals(expected.drop("image_path"))
    before = everything_in(tmp_path)
    refused = run("phantom", "--patients", 3, "--site", "C", "--out", "other")
    assert (refused.code, refused.out) == (2, "")
    assert "'C' is not one of 'A', 'B'" in refused.err
    assert everything_in(tmp_path) == before
