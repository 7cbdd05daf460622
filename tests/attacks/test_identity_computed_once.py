"""What several attackers, thresholds and controls need is computed once."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.identity import IdentityConfig, audit_identity, plda
from leadapron.attacks.identity import recognisers as attackers
from leadapron.attacks.identity.gallery import build_gallery
from leadapron.attacks.identity.identity_task import build_task
from leadapron.release import Release


def recurring(name: str, seed: int) -> Release:
    """Thirty patients with three images each."""
    rng = np.random.default_rng(seed)
    image = (np.repeat(rng.standard_normal((30, 6)), 3, axis=0) + rng.standard_normal((90, 6))).astype(np.float32)
    ids = {"record_id": [f"{name}{row}" for row in range(90)], "patient_id": [f"{name}{row // 3}" for row in range(90)]}
    return Release(pl.DataFrame(ids), {"image": image})


@pytest.fixture
def calls(monkeypatch):
    """How often a function was called, by its name."""
    counts: dict[str, int] = {}

    def watch(module, name):
        function = getattr(module, name)

        def watched(*args):
            counts[name] = counts.get(name, 0) + 1
            return function(*args)

        monkeypatch.setattr(module, name, watched)

    watch(attackers, "fit_plda")
    watch(attackers, "_whitening")
    watch(plda, "_scatter")
    return counts


def test_known_patients_are_learned_from_once_for_attack_threshold_and_null_control(calls):
    config = IdentityConfig(attackers=("cosine", "whitened", "learned"))
    audit_identity(recurring("a", 0), config, known=recurring("k", 1), tuning=recurring("t", 2))
    assert calls["fit_plda"] == calls["_whitening"] == 2  # the known patients, and those with planted copies
    assert calls["_scatter"] == 2 * calls["fit_plda"]  # of one half and of all, whatever is tried on it


def test_strangers_are_drawn_once_for_all_attackers():
    task = build_task(build_gallery(recurring("a", 0)))
    assert task.everybody is task.everybody
    assert task.everybody.some_strangers is task.everybody.some_strangers
