"""The figures: what is drawn stands where its number says. The ticks that a reader sees are the oracle."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import polars as pl
import pytest

from drawn_figures import Ruler, has, marks, one, points
from leadapron.attacks.linkage.linkage_page import PAGE
from leadapron.audits.render import render
from leadapron.pages.figures.scales import Log
from leadapron.results import read_results
from sample_results import PATIENTS, POOLS, RECORDS, STRENGTHS, evidence, recall, sample_risk, write_sample

FIGURES = PAGE.figures
KEYS = ["pool-size", "hard", "enrichment", "attackers", "selective", "survival", "subgroups"]


@pytest.fixture(scope="module")
def figures(tmp_path_factory):
    results = write_sample(tmp_path_factory.mktemp("figures") / "audit")
    return {figure.key: figure for figure in (draw(results) for draw in FIGURES)}


def test_all_figures_are_drawn_named_and_explained(figures):
    assert list(figures) == KEYS
    for key, figure in figures.items():
        svg = ET.fromstring(figure.svg)
        assert svg.get("role") == "img"
        assert svg.get("aria-labelledby") == f"{key}-title {key}-desc"
        assert svg[0].text == figure.title
        assert len(svg[1].text) > 20
        assert figure.reading.endswith(".")
        width, height = map(float, svg.get("viewBox").split()[2:])
        for node in svg.iter("text"):
            assert -1 <= float(node.get("x")) <= width
            assert 0 <= float(node.get("y")) <= height


@pytest.mark.parametrize(("key", "enriched"), [("pool-size", False), ("enrichment", True)])
def test_lines_marks_band_and_chance_stand_at_their_numbers(figures, key, enriched):
    svg = ET.fromstring(figures[key].svg)
    x, y = Ruler(svg, "x-tick", log=True), Ruler(svg, "y-tick", log=True)
    for order, (name, strength) in enumerate(STRENGTHS.items()):
        for (at_x, at_y, tip), pool in zip(marks(svg, f"s{order}"), POOLS, strict=True):
            value = recall(strength, pool)[0] * (pool if enriched else 1)
            assert (at_x, at_y) == pytest.approx((x(pool), y(value)), abs=0.2), name
            assert tip.startswith(f"{name}, pool of {pool:,}: ")
        path = points(one(svg, "line", f"s{order}"))
        assert 50 < len(path) <= 200
        assert path[0] == pytest.approx((x(2), y(recall(strength, 2)[0] * (2 if enriched else 1))), abs=0.2)
        assert path[-1][0] == pytest.approx(x(3000), abs=0.2)
    chance = points(one(svg, "chance"))
    ends = [(2, 1 / 2), (3000, 1 / 3000)]
    assert [place for point in chance for place in point] == pytest.approx(
        [place for pool, share in ends for place in (x(pool), y(share * (pool if enriched else 1)))], abs=0.2
    )
    band = points(one(svg, "band"))
    table = evidence()["bands"].filter(direction="image-to-report", attacker="csls")
    pool, high = table["pool"][10], table["high"][10]
    assert len(band) == 2 * len(table)
    assert band[10] == pytest.approx((x(pool), y(high * (pool if enriched else 1))), abs=0.2)


def test_rows_of_attackers_show_value_and_interval(figures):
    svg = ET.fromstring(figures["attackers"].svg)
    x = Ruler(svg, "x-tick", log=True)
    rows = [row for row in svg.iter("g") if has(row, "row")]
    assert len(rows) == 2 + len(STRENGTHS) + len(STRENGTHS) + 1  # two headings; assignment in the whole release only
    known = {(row.attacker, row.pool): row for row in sample_risk().estimates
             if row.group is None and (row.direction, row.protocol, row.metric)
             == ("image-to-report", "random", "recall@1")}  # fmt: skip
    seen = 0
    for row in rows:
        for at_x, _, tip in marks(row):
            name, pool = re.match(r"(\w+), pool of ([\d,]+)", tip).groups()
            expected = known[name, int(pool.replace(",", ""))]
            bar = one(row, "whisker")
            assert at_x == pytest.approx(x(expected.value), abs=0.2)
            assert float(bar.get("x1")) == pytest.approx(x(expected.low), abs=0.2)
            assert float(bar.get("x2")) == pytest.approx(x(expected.high), abs=0.2)
            seen += 1
    assert seen == 9
    chances = [float(node.get("x1")) for node in svg.iter("line") if has(node, "chance")]
    assert chances == pytest.approx([x(1 / 1000), x(1 / 3000)], abs=0.2)


def test_hard_pools_stand_below_random_ones(figures):
    svg = ET.fromstring(figures["hard"].svg)
    x = Ruler(svg, "x-tick", log=True)
    for order, strength in enumerate(STRENGTHS.values()):
        (random, hard) = sorted(marks(svg, f"s{order}"), reverse=True)
        assert random[0] == pytest.approx(x(recall(strength, 1000)[0]), abs=0.2)
        assert hard[0] == pytest.approx(x(0.68 * recall(strength, 1000)[0]), abs=0.2)
        assert len(marks(svg, f"s{order}", "hollow")) == 1
    assert figures["hard"].svg.count("−32") == len(STRENGTHS) * 2  # in the rows and in the description


def test_precision_coverage_marks_the_last_point_at_90_percent(figures):
    svg = ET.fromstring(figures["selective"].svg)
    x, y = Ruler(svg, "x-tick", log=True), Ruler(svg, "y-tick", log=False)
    assert float(one(svg, "threshold").get("y1")) == pytest.approx(y(0.9), abs=0.2)
    rows = evidence()["precision_coverage"].filter(direction="image-to-report", attacker="csls")
    shown = [row for row in rows.select("coverage", "precision").iter_rows() if row[0] * RECORDS >= 10 - 1e-9]
    assert len(points(one(svg, "line", "s0"))) == len(shown) < len(rows)
    coverage, precision = [row for row in shown if row[1] >= 0.9][-1]
    ((at_x, at_y, _),) = marks(svg, "s0")
    assert (at_x, at_y) == pytest.approx((x(coverage), y(precision)), abs=0.2)
    assert "14 patients" in figures["selective"].svg
    assert "cosine: fewer than 10 patients" in figures["selective"].note


def test_survival_ends_where_fewer_than_ten_patients_are_left(figures, tmp_path):
    svg = ET.fromstring(figures["survival"].svg)
    x, y = Ruler(svg, "x-tick", log=False), Ruler(svg, "y-tick", log=True)
    table = evidence()["survival"]
    for (at_x, at_y, _), risk in zip(marks(svg), (10, 50, 90), strict=True):
        assert (at_x, at_y) == pytest.approx((x(risk / 100), y(table["share"][risk])), abs=0.2)
    results = write_sample(tmp_path / "audit", counts={"patients": 200})
    ends = points(one(ET.fromstring(FIGURES[5](results).svg), "line"))[-1][0]
    left = table.filter(table["share"] * 200 >= 10)["risk"].max()
    assert ends == pytest.approx(x(left), abs=0.2)
    assert PATIENTS > 200


def test_equal_labels_of_the_survival_figure_are_written_once_and_none_leaves_the_frame(figures, tmp_path):
    svg = ET.fromstring(figures["survival"].svg)
    right = max(float(node.get("x2")) for node in svg.iter("line") if has(node, "axis"))
    for node in labels_of(svg):
        assert extent(node) <= right
    table = evidence()["survival"].with_columns(share=pl.lit(0.408), low=pl.lit(0.38), high=pl.lit(0.44))
    results = write_sample(tmp_path / "audit").with_evidence({"survival": table})
    flat = ET.fromstring(FIGURES[5](results).svg)
    assert len(marks(flat)) == 3
    (label,) = labels_of(flat)
    assert label.text == "408 of 1,000"
    (left, *_), *_, (last, *_) = marks(flat)
    assert float(label.get("x")) == pytest.approx((left + last) / 2, abs=0.2)


def labels_of(svg: ET.Element) -> list[ET.Element]:
    return [node for node in svg.iter("text") if has(node, "label")]


def extent(node: ET.Element) -> float:
    """Where the words end, by letters as wide as digits are in bold type of 13 pixels."""
    share = {"start": 1, "middle": 0.5, "end": 0}[node.get("text-anchor", "start")]
    return float(node.get("x")) + share * 7.5 * len(node.text)


def test_subgroups_show_the_forest_without_small_groups(figures):
    svg = ET.fromstring(figures["subgroups"].svg)
    x = Ruler(svg, "x-tick", log=True)
    value = recall(STRENGTHS["csls"], 1000)[0]
    tips = {tip.split(":")[0]: at_x for at_x, _, tip in marks(svg)}
    assert len(tips) == 14
    assert tips["Sex F"] == pytest.approx(x(1.05 * value), abs=0.2)
    assert tips["Pneumothorax present"] == pytest.approx(x(2.4 * value), abs=0.2)
    assert float(one(svg, "everybody").get("x1")) == pytest.approx(x(value), abs=0.2)
    cells = [node.text for node in svg.iter("text")]
    assert "0.031" in cells
    assert "Groups of fewer than 10 patients are left out" in figures["subgroups"].note
    assert not {"Other", "Asian", "Fracture", "6", "240", "9"} & set(cells)


def test_of_a_finding_only_the_group_that_has_it_is_drawn(tmp_path):
    results = write_sample(tmp_path / "audit")
    present = "label_support_devices=1"
    rows = [row for row in results.estimates if row.group != present]
    figure = FIGURES[6](results.updated(estimates=tuple(rows)))
    assert "Pneumothorax present" in figure.svg
    assert "Support devices" not in figure.svg
    assert "only the group that has it is drawn" in figure.note
    rows = [row for row in rows if row.group in (None, "label_support_devices=0")]
    alone = FIGURES[6](results.updated(estimates=tuple(rows)))
    assert not alone.svg
    assert "too small to be shown" in alone.missing


def test_the_reading_of_the_pool_figure_holds_whatever_the_ticks(figures):
    assert Log(2, 476, 0, 1).ticks() == [3, 10, 30, 100, 300]
    assert "the same distance is the same factor" in figures["pool-size"].reading
    assert "each step" not in figures["pool-size"].reading


@pytest.mark.parametrize("key", KEYS)
def test_a_figure_without_evidence_says_so(tmp_path, key):
    results = write_sample(tmp_path / "audit")
    for file in (tmp_path / "audit" / "evidence").iterdir():
        file.unlink()
    some = tuple(row for row in results.estimates if row.protocol == "random" and row.group is None)
    figure = FIGURES[KEYS.index(key)](results.updated(estimates=some))
    if key == "attackers":  # drawn from the estimates alone
        assert figure.svg
    else:
        assert not figure.svg
        assert len(figure.missing) > 30


def test_the_largest_hard_pool_may_have_its_random_value_from_the_curve(tmp_path):
    results = write_sample(tmp_path / "audit")
    smaller = {"pool": 500, "chance": 1 / 500}
    rows = [row.model_copy(update=smaller) if row.protocol == "hard" else row for row in results.estimates]
    svg = ET.fromstring(FIGURES[1](results.updated(estimates=tuple(rows))).svg)
    x = Ruler(svg, "x-tick", log=True)
    plain = max(at_x for at_x, *_ in marks(svg, "s0"))
    assert plain == pytest.approx(x(recall(STRENGTHS["csls"], 500)[0]), abs=0.2)


def test_zero_and_tiny_databases_are_drawn_all_the_same(tmp_path):
    results = write_sample(tmp_path / "audit")
    rows = tuple(row.model_copy(update={"value": 0.0, "low": -0.001}) for row in results.estimates)
    for draw in FIGURES:
        assert ET.fromstring(draw(results.updated(estimates=rows)).svg) is not None
    assert render(read_results(tmp_path / "audit"), ".json") == render(results, ".json")
