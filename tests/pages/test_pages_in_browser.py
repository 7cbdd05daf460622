"""The page in a real browser: every figure drawn, no complaint, no request, in light, dark, on paper and on a phone."""

from __future__ import annotations

import polars as pl
import pytest

from browser import CHROMIUM, OVERLAPS, chromium
from leadapron.audits.render import write_report
from sample_identity import write_identity, write_small
from sample_membership import write_little, write_membership
from sample_results import write_sample

VISIBLE = """[...document.querySelectorAll("figure svg")].map((svg) => {
  const box = svg.getBoundingClientRect();
  const outside = [...svg.querySelectorAll("text")].filter((t) => {
    const b = t.getBoundingClientRect();
    return b.left < box.left - 2 || b.right > box.right + 2 || b.top < box.top - 2 || b.bottom > box.bottom + 2;
  });
  return [box.width, box.height, outside.map((t) => t.textContent)];
})"""
BROKEN = """[...document.querySelectorAll("tbody th")].filter((th) => {
  const words = document.createRange();
  words.selectNodeContents(th);
  return !/[ \\n-]/.test(th.textContent.trim()) && words.getClientRects().length > 1;
}).map((th) => th.textContent)"""
SIZES = """[".verdict > p:not([class])", ".note"].map((kind) => {
  const found = document.querySelector(kind);
  return found ? parseFloat(getComputedStyle(found).fontSize) : null;
})"""

FIGURES = {"linkage": 7, "identity": 8, "membership": 5}


@pytest.fixture(scope="module", params=FIGURES)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def report(tmp_path_factory, kind):
    folder = tmp_path_factory.mktemp("browser")
    write = {"linkage": write_sample, "identity": write_identity, "membership": write_membership}[kind]
    write_report(write(folder / "audit"), folder / "report.html")
    return folder / "report.html"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    if not CHROMIUM.exists():
        pytest.skip("not run: chromium is absent")
    with chromium(tmp_path_factory.mktemp("profile")) as page:
        yield page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_figures_are_drawn_without_complaint_or_request(page, report, kind, scheme):
    page.emulate(scheme=scheme)
    page.open(report)
    figures = page.evaluate(VISIBLE)
    assert len(figures) == FIGURES[kind]
    for width, height, outside in figures:
        assert width > 600
        assert height > 150
        assert outside == []
    assert page.evaluate(OVERLAPS) == []
    assert page.named("Runtime.consoleAPICalled") == page.named("Runtime.exceptionThrown") == []
    assert page.named("Log.entryAdded") == []
    assert [event["request"]["url"] for event in page.named("Network.requestWillBeSent")] == [report.as_uri()]
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 24, 31)"}[scheme]


def test_the_policy_stops_what_would_be_fetched_or_run(page, report):
    page.emulate()
    page.open(report)
    page.evaluate(
        'document.body.insertAdjacentHTML("beforeend", "<img src=http://127.0.0.1:9/x onerror=window.ran=1>");'
        'const s = document.createElement("script"); s.textContent = "window.ran = 1"; document.body.append(s); 0'
    )
    assert page.evaluate("window.ran === undefined")
    said = " ".join(entry["entry"]["text"] for entry in page.named("Log.entryAdded"))
    assert "Content Security Policy" in said


def test_folded_tables_are_open_on_paper(page, report):
    page.emulate()
    page.open(report)
    assert page.evaluate("document.querySelectorAll('details[open]').length") == 0
    pdf = page.pdf()
    assert pdf.startswith(b"%PDF")
    assert 6 <= pdf.count(b"/Type /Page\n") <= 16
    assert page.evaluate("document.querySelectorAll('details:not([open])').length") == 0


WIDE = """[...document.querySelectorAll("figure .scroll")].map((one) => one.scrollWidth - one.clientWidth)"""
ENLARGED = """[...document.querySelectorAll("figure .scroll")].map((one) => {
  one.focus();
  return one.scrollWidth - one.clientWidth;
})"""


def test_a_phone_shows_every_figure_whole_and_enlarges_it_where_it_is_tapped(page, report, kind):
    """More than a third of every figure lay beyond the edge, and nothing said so."""
    page.emulate(width=390)
    page.open(report)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate(WIDE) == [0] * FIGURES[kind]
    assert page.evaluate("getComputedStyle(document.querySelector('.enlarge')).display") == "block"
    assert min(page.evaluate(ENLARGED)) > 200
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.emulate()
    assert page.evaluate("getComputedStyle(document.querySelector('.enlarge')).display") == "none"


def test_a_phone_does_not_break_the_names_of_rows_in_the_middle_of_a_word(page, report):
    """Beside a hash that cannot be broken, a file was named in eight lines of three letters."""
    page.emulate(width=390)
    page.open(report)
    assert page.evaluate(BROKEN) == []


def test_notes_are_smaller_than_the_text_on_paper_too(page, report):
    for media in ("", "print"):
        page.emulate(media=media)
        page.open(report)
        text, note = page.evaluate(SIZES)
        assert note is None or note < text


@pytest.mark.parametrize("media", ["", "print"])
@pytest.mark.parametrize("write", [write_small, write_little])
def test_a_release_of_small_cells_overlaps_nowhere_either(page, tmp_path, write, media):
    write_report(write(tmp_path / "audit"), tmp_path / "report.html")
    page.emulate(media=media)
    page.open(tmp_path / "report.html")
    assert page.evaluate(OVERLAPS) == []
    assert all(outside == [] for *_, outside in page.evaluate(VISIBLE))


def test_attacks_with_long_names_fit_beside_their_curves(page, tmp_path):
    names = {"rmia": "lira-per-label", "rmia-offline": "reference-alone"}
    results = write_membership(tmp_path / "audit")
    rows = [row.model_copy(update={"attacker": names.get(row.attacker, row.attacker)}) for row in results.estimates]
    curves = results.evidence("roc").with_columns(pl.col("attacker").replace(names))
    renamed = results.updated(estimates=tuple(rows)).with_evidence({"roc": curves})
    write_report(renamed, tmp_path / "report.html")
    page.emulate()
    page.open(tmp_path / "report.html")
    assert all(outside == [] for *_, outside in page.evaluate(VISIBLE))
