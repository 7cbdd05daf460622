"""Attributes of pictures that have no vectors: read off real radiographs, and less off strangers' anatomy."""

from __future__ import annotations

import pytest

from image_data import SIZE, images_of
from leadapron.audits.audit import Loaded
from leadapron.audits.run_audit import run_audit
from leadapron.engine import silent
from leadapron.trials import TrialConfig
from leadapron.trials.entrants import Entrant
from leadapron.trials.pictured_attributes import PICTURED
from leadapron.trials.scenarios import scenarios_of
from leadapron.trials.trial_kinds import Located, in_memory


def located(kind) -> Located:
    return in_memory(images_of(kind), SIZE)[0]


def audited(kind):
    ready = PICTURED.prepare(located(kind), located("real"), TrialConfig(), silent)
    loaded = Loaded(ready.subject, ready.knowledge, ready.inputs, ready.said)
    return run_audit(PICTURED.audit, loaded, ready.config, command="test")


@pytest.fixture(scope="module")
def undefended():
    return audited("real")


def test_attributes_are_read_off_real_radiographs_and_less_off_counterparts(undefended):
    real, made = undefended.headline, audited("said").headline
    assert real.low > real.chance
    assert (made.metric, made.at) == (real.metric, real.at), "both are judged by the attribute that real ones tell"
    assert made.value < real.value
    assert {check.outcome for check in undefended.outcomes} <= {"pass", "warn"}


def test_the_results_are_of_the_same_images_as_those_of_other_audits(undefended):
    assert undefended.inputs.subject.kind == "images"


def test_without_pictures_it_is_said_why():
    images = images_of("real")
    none = images.records.with_columns(image_path=None).cast({"image_path": images.records["image_path"].dtype})
    cohort = type(images.cohort)(images.cohort.name, none, images.cohort.funnel)
    bare = Located(located("real").path, cohort, SIZE)
    assert PICTURED.prepare(bare, bare, TrialConfig(), silent) == "The records have no images."


def test_an_assessment_of_a_cohort_asks_it_and_a_trial_does_not():
    subject, inputs = in_memory(images_of("real"), SIZE)
    entrants = [Entrant("clinic", "before", subject, inputs)]
    assert PICTURED in scenarios_of(entrants, every_part=True)
    assert PICTURED not in scenarios_of(entrants)
