"""Codes: images and reports become a few points that k patients share, against attackers who hold the words."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.cohort import LABEL_COLUMNS
from leadapron.defences import defend
from leadapron.defences.vectors.finding_network import _logits, _slopes, _start, fit_networks
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release
from leadapron.results.selection import headline
from leadapron.uses import UTILITY, measure_utility
from utility_releases import made, unit


def linked(seed=0, patients=300) -> Release:
    """Reports that share with their images the findings and much more."""
    release = made(3.0, patients=patients, seed=seed, prevalence=0.15, labels=LABEL_COLUMNS[:5])
    text = release.image + 0.1 * np.random.default_rng(9).standard_normal(release.image.shape)
    return Release(release.records, {"image": release.image, "text": unit(text)}, prompts=release.prompts)


def found_by_words(before: Release, after: Release, pool=100) -> float:
    """How often the right report is first for who encodes the reports anew and knows the training pairs."""
    width = max(before.text.shape[1], after.image.shape[1])
    padded = [np.pad(rows, ((0, 0), (0, width - rows.shape[1]))) for rows in (after.image, before.text)]
    mixed = Release(after.records, {"image": padded[0], "text": padded[1]})
    config = LinkageConfig(pools=(pool,), attackers=("realigned",), headline_pool=pool)
    return headline(audit_linkage(mixed.of_split("test"), config, known=mixed.of_split("train"))).value


@pytest.mark.parametrize("k", [2, 12])
def test_every_released_vector_is_shared_by_k_patients_and_there_are_no_more_than_asked_for(k):
    """Counted the slow way."""
    release = defend(linked(), "codes", codes=20, k=k)
    promised = release.card["defence"]["guarantee"]
    assert (promised["kind"], promised["unit"], promised["details"]["k"]) == ("k-anonymity", "vector", k)
    for side in ("image", "text"):
        sharers: dict[bytes, set[str]] = {}
        for row, patient in zip(release.arrays[side], release.records["patient_id"], strict=True):
            sharers.setdefault(row.tobytes(), set()).add(patient)
        assert min(map(len, sharers.values())) >= k
        assert len(sharers) <= promised["details"]["codes"] <= 20
    images = len(np.unique(release.image, axis=0))
    assert images == promised["details"]["codes"]


def test_whoever_holds_the_words_loses_what_is_not_a_finding_and_use_stays():
    before = linked(patients=600)
    after = defend(before, "codes", codes=60, k=4)
    assert found_by_words(before, before) > 0.8
    assert found_by_words(before, after) < 0.2
    old, new = measure_utility(before), measure_utility(after)
    macro = UTILITY.measure_of("auroc").paired(old, new, headline(old))
    assert macro.after > 0.9 * macro.before


def test_an_attacker_finds_no_more_of_a_pool_than_there_are_codes():
    """One report with one image each: whoever sees one vector at a time names one report a vector."""
    before = linked()
    after = defend(before, "codes", codes=3, k=4)
    bound = after.card["defence"]["facts"]["codes"] / 100
    assert bound <= 0.03 < found_by_words(before, before)
    assert found_by_words(before, after) <= bound


def test_numbers_of_training_patients_are_no_surer_than_those_of_others():
    """Labels that images know nothing of: who were taught by them would show them, had they been read in sample."""
    release = made(0.0, patients=300, text=False, prompts=False)
    truth = np.stack([release.records[name].to_numpy() for name in LABEL_COLUMNS], axis=1).astype(float)
    patient = release.records["patient_id"].rank("dense").cast(pl.Int64).to_numpy() - 1
    _, told = fit_networks(release.image, truth, patient, seed=0)
    agreement = [np.corrcoef(told[:, at], truth[:, at])[0, 1] for at in range(truth.shape[1])]
    assert abs(np.mean(agreement)) < 0.1


def test_the_slopes_of_the_network_are_those_of_its_loss(monkeypatch):
    monkeypatch.setattr("leadapron.defences.vectors.finding_network.DROPPED", 0.0)
    rng = np.random.default_rng(0)
    inputs = rng.standard_normal((9, 4)).astype(np.float32)
    positive, known = (rng.random((9, 3)) < 0.4).astype(np.float32), rng.random((9, 3)) < 0.8
    weights = _start(4, np.array([0.2, 0.5, 0.3]), rng)
    weights = {name: value + 0.3 * rng.standard_normal(value.shape) for name, value in weights.items()}

    def loss(changed):
        told = _logits(changed, inputs)
        return float(((np.logaddexp(0, told) - positive * told) * known).sum() / len(inputs))

    slopes = _slopes(weights, inputs, positive, known, rng)
    for name, value in weights.items():
        at = tuple(rng.integers(size) for size in value.shape)
        step = np.zeros(value.shape)
        step[at] = 1e-5
        slow = (loss({**weights, name: value + step}) - loss({**weights, name: value - step})) / 2e-5
        assert slopes[name][at] == pytest.approx(slow, abs=1e-4)


def test_unknown_labels_teach_nothing():
    before = linked(patients=120)
    blanked = before.records.with_columns(
        pl.when(pl.int_range(pl.len()) % 3 == 0).then(None).otherwise(pl.col(name)).alias(name)
        for name in LABEL_COLUMNS[:2]
    )
    after = defend(replace(before, records=blanked), "codes", codes=6, k=3)
    assert np.isfinite(after.image).all()
    assert len(after.card["defence"]["facts"]["labels"]) == 5


def test_the_map_may_come_from_another_clinic():
    after = defend(linked(seed=1, patients=120), "codes", codes=8, k=3, fitted_on=linked(seed=2, patients=120))
    assert after.card["defence"]["facts"]["fitted_on"] == "another release"
    assert len(np.unique(after.image, axis=0)) == after.card["defence"]["facts"]["codes"]


def test_what_cannot_be_done_is_refused():
    release = linked(patients=60)
    with pytest.raises(ConfigError, match="codes: input should be greater"):
        defend(release, "codes", codes=1)
    with pytest.raises(ConfigError, match="fewer patients"):
        defend(release, "codes", codes=4, k=61)
    texts = Release(release.records, {"text": release.text})
    with pytest.raises(DataError, match="codes need images"):
        defend(texts, "codes", codes=4)
