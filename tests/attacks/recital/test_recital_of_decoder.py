"""The decoder, attacked: short reports that it was taught for long are recited, and after an epoch they are not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from leadapron.attacks.recital import RecitalConfig, TaughtCohort, audit_recital
from leadapron.attacks.recital.recital_measures import HELD_IMAGES, TAUGHT_IMAGES
from leadapron.cohort.image_set import ImageSet
from leadapron.phantoms import Dials, build_clinic

pytest.importorskip("torch", reason="not run: torch is not installed")


@pytest.fixture(scope="module")
def short_reports() -> TaughtCohort:
    """One radiograph a patient, with a report of a few words."""
    made = build_clinic(Dials(patients=60, seed=2))
    records = made.cohort.records.with_row_index("row").unique("patient_id", keep="first", maintain_order=True)
    images = ImageSet(made.cohort, made.radiographs(64), made.cohort.card).at(records["row"].to_numpy())
    rng = np.random.default_rng(0)
    words = ["clear", "lungs", "small", "left", "right", "effusion", "heart", "large", "normal", "old", "rib"]
    said = [" ".join(rng.choice(words, 8)) for _ in range(len(records))]
    cohort = replace(images.cohort, records=images.records.with_columns(report=pl.Series(said)))
    return TaughtCohort(replace(images, cohort=cohort))


def asked(subject: TaughtCohort, epochs: int) -> dict[tuple[str, str, str], float]:
    config = RecitalConfig(epochs=epochs, planted=1.0, words=5, device="cpu")
    found = audit_recital(subject, config)
    assert {one.outcome for one in found.outcomes if "control" in one.check or "planted" in one.check} == {"pass"}
    return {(row.metric, row.attacker, str(row.at["images"])): row.value for row in found.estimates if not row.group}


@pytest.mark.study
def test_what_was_taught_for_long_is_recited(short_reports):
    found = asked(short_reports, 70)
    for attacker in ("shown", "forced"):
        assert found["own-run", attacker, TAUGHT_IMAGES] > 0.5
        assert found["own-number", attacker, TAUGHT_IMAGES] > 0.5
        assert found["own-run", attacker, HELD_IMAGES] == 0.0


@pytest.mark.study
def test_what_was_seen_once_is_not(short_reports):
    found = asked(short_reports, 1)
    for attacker in ("shown", "forced"):
        assert found["own-run", attacker, TAUGHT_IMAGES] == 0.0
        assert found["own-number", attacker, TAUGHT_IMAGES] == 0.0
