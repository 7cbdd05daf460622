"""Counterparts of the phantom's own: the same findings, and nobody's anatomy."""

from __future__ import annotations

import json

import numpy as np
import pytest

from command_line import run
from leadapron.defences.defence import DefenceCard
from leadapron.errors import ConfigError
from leadapron.phantoms import Dials, build_clinic
from leadapron.phantoms.latent import ANATOMY
from leadapron.phantoms.oracle import KINDS, counterpart_clinic
from leadapron.phantoms.phantom_findings import COURSES, PATHOLOGIES
from leadapron.phantoms.scene import LESION, OPACITY
from leadapron.phantoms.seen import see


@pytest.fixture(scope="module")
def clinic():
    return build_clinic(Dials(patients=300, seed=5))


@pytest.fixture(scope="module")
def sayable(clinic):
    """What a report that says everything could tell apart."""
    return [see(scene) for scene in clinic.scenes]


@pytest.mark.parametrize("kind", KINDS)
def test_records_and_findings_are_the_same_and_no_body_is(clinic, kind):
    made = counterpart_clinic(clinic, kind)
    assert made.cohort.records.equals(clinic.cohort.records)
    assert np.array_equal(made.scenes["severity"] > 0, clinic.scenes["severity"] > 0)
    assert np.array_equal(made.scenes["pacemaker"], clinic.scenes["pacemaker"])
    assert np.array_equal(made.scenes["ap"], clinic.scenes["ap"])
    for name in ANATOMY:
        if name not in ("breast", "aorta", "rib_density"):
            assert abs(np.corrcoef(made.scenes[name], clinic.scenes[name])[0, 1]) < 0.12, name
    assert not (made.scenes["seed"] == clinic.scenes["seed"]).any()


def test_shown_keeps_every_place_and_severity(clinic):
    made = counterpart_clinic(clinic, "shown")
    for name in ("severity", "side", "across", "along", "device", "device_side", "device_tip"):
        assert np.array_equal(made.scenes[name], clinic.scenes[name]), name


def test_said_keeps_all_that_can_be_said_where_reports_say_all(sayable):
    clinic = build_clinic(Dials(patients=300, seed=5, specificity=1.0))
    made = counterpart_clinic(clinic, "said")
    for before, after in zip(sayable, [see(scene) for scene in made.scenes], strict=True):
        for old, new in zip(before.findings, after.findings, strict=True):
            assert (old.finding, old.side, old.zone) == (new.finding, new.side, new.zone)
            assert min(2, int(3 * old.severity)) == min(2, int(3 * new.severity))
        assert before.device == after.device
    there = clinic.scenes["severity"][:, OPACITY] > 0
    assert not np.any((made.scenes["across"] == clinic.scenes["across"])[there, OPACITY])
    lesions = clinic.scenes["severity"][:, LESION] > 0
    assert np.array_equal(made.scenes["severity"][lesions, LESION], clinic.scenes["severity"][lesions, LESION])


def test_said_keeps_nothing_but_the_findings_where_reports_say_nothing_else():
    clinic = build_clinic(Dials(patients=300, seed=5, specificity=0.0))
    made = counterpart_clinic(clinic, "said")
    for column in range(len(PATHOLOGIES)):
        there = clinic.scenes["severity"][:, column] > 0
        if there.sum() > 100:
            both = clinic.scenes["severity"][there, column], made.scenes["severity"][there, column]
            assert abs(np.corrcoef(*both)[0, 1]) < 3.5 / np.sqrt(there.sum()), COURSES[column]


def test_the_same_clinic_gives_the_same_counterparts_and_kinds_differ(clinic):
    once, again = (counterpart_clinic(clinic, "said").scenes for _ in range(2))
    assert once.tobytes() == again.tobytes()
    assert once.tobytes() != counterpart_clinic(clinic, "shown").scenes.tobytes()


def test_an_unknown_kind_is_refused(clinic):
    with pytest.raises(ConfigError, match="unknown kind of counterparts"):
        counterpart_clinic(clinic, "guessed")


def test_the_command_line_writes_them_with_the_card_of_a_defence(tmp_path):
    out = tmp_path / "oracle"
    done = run("phantom", "--patients", 4, "--size", 32, "--counterparts", "said", "--out", out)
    assert done.code == 0, done.err
    card = DefenceCard.model_validate(json.loads((out / "cohort.json").read_text())["defence"])
    assert (card.method, card.guarantee.kind) == ("oracle", "none")
