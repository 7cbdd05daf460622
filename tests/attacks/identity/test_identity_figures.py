"""The figures of an identity audit: what is drawn stands where its number says, and small cells are not drawn."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from drawn_figures import Ruler, has, marks, one, points
from leadapron.attacks.identity.identity_page import PAGE
from sample_identity import (
    FPRS,
    KNOWN,
    POOLS,
    SPREADS,
    STRATA,
    WEAKER,
    auc,
    chance_first,
    evidence,
    found_first,
    tpr,
    write_identity,
    write_small,
)

KEYS = ["gallery", "cmc", "roc", "attackers", "strata", "fused", "survival", "subgroups"]


def drawn(results):
    return {figure.key: figure for figure in (draw(results) for draw in PAGE.figures)}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_identity(tmp_path_factory.mktemp("figures") / "audit")


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
        assert "linked" not in figure.svg + figure.reading + figure.note


def test_galleries_stand_at_their_numbers_with_the_curve_of_guessing(figures):
    svg = ET.fromstring(figures["gallery"].svg)
    x, y = Ruler(svg, "x-tick", log=True), Ruler(svg, "y-tick", log=True)
    for order, spread in enumerate(SPREADS.values()):
        for (at_x, at_y, _), pool in zip(marks(svg, f"s{order}"), POOLS, strict=True):
            assert (at_x, at_y) == pytest.approx((x(pool), y(found_first(spread, pool)[0])), abs=0.2)
    table = evidence()["gallery"].filter(attacker="learned")
    chance = points(one(svg, "chance"))
    assert len(chance) == len(table)
    assert chance[10] == pytest.approx((x(table["pool"][10]), y(float(chance_first(table["pool"][10])))), abs=0.2)
    assert points(one(svg, "band"))[10] == pytest.approx((x(table["pool"][10]), y(table["high"][10])), abs=0.2)


def test_the_roc_curve_has_a_logarithmic_axis_of_false_alarms(figures):
    svg = ET.fromstring(figures["roc"].svg)
    x, y = Ruler(svg, "x-tick", log=True), Ruler(svg, "y-tick", log=False)
    shift = SPREADS["learned"]
    for (at_x, at_y, tip), fpr in zip(marks(svg, "s0"), FPRS, strict=True):
        assert (at_x, at_y) == pytest.approx((x(fpr), y(float(tpr(shift, fpr)))), abs=0.2)
        assert tip.startswith("learned at ")
    lines = [points(node) for node in svg.iter("path") if has(node, "line", "matched")]
    assert len(lines) == 1
    table = evidence()["roc"].filter(attacker="learned", protocol="matched")
    kept = table.filter(table["fpr"] >= 10 * table["fpr"].min() - 1e-12)
    assert len(lines[0]) == len(kept) < len(table)  # fewer than ten strangers' pairs are not drawn
    assert lines[0][0] == pytest.approx((x(kept["fpr"][0]), y(kept["tpr"][0])), abs=0.2)
    (guess,) = [points(node) for node in svg.iter("path") if has(node, "chance")]
    assert guess[-1] == pytest.approx((x(1), y(1)), abs=0.2)
    assert all(at_y >= y(0.01) - 0.2 for at_x, at_y in guess if at_x <= x(0.01))
    assert {node.text for node in svg.iter("text") if has(node, "label")} >= {*SPREADS, "matched", "guessing"}


def test_the_first_images_looked_at(figures):
    svg = ET.fromstring(figures["cmc"].svg)
    x, y = Ruler(svg, "x-tick", log=True), Ruler(svg, "y-tick", log=False)
    table = evidence()["cmc"].filter(attacker="learned")
    values = dict(table.select("rank", "value").rows())
    for (at_x, at_y, _), rank in zip(marks(svg, "s0"), (1, 10, 100), strict=True):
        assert (at_x, at_y) == pytest.approx((x(rank), y(values[rank])), abs=0.2)


def test_attackers_stand_in_three_blocks_with_their_equal_error(figures):
    svg = ET.fromstring(figures["attackers"].svg)
    x = Ruler(svg, "x-tick", log=False)
    tips = {tip.split(":")[0]: at_x for at_x, _, tip in marks(svg)}
    assert len(tips) == 12
    for protocol, name in {"all-pairs": "all pairs", "apart": "taken apart", "matched": "alike strangers"}.items():
        for attacker, spread in SPREADS.items():
            assert tips[f"{attacker}, {name}"] == pytest.approx(x(auc(WEAKER[protocol] * spread)), abs=0.2)
    assert float(one(svg, "chance").get("x1")) == pytest.approx(x(0.5), abs=0.2)
    cells = [node.text for node in svg.iter("text")]
    assert {"0.946", "0.940–0.952", "11.5\N{NO-BREAK SPACE}%", "0.6", "1.0"} <= set(cells)


def test_what_changed_stands_on_a_linear_axis_and_small_strata_are_left_out(figures):
    svg = ET.fromstring(figures["strata"].svg)
    x = Ruler(svg, "x-tick", log=False)
    tips = {tip.split(":")[0]: at_x for at_x, _, tip in marks(svg)}
    assert len(tips) == len(STRATA) - 1
    assert tips["Years between, less than 1"] == pytest.approx(x(0.93), abs=0.2)
    assert tips["View, changed"] == pytest.approx(x(0.79), abs=0.2)
    assert tips["New finding, Edema"] == pytest.approx(x(0.72), abs=0.2)
    assert float(one(svg, "chance").get("x1")) == pytest.approx(x(0.11), abs=0.2)
    cells = [node.text for node in svg.iter("text") if node.text]
    assert "7" not in cells
    order = [cells.index(words) for words in ("less than 1", "10", "same", "changed", "in neither", "in both", "Edema")]
    assert order == sorted(order)
    assert "Groups of fewer than 10 patients are left out" in figures["strata"].note


def test_several_known_images_stand_in_the_order_of_their_number(figures):
    svg = ET.fromstring(figures["fused"].svg)
    x = Ruler(svg, "x-tick", log=False)
    for (at_x, _, tip), (number, value) in zip(marks(svg), KNOWN.items(), strict=True):
        assert at_x == pytest.approx(x(value), abs=0.2)
        assert tip.startswith(f"{number} known image")
    assert "more than 5 images" in figures["fused"].note


def test_survival_and_subgroups_speak_of_recognised_patients(figures):
    assert "Chance of being recognised, at least" in figures["survival"].svg
    assert "Right patient first, gallery of 1,000" in figures["subgroups"].svg
    svg = ET.fromstring(figures["subgroups"].svg)
    x = Ruler(svg, "x-tick", log=False)
    value = found_first(SPREADS["learned"], 1000)[0]
    tips = {tip.split(":")[0]: at_x for at_x, _, tip in marks(svg)}
    assert tips["Edema present"] == pytest.approx(x(0.9 * value), abs=0.2)
    assert "Fracture present" not in tips


@pytest.mark.parametrize("key", KEYS)
def test_a_figure_without_evidence_says_so(results, key):
    bare = tuple(row for row in results.estimates if row.protocol == "random" and row.group is None)
    figure = drawn(results.updated(estimates=bare).with_evidence({}))[key]
    assert not figure.svg
    assert len(figure.missing) > 30
    assert figure.reading


def test_small_cells_are_not_drawn(tmp_path):
    figures = drawn(write_small(tmp_path / "audit"))
    assert not figures["strata"].svg
    assert not figures["fused"].svg
    svg = ET.fromstring(figures["attackers"].svg)
    assert len(marks(svg)) == len(SPREADS)
    assert [node.text for node in svg.iter("text")].count("withheld") == 2 * len(SPREADS)


def test_without_a_threshold_of_its_own_all_pairs_stand_at_equal_error(results):
    rows = tuple(row for row in results.estimates if row.metric != "recall")
    figure = drawn(results.updated(estimates=rows))["strata"]
    svg = ET.fromstring(figure.svg)
    x = Ruler(svg, "x-tick", log=False)
    error = next(row.value for row in rows if row.has(protocol="all-pairs", metric="eer"))
    assert float(one(svg, "everybody").get("x1")) == pytest.approx(x(1 - error), abs=0.2)


def test_guides_that_are_close_say_their_names_to_either_side(results):
    lower = {"value": 0.14, "low": 0.1, "high": 0.2}
    rows = tuple(row.model_copy(update=lower) if row.metric == "recall" else row for row in results.estimates)
    svg = ET.fromstring(drawn(results.updated(estimates=rows))["strata"].svg)
    anchors = {node.text: node.get("text-anchor") for node in svg.iter("text") if has(node, "guide-words")}
    assert anchors == {"strangers": "end", "all pairs": "start"}
