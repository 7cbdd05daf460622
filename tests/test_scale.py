"""A release times a number is the same release: every attacker, defence and probe says the same of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from identity_data import drawn, release_of
from leadapron.attacks.identity import IdentityConfig, audit_identity
from leadapron.attacks.identity.recognisers import ATTACKERS as IDENTITY
from leadapron.attacks.linkage import ALL_ATTACKERS as LINKAGE
from leadapron.attacks.linkage import LinkageConfig, audit_linkage
from leadapron.cohort import LABEL_COLUMNS
from leadapron.defences import DEFENCES, defend, find_defence
from leadapron.release.rows import at_one_scale, distinct_rows, row_lengths, unit, unit_doubles
from leadapron.targets.probes.probe_data import ProbeConfig, probe_data
from leadapron.uses import UtilityConfig, measure_utility
from utility_releases import made

SCALES = [1e-30, 1e19]
POWERS = [2.0**-90, 2.0**70]
OPTIONS = {
    "codes": {"codes": 6, "k": 3},
    "subspace": {"directions": 3},
    "prototypes": {"k": 3},
    "microaggregate": {"k": 3},
    "noise": {"length": 0.5, "seed": 1},
    "dimensions": {"directions": 4},
    "quantise": {"bits": 2},
}


def times(release, scale):
    arrays = {name: (array * scale).astype(np.float32) for name, array in release.arrays.items()}
    prompts = {name: (array * scale).astype(np.float32) for name, array in release.prompts.items()}
    return replace(release, arrays=arrays, prompts=prompts)


def values(found):
    return [row.value for row in found.estimates]


def identity_values(scale):
    image, who = drawn(40, 1.0, seed=1, width=8)
    known, others = drawn(30, 1.0, seed=2, width=8)
    tuning, them = drawn(20, 1.0, seed=3, width=8)
    card = {"identity_score": {"kind": "weighted-l1", "weights": np.linspace(-2, 1, 8).tolist()}}
    attacked, learned, tuned = (
        times(release_of(rows, [f"{name}{one}" for one in whose]), scale)
        for rows, whose, name in ((image, who, "a"), (known, others, "b"), (tuning, them, "c"))
    )
    config = IdentityConfig(attackers=tuple(IDENTITY), redraws=200)
    risk = audit_identity(replace(attacked, card=card), config, known=learned, tuning=tuned)
    assert {row.attacker for row in risk.estimates} == set(IDENTITY)
    assert {outcome.outcome for outcome in risk.outcomes} <= {"pass", "not-run"}
    return values(risk)


def linkage_values(scale):
    release = made(signal=1.0, patients=60)
    config = LinkageConfig(pools=(20,), attackers=LINKAGE, redraws=200)
    return values(audit_linkage(times(release, scale), config))


def utility_values(scale):
    release = made(patients=120, prevalence=0.5)  # so that few labels are withheld
    return values(measure_utility(times(release, scale), UtilityConfig(redraws=100, strengths=(1e-2,))))


def probe_values(scale):
    release = times(made(patients=40), scale)
    plain, private = probe_data(release, ProbeConfig()), probe_data(release, ProbeConfig(epsilon=1.0))
    return [*plain.audited.inputs.ravel()[:500], *private.audited.inputs.ravel()[:500]]


@pytest.fixture(scope="module", params=[identity_values, linkage_values, utility_values, probe_values])
def measured(request):
    return request.param, request.param(1.0)


@pytest.mark.parametrize("scale", SCALES)
def test_what_is_measured_does_not_hang_on_the_scale(measured, scale):
    """At 1e19 the identity audit failed, and at 1e-30 its AUC was 0.5; the probe found nothing there that varies."""
    measure, at_one = measured
    assert measure(scale) == pytest.approx(at_one, abs=2e-3)


@pytest.mark.parametrize("scale", POWERS)
def test_a_power_of_two_changes_no_bit_of_it(measured, scale):
    measure, at_one = measured
    assert measure(scale) == at_one


@pytest.mark.parametrize("name", [name for name in DEFENCES if find_defence(name).group == "vectors"])
def test_a_defence_releases_the_same_whatever_the_scale(name):
    """``quantise`` made zeros of vectors of length 1e20."""
    release = made(patients=40, labels=LABEL_COLUMNS[:3])
    defended = {scale: defend(times(release, scale), name, **OPTIONS[name]) for scale in (1.0, *SCALES, *POWERS)}
    # noise is drawn for texts in the order of their bits, which rounding changes
    for side in ("image",) if name == "noise" else ("image", "text"):
        at_one = defended[1.0].arrays[side]
        assert at_one.any(axis=1).all()
        for scale in SCALES:
            apart = np.abs(defended[scale].arrays[side] - at_one).max(axis=1)
            assert np.mean(apart > 1e-4) < 0.02  # a number on the border of two groups or levels may change sides
        for scale in POWERS:
            assert np.array_equal(defended[scale].arrays[side], at_one)


def test_rows_of_any_numbers_have_a_length_and_a_direction():
    rng = np.random.default_rng(0)
    least, most = np.finfo(np.float32).smallest_subnormal, np.finfo(np.float32).max
    rows = rng.standard_normal((6, 100)).astype(np.float32)
    rows[0], rows[1], rows[2, 1:] = least, most, 0
    rows[3] = 0
    lengths = row_lengths(rows)
    assert lengths == pytest.approx([float(np.hypot.reduce(row.astype(np.float64))) for row in rows], rel=1e-12)
    assert row_lengths(unit_doubles(rows)) == pytest.approx([1, 1, 1, 0, 1, 1], abs=1e-14)
    assert unit(rows)[0] == pytest.approx(np.full(100, 0.1))
    assert np.array_equal(unit(rows[4:] * np.float32(2.0**40)), unit(rows[4:]))
    for scaled in (at_one_scale(rows), at_one_scale(rows[:1])):
        assert 0.5 <= np.abs(scaled).max() <= 1
    assert np.array_equal(at_one_scale(rows[4:]) / at_one_scale(rows[4:])[0, 0], rows[4:] / rows[4, 0])
    assert not at_one_scale(rows[3:4]).any()


@pytest.mark.parametrize("width", [1, 7, 384, 1001])
def test_equal_rows_have_equal_lengths_wherever_they_stand(width):
    rows = np.random.default_rng(width).standard_normal((1, width)).astype(np.float32)
    for many in (np.repeat(rows, 1000, axis=0), np.asfortranarray(np.repeat(rows, 1000, axis=0))):
        assert len(np.unique(row_lengths(many))) == 1
        assert len(np.unique(unit(many), axis=0)) == 1


def test_the_zero_below_zero_makes_no_other_row():
    assert distinct_rows(np.array([[0.0, 1], [-0.0, 1], [1, 1]], dtype=np.float32))[1].max() == 1
