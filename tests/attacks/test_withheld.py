"""What is fewer than ten and not none is withheld where it is counted: results.json is read by others, too."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest

from identity_data import drawn, release_of
from leadapron.attacks.identity import IdentityConfig, audit_identity
from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.attacks.membership import MembershipConfig, audit_membership
from leadapron.attacks.membership.beyond_promise import beyond
from leadapron.attacks.membership.binormal import Auc
from leadapron.audits import Gathering, find_audit
from leadapron.audits.render import render
from leadapron.privacy import Promise
from leadapron.release import Release
from leadapron.results import Results, save_results
from leadapron.results.withheld import told, told_in_words
from leadapron.stats import Estimate
from membership_data import drawn as signals_drawn
from membership_data import signals_of
from tiny_results import inputs_of


def test_none_and_ten_are_told_and_what_lies_between_is_not():
    assert [told(count) for count in (None, 0, 1, 9, 10, 1200)] == [None, 0, None, None, 10, 1200]
    assert [told_in_words(count) for count in (0, 1, 9, 10, 1200)] == ["0", *2 * ["fewer than 10"], "10", "1,200"]


def written(risk, tmp_path) -> Results:
    said = {"title": "an audit", "command": "leadapron", "seed": 0, "config": {}, "versions": {}}
    return save_results(Results.of(risk, inputs=inputs_of(), **said), tmp_path / "audit")


def linked(patients: int) -> Release:
    """A release of sixty, of whom so many have an image that lies on their report."""
    rng = np.random.default_rng(3)
    image, text = (rng.standard_normal((60, 32)).astype(np.float32) for _ in range(2))
    image[:patients] = text[:patients]
    names = [f"p{who}" for who in range(60)]
    return Release(pl.DataFrame({"record_id": names, "patient_id": names}), {"image": image, "text": text})


@pytest.mark.parametrize("patients", [0, 4, 20])
def test_how_few_a_selective_attacker_links_stands_nowhere(tmp_path, patients):
    """Their number, share and interval stood in results.json, and the page said "fewer than 10"."""
    risk = audit_linkage(linked(patients), LinkageConfig(attackers=("cosine",), redraws=100))
    results = written(risk, tmp_path)
    for row in json.loads((tmp_path / "audit" / "results.json").read_text())["details"]["selective"]:
        figures = {name: row[name] for name in ("patients", "share", "low", "high")}
        if patients == 4:
            assert figures == dict.fromkeys(figures)
        else:
            assert (figures["patients"] == 0) == (patients == 0)
            assert figures["low"] <= figures["share"] <= figures["high"]
    for page in (render(results, ".html"), render(results, ".md")):
        assert ("links fewer than 10 patients." in page) == (patients == 4)


def test_few_patients_with_two_images_are_not_counted_out(tmp_path):
    """The count stood in the results, and so it did as the n of what was measured by patient."""
    rng = np.random.default_rng(0)
    who = np.concatenate([np.arange(60), np.arange(6)])
    age = [None if row < 3 else 60 for row in range(66)]
    risk = audit_identity(
        release_of(rng.normal(size=(66, 8)), who, age=age), IdentityConfig(attackers=("cosine",), redraws=100)
    )
    counts = risk.counts
    assert (counts["records"], counts["patients"]) == (66, 60)
    few = ("patients_with_two", "same_patient_pairs", "unknown_age")
    assert [counts[name] for name in few] == [None] * 3
    assert counts["same_picture_pairs"] == 0
    assert not [row for row in risk.estimates if row.metric == "patient-recognised"]
    assert {row.patients for row in risk.estimates} == {None}
    page = render(written(risk, tmp_path), ".html")
    assert "Of the fewer than 10 pairs of one patient, none are of one day" in page


def test_a_part_of_so_few_that_it_would_speak_of_people_is_not_measured():
    """All pairs of one patient but one are of one study: what is left is nobody's business."""
    image, who = drawn(40, 0.5)
    study = np.array([f"s{patient}" for patient in who], dtype=object)
    patient = int(np.flatnonzero(np.bincount(who) == 2)[0])
    study[np.flatnonzero(who == patient)[0]] = "another"
    risk = audit_identity(release_of(image, who, study_id=study), IdentityConfig(attackers=("cosine",), redraws=100))
    assert "apart" not in {row.protocol for row in risk.estimates}


def test_measurements_of_everybody_are_kept_however_few_they_are():
    made = Gathering(find_audit("identity"))
    place = {"attacker": "cosine", "chance": 0.5, "direction": "image-to-image", "pool": 4}
    made.add("precision@1", Estimate(0.5, 0.4, 0.6, 0.1, 4, 4), protocol="random", **place)
    made.add("auc", Estimate(0.5, 0.4, 0.6, 0.1, 12, 12), protocol="apart", **place)
    assert made.add_of_some("auc", Estimate(0.5, 0.4, 0.6, 0.1, 9, 9), protocol="matched", **place) is None
    assert [(row.n, row.patients) for row in made.estimates] == [(4, None), (12, 12)]


def test_few_exposed_patients_are_not_counted_out():
    shift = np.where(np.arange(200) < 4, 6.0, 0.0)
    values, members, who = signals_drawn(200, 32, seed=5, shift=shift)
    risk = audit_membership(signals_of(values, members, who), MembershipConfig(mu=0.1))
    assert risk.counts["patients"] == 200
    assert risk.counts["patients_beyond_chance"] is None
    assert risk.details["promise"]["patients_by_record_bound"]["surely_above"] is None
    small = [count for count in risk.counts.values() if count is not None and 0 < count < 10]
    assert small == [risk.counts["targets"], risk.counts["labels"]]


def test_a_number_of_records_that_hardly_anybody_has_is_not_told():
    """One patient with 37 records had a bound of their own in the results."""
    records = np.array([1] * 40 + [2] * 10 + [37])
    auc = Auc(np.zeros(51), np.ones(51))
    found = beyond(Promise(mu=1.0), auc, auc, np.full(51, 0.5), records)
    assert set(found.auc_bound_patient) == set(found.tpr_bound_patient) == {"1", "2"}
