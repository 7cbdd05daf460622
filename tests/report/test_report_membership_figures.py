"""The figures of a membership audit: what is drawn stands where its number says, and small counts are not drawn."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from drawn_figures import Ruler, has, marks, one, points
from leadapron.attacks.membership import MEMBERSHIP
from sample_membership import (
    FPRS,
    GROUPS,
    PATIENTS,
    SHIFTS,
    above_by_chance,
    auc,
    evidence,
    share_above,
    tpr,
    write_little,
    write_membership,
)

KEYS = ["survival", "attackers", "roc", "groups", "promise"]


def drawn(results):
    return {figure.key: figure for figure in (draw(results) for draw in MEMBERSHIP.page.figures)}


def lines(svg, *classes):
    return [points(node) for node in svg.iter("path") if has(node, *classes)]


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_membership(tmp_path_factory.mktemp("figures") / "audit")


@pytest.fixture(scope="module")
def figures(results):
    return drawn(results)


def test_all_figures_are_drawn_named_and_explained(figures):
    assert list(figures) == KEYS
    for key, figure in figures.items():
        svg = ET.fromstring(figure.svg)
        assert svg.get("aria-labelledby") == f"{key}-title {key}-desc"
        assert svg[0].text == figure.title
        assert len(svg[1].text) > 20
        assert figure.reading.endswith(".")


def test_patients_above_an_auc_stand_at_their_shares_beside_chance(figures):
    svg = ET.fromstring(figures["survival"].svg)
    x, y = Ruler(svg, "x-tick", log=False), Ruler(svg, "y-tick", log=True)
    for (at_x, at_y, tip), above in zip(marks(svg, "s0"), (0.7, 0.9, 0.99), strict=True):
        assert (at_x, at_y) == pytest.approx((x(above), y(float(share_above(above)))), abs=0.2)
        assert f"above {above:.3f}" in tip
    (true,) = lines(svg, "line", "s0")[:1]
    assert true[20] == pytest.approx((x(0.7), y(float(share_above(0.7)))), abs=0.2)
    by_score = {class_: lines(svg, "chance", class_)[0] for class_ in ("s4", "s1")}
    assert by_score["s4"][5] == pytest.approx((x(0.55), y(float(above_by_chance(0.55)))), abs=0.2)
    assert by_score["s1"][5] == pytest.approx((x(0.55), y(float(above_by_chance(0.55, 0.12)))), abs=0.2)
    band = points(one(svg, "band"))
    high = evidence()["survival"].filter(score="joint-true")["high"][20]
    assert band[20] == pytest.approx((x(0.7), y(high)), abs=0.2)


def test_counts_of_fewer_than_ten_patients_are_not_drawn(figures):
    svg = ET.fromstring(figures["survival"].svg)
    y = Ruler(svg, "y-tick", log=True)
    for class_ in ("s4", "s3", "s1"):
        assert all(at_y <= y(10 / PATIENTS) + 0.2 for _, at_y in lines(svg, "line", class_)[0])
    assert min(evidence()["survival"].filter(score="joint")["share"]) * PATIENTS < 10


def test_the_roc_curve_has_two_logarithmic_axes_and_the_diagonal(figures):
    svg = ET.fromstring(figures["roc"].svg)
    x, y = Ruler(svg, "x-tick", log=True), Ruler(svg, "y-tick", log=True)
    for (at_x, at_y, tip), fpr in zip(marks(svg, "s0"), FPRS, strict=True):
        assert (at_x, at_y) == pytest.approx((x(fpr), y(float(tpr(SHIFTS["lira"], fpr)))), abs=0.2)
        assert tip.startswith("lira at one false alarm in ")
    (guess,) = [line for line in lines(svg, "chance") if len(line) == 2]
    assert guess[1] == pytest.approx((x(1), y(1)), abs=0.2)
    assert guess[0][0] - x(1e-3) == pytest.approx(
        (x(1) - x(1e-3)) * (guess[0][1] - y(1e-3)) / (y(1) - y(1e-3)), abs=0.5
    )
    words = {node.text for node in svg.iter("text") if has(node, "label")}
    assert words >= {*SHIFTS, "guessing"}


def test_attacks_records_and_patients_stand_in_rows_with_their_own_chance(results, figures):
    svg = ET.fromstring(figures["attackers"].svg)
    x = Ruler(svg, "x-tick", log=False)
    places = {tip.split(":")[0]: at_x for at_x, _, tip in marks(svg) if tip.split(":")[0] in SHIFTS}
    for attacker, shift in SHIFTS.items():
        assert places[attacker] == pytest.approx(x(auc(shift)), abs=0.2)
    guides = [float(node.get("x1")) for node in svg.iter("line") if has(node, "chance")]
    chances = [row.chance for row in results.estimates if row.metric.startswith("auc@top=")]
    assert len(guides) == 3 + len(chances)
    for chance in chances:
        assert any(abs(place - x(chance)) < 0.2 for place in guides)


def test_groups_stand_at_multiples_of_their_share(figures):
    svg = ET.fromstring(figures["groups"].svg)
    x = Ruler(svg, "x-tick", log=True)
    places = {tip.split(":")[0]: at_x for at_x, _, tip in marks(svg)}
    assert places["Race Asian"] == pytest.approx(x(GROUPS["race=Asian"][1]), abs=0.2)
    assert places["Age 20-29"] == pytest.approx(x(0.5), abs=0.2)
    assert places["Edema present"] == pytest.approx(x(2.65), abs=0.2)
    assert "Edema absent" not in places
    assert float(one(svg, "chance").get("x1")) == pytest.approx(x(1), abs=0.2)
    cells = [node.text for node in svg.iter("text") if node.text]
    assert "< 0.001" in cells


def test_a_group_that_tells_of_a_small_one_is_left_out(figures):
    """Six records are of no race that is shown: with the smallest that could be, they would be worked out."""
    smallest = min((name for name in GROUPS if name.startswith("race=")), key=lambda name: GROUPS[name][0])
    cells = [node.text for node in ET.fromstring(figures["groups"].svg).iter("text")]
    assert smallest.removeprefix("race=") not in cells
    assert "so is a group from which one of them could be worked out" in figures["groups"].note


def test_the_promise_stands_as_a_line_beside_the_measured(figures):
    svg = ET.fromstring(figures["promise"].svg)
    x = Ruler(svg, "x-tick", log=False)
    assert float(one(svg, "threshold").get("x1")) == pytest.approx(x(0.731), abs=0.2)
    assert float(one(svg, "everybody").get("x1")) == pytest.approx(x(0.881), abs=0.2)
    assert marks(svg)[0][0] == pytest.approx(x(auc(SHIFTS["lira"])), abs=0.2)
    assert "fewer than 10 surely so" in figures["promise"].note


@pytest.mark.parametrize("key", KEYS)
def test_a_figure_without_evidence_says_so(results, key):
    details = {name: part for name, part in results.details.items() if name != "promise"}
    bare = results.updated(estimates=(), details=details).with_evidence({})
    figure = drawn(bare)[key]
    assert not figure.svg
    assert len(figure.missing) > 30
    assert figure.reading


def test_a_small_audit_is_drawn_without_an_empty_path(tmp_path):
    figures = drawn(write_little(tmp_path / "audit"))
    assert [key for key, figure in figures.items() if figure.svg] == ["survival", "attackers", "roc"]
    for figure in figures.values():
        assert not re.search(r'd="Mz?"|nan|inf', figure.svg)


def test_an_attack_without_a_curve_is_not_in_the_list_of_lines(results):
    rows = tuple(
        row.model_copy(update={"attacker": "placebo"}) if row.attacker == "rmia" else row for row in results.estimates
    )
    svg = ET.fromstring(drawn(results.updated(estimates=rows))["roc"].svg)
    words = {node.text for node in svg.iter("text") if has(node, "label")}
    assert "placebo" not in words
    assert "rmia-offline" in words
