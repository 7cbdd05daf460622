"""Declared and combined risk: what is declared is checked, and what is combined follows from both by counting."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.attacks.membership import Declared
from leadapron.attacks.membership.declared import DeclaredConfig, predictive_value, risk_apart, strongest_attack
from leadapron.errors import ConfigError
from sample_membership import SHIFTS, estimates, share_above, tpr


@pytest.mark.parametrize(("prior", "tpr", "fpr"), [(0.5, 0.02, 0.001), (0.01, 0.3, 0.01), (0.9, 0.001, 0.001)])
def test_the_predictive_value_is_what_counting_people_gives(prior, tpr, fpr):
    rng = np.random.default_rng(5)
    members = rng.random(2_000_000) < prior
    called = rng.random(len(members)) < np.where(members, tpr, fpr)
    share = members[called].mean()
    assert predictive_value(prior, tpr, fpr) == pytest.approx(share, abs=5 * (0.25 / called.sum()) ** 0.5)


def test_an_attack_that_guesses_leaves_what_was_known_before():
    assert predictive_value(0.2, 0.01, 0.01) == pytest.approx(0.2)
    assert predictive_value(0.2, 0.0, 0.01) == 0
    values = [predictive_value(0.2, tpr, 0.01) for tpr in np.linspace(0, 1, 50)]
    assert values == sorted(values)


def test_the_three_kinds_are_kept_apart():
    risk = risk_apart(estimates(), Declared(access=0.25, prior=0.1))
    assert (risk.declared.access, risk.declared.prior) == (0.25, 0.1)
    recognised = risk.measured.recognised
    assert (recognised.attacker, recognised.fpr) == ("lira", 0.001)
    assert recognised.tpr.value == pytest.approx(float(tpr(SHIFTS["lira"], 0.001)))
    assert risk.measured.exposed.value == pytest.approx(float(share_above(0.9)))
    assert risk.combined.exposed.value == pytest.approx(0.25 * float(share_above(0.9)))
    value = risk.combined.predictive_value
    assert value.low < value.value < value.high
    assert value.high == predictive_value(0.1, recognised.tpr.high, 0.001)
    assert risk.measured == risk_apart(estimates(), Declared()).measured


def test_the_strongest_attack_at_the_rarest_alarms_that_were_measured_counts():
    few = [row for row in estimates() if row.metric not in ("tpr@fpr=0.001", "tpr@fpr=0.0001")]
    assert strongest_attack(few).metric == "tpr@fpr=0.01"
    stronger = [row.model_copy(update={"value": 0.9}) if row.attacker == "rmia" else row for row in few]
    assert strongest_attack(stronger).attacker == "rmia"


def test_what_was_not_measured_is_left_out():
    risk = risk_apart([row for row in estimates() if row.metric == "auc"], Declared())
    assert risk.measured.recognised is risk.measured.exposed is None
    assert risk.combined.predictive_value is risk.combined.exposed is None


@pytest.mark.parametrize(
    "wrong", [{"access": 0}, {"access": 1.1}, {"access": float("nan")}, {"prior": 0}, {"prior": 1}]
)
def test_what_cannot_be_declared_is_refused(wrong):
    with pytest.raises(ConfigError, match=f"^{next(iter(wrong))}: "):
        DeclaredConfig(**wrong)
