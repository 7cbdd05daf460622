"""Prototypes: every released report is shared by k patients, and the images keep what they say about the findings."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.defences import defend
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release
from leadapron.results.selection import headline
from leadapron.uses import UTILITY, measure_utility
from utility_releases import made, unit


def linked(seed=0, patients=300) -> Release:
    """Reports that share with their images the findings and much more."""
    release = made(2.0, patients=patients, seed=seed, prevalence=0.15)
    text = release.image + 0.1 * np.random.default_rng(9).standard_normal(release.image.shape)
    return Release(release.records, {"image": release.image, "text": unit(text)}, prompts=release.prompts)


@pytest.mark.parametrize("k", [2, 5, 12])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_released_report_is_shared_by_k_patients(k, seed):
    """Counted the slow way."""
    release = defend(linked(seed), "prototypes", k=k)
    sharers: dict[bytes, set[str]] = {}
    for row, patient in zip(release.text, release.records["patient_id"], strict=True):
        sharers.setdefault(row.tobytes(), set()).add(patient)
    assert min(map(len, sharers.values())) >= k
    promised = release.card["defence"]["guarantee"]
    assert (promised["kind"], promised["details"]["k"]) == ("k-anonymity", k)
    assert promised["details"]["prototypes"] == len(sharers)


def test_linkage_falls_and_use_stays():
    before = linked()
    after = defend(before, "prototypes", k=12)
    config = LinkageConfig(pools=(100,), attackers=("cosine", "csls", "realigned"))
    strongest = [
        max(
            row.value
            for row in audit_linkage(side.of_split("test"), config, known=side.of_split("train")).estimates
            if (row.direction, row.protocol, row.pool, row.metric, row.group)
            == ("image-to-report", "random", 100, "recall@1", None)
        )
        for side in (before, after)
    ]
    assert strongest[0] > 0.8
    assert strongest[1] < 0.2
    old, new = measure_utility(before), measure_utility(after)
    macro = UTILITY.measure_of("auroc").paired(old, new, headline(old))
    assert macro.after > 0.98 * macro.before


def test_the_images_keep_the_findings_and_nothing_else():
    before = linked()
    after = defend(before, "prototypes", k=5)
    labels = len(after.card["defence"]["facts"]["labels"])
    assert np.linalg.matrix_rank(after.image) == labels + 1  # and the constant of the lift
    assert not after.heads
    assert set(after.arrays) == {"image", "text"}


def test_the_map_may_come_from_another_clinic():
    after = defend(linked(seed=1), "prototypes", k=5, fitted_on=linked(seed=2))
    assert after.card["defence"]["facts"]["fitted_on"] == "another release"
    assert len(np.unique(after.text, axis=0)) == after.card["defence"]["facts"]["prototypes"]


def test_what_cannot_be_done_is_refused():
    with pytest.raises(ConfigError, match="no set of findings"):
        defend(linked(), "prototypes", k=250)
    with pytest.raises(ConfigError, match="fewer patients"):
        defend(linked(), "prototypes", k=301)
    images_only = Release(linked().records, {"image": linked().image})
    with pytest.raises(DataError, match="images and reports"):
        defend(images_only, "prototypes", k=5)
