"""A model as it is found: its page draws what it can, no check is called an attacker, and audits are compared."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import polars as pl
import pytest

from drawn_figures import Ruler, marks
from leadapron.attacks.membership import AS_FOUND, AsFoundConfig, audit_as_found
from leadapron.attacks.membership.as_found_measures import of_members_and_others
from leadapron.audits import default_policy, judge
from leadapron.audits.render import render
from leadapron.audits.wording import sentence, titled
from leadapron.comparisons import compare
from leadapron.results import Results
from leadapron.results.selection import NOT_ATTACKERS, headline, select
from membership_data import models_of, wild
from page_outline import Outline
from tiny_results import inputs_of


def results_of(leak, *, known=True, patients=800):
    """An audit of the same patients with another leak: the noise is the same."""
    values, member, who = wild(patients, references=2, leak=leak, seed=3)
    columns = {"sex": np.array(["F", "M"])[who % 2]}
    found = audit_as_found(models_of(values, member if known else None, who, **columns))
    inputs = inputs_of({"signals.npy": f"{round(10 * leak):02d}" * 32}, release="found", kind="signals", holds=())
    return Results.of(
        found, title="found", command="leadapron audit as-found found", seed=0, config={}, inputs=inputs, versions={}
    )


@pytest.fixture(scope="module")
def leaky():
    return results_of(1.2)


@pytest.fixture(scope="module")
def tight():
    return results_of(0.0)


@pytest.fixture(scope="module")
def unknown():
    return results_of(1.2, known=False, patients=200)


def words_of(page):
    return " ".join(Outline(page).words.split())


def test_no_check_is_called_an_attacker(leaky):
    page = words_of(render(leaky, ".html"))
    tried = page[page.index("Others that were tried") : page.index("A stronger one may exist")]
    named = page[page.index("Attackersjoint") : page.index("Membersknown")]
    assert {row.attacker for row in leaky.estimates} >= NOT_ATTACKERS
    for name in NOT_ATTACKERS:
        assert name not in tried + named
    for name in AS_FOUND.attackers:
        assert name in named


def test_every_figure_is_drawn_where_the_members_are_known(leaky):
    figures = [draw(leaky) for draw in AS_FOUND.page.figures]
    assert [figure.key for figure in figures] == ["roc-patients", "roc", "attackers", "groups", "slopes"]
    assert all(figure.svg and not figure.missing for figure in figures)
    assert "Not available" not in render(leaky, ".html")


def test_the_verdict_is_worded_by_its_measure(leaky):
    row = headline(leaky)
    page = words_of(render(leaky, ".html"))
    assert page.index(f"{' '.join(sentence(AS_FOUND, row).split())}. This rests on") > 0
    assert "patients who are members, membership is recognised at 1 % false alarms for" in page


def test_where_the_members_are_not_known_the_page_says_so_and_shows_what_the_slope_does(unknown):
    page = words_of(render(unknown, ".html"))
    assert "The members of the model are not known, so the success of the attack was not measured. This rests" in page
    assert page.count("Not available. The members of the model are not known") == 4
    assert "most suspected records" in page
    assert AS_FOUND.page.figures[-1](unknown).svg
    for suffix in (".md", ".xml", ".json"):
        assert "found" in render(unknown, suffix)


def test_the_used_slope_stands_at_its_auc(leaky):
    svg = ET.fromstring(AS_FOUND.page.figures[-1](leaky).svg)
    x, y = Ruler(svg, "x-tick", log=False), Ruler(svg, "y-tick", log=False)
    (joint,), (records,) = (select(leaky, metric="auc", attacker=name) for name in ("joint", "rmia-offline"))
    for (at_x, at_y, _), row in zip(marks(svg), (joint, records), strict=True):
        assert (at_x, at_y) == pytest.approx((x(AsFoundConfig().slope), y(row.value)), abs=0.2)
    assert not re.search("nan|inf", AS_FOUND.page.figures[-1](leaky).svg)


def test_every_number_can_be_worded(leaky):
    for row in leaky.estimates:
        AS_FOUND.check(row)
        assert "{" not in sentence(AS_FOUND, row) + titled(AS_FOUND, row)


def test_what_each_unit_adds_to_an_auc_has_its_mean_and_its_error(leaky):
    """The error is that of patients, over members and others."""
    for row in leaky.estimates:
        if row.metric != "auc" or row.attacker in NOT_ATTACKERS:
            continue
        table = of_members_and_others(leaky, row)
        assert table["value"].mean() == pytest.approx(row.value)
        off = table.group_by("patient_id").agg((pl.col("value") - row.value).sum() / table.height)["value"]
        assert np.sqrt((off**2).sum()) == pytest.approx(row.sd)


def test_two_audits_of_one_model_are_compared_patient_by_patient(leaky, tight):
    comparison = compare(leaky, tight)
    change = comparison.paired[0]
    before, after = (select(one, metric="auc", attacker="joint")[0] for one in (leaky, tight))
    assert (change.at.metric, change.at.protocol) == ("auc", "patient")
    assert (change.found.before, change.found.after) == pytest.approx((before.value, after.value))
    assert change.found.high < 0
    assert change.more_risk is False
    assert compare(tight, leaky).paired[0].more_risk is True


def test_the_default_policy_judges_one_model_by_the_joint_attack():
    policy = default_policy().only({"as-found"})
    assert [entry.id for entry in policy.requirements] == ["members-of-one-model"]
    outcomes = {leak: judge([results_of(leak, patients=1200)], policy).outcome for leak in (0.0, 6.0)}
    assert outcomes == {0.0: "pass", 6.0: "fail"}
    assert {check.check for check in policy.controls} <= {row.check for row in results_of(0.0).outcomes}
