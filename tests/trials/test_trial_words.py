"""Who holds the reports' words is asked about apart, with all that words tell."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.linkage import ALL_ATTACKERS, linkers
from leadapron.engine import silent
from leadapron.errors import ConfigError
from leadapron.release import Release
from leadapron.trials import TrialConfig
from leadapron.trials.entrants import Entrant
from leadapron.trials.scenarios import BY_THE_WORDS, scenarios_of


def release(features):
    rng = np.random.default_rng(0)
    text = rng.standard_normal((120, 6)).astype(np.float32)
    arrays = {"image": text + 1, "text": text} | ({"text_features": text[:, :4]} if features else {})
    rows = [str(row) for row in range(120)]
    sides = np.where(np.arange(120) < 80, "train", "test").tolist()
    return Release(pl.DataFrame({"record_id": rows, "patient_id": rows, "split": sides}), arrays)


@pytest.mark.parametrize(("features", "fewest", "added"), [
    (True, 50, {"composed", "words"}), (False, 50, {"composed"}), (True, 1000, set())
])  # fmt: skip
def test_an_attacker_with_words_has_the_features_of_the_undefended_release(monkeypatch, features, fewest, added):
    monkeypatch.setattr(linkers, "FEWEST_TO_LEARN", fewest)
    before = release(features)
    defended = Release(before.records, {"image": before.image[:, :3], "text": before.text[:, :3]})
    ready = BY_THE_WORDS.prepare(defended, before, TrialConfig(pool=20), silent)
    assert set(ready.config.attackers) == {"cosine", "csls", "realigned", "sinkhorn"} | added
    assert ("text_features" in ready.subject.arrays) == features


@pytest.mark.parametrize("asked", [ALL_ATTACKERS, ("cosine", "words")])
def test_the_released_vectors_are_attacked_without_words(asked):
    before = release(features=True)
    entrant = Entrant("before", "undefended", before, SimpleNamespace(subject=SimpleNamespace(kind="release")))
    plain = next(one for one in scenarios_of([entrant]) if one.key == "linkage")
    ready = plain.prepare(before, before, TrialConfig(pool=20, attackers=asked), silent)
    assert "text_features" not in ready.subject.arrays
    assert ready.config.attackers == (ALL_ATTACKERS if asked == ALL_ATTACKERS else ("cosine",))


def test_an_unknown_attacker_is_refused_before_a_trial_begins():
    with pytest.raises(ConfigError, match="no such part; got 'nobody'"):
        TrialConfig(attackers=("towers+nobody",))
