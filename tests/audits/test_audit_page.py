"""The page: well-formed, escaped, self-contained, without a patient in it, and legible in light and dark."""

from __future__ import annotations

import re
from importlib.resources import files
from itertools import pairwise

import pytest

from leadapron.attacks.linkage.linkage_words import UNNAMED
from leadapron.audits.render import render
from leadapron.results import read_results
from leadapron.results.audit_results import EvidenceFile
from leadapron.results.selection import attackers
from leadapron.stats import Outcome
from page_outline import EVIL, Outline
from sample_results import write_sample
from tiny_results import inputs_of


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return write_sample(tmp_path_factory.mktemp("page") / "audit")


@pytest.fixture(scope="module")
def page(results):
    return render(results, ".html")


@pytest.fixture(scope="module")
def outline(page):
    return Outline(page)


def test_the_page_is_well_formed_and_accessible(outline):
    assert outline.named("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag, _ in outline.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert len(outline.named("figure")) == len(outline.named("figcaption")) == len(outline.named("svg")) == 7
    assert len(outline.named("table")) == len(outline.named("caption")) >= 8
    ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    for link in outline.named("a"):
        assert link["href"].removeprefix("#") in ids


def test_the_verdict_comes_first_and_everything_else_is_there_in_order(outline):
    order = [
        "Measured", "Of 1,000 radiographs, an attacker with a pool of 1,000 reports finds the right one first for 34",
        "pass null control", "warn hard pool", "What was measured", "1. Linkage", "2. Random", "3. Enrichment",
        "4. Attackers", "5. An attacker who may stay silent", "6. Risk over patients", "7. Subgroups",
        "Both directions", "All estimates", "Controls and checks", "Limits", "Glossary",
        "leadapron audit linkage out/demo/phantom-reports --out out/audit --seed 7", "Seed", "Versions",
        "Hashes", "abababab", "Sign-off", "Name", "Role", "Date", "Decision",
    ]  # fmt: skip
    words, place = " ".join(outline.words.split()), 0
    assert "Privacy audit of a release · can its radiographs be paired with their reports again?" in words
    for phrase in order:
        place = words.find(phrase, place)
        assert place >= 0, phrase
    assert words.count("How to read:") == 7


def test_the_page_asks_for_nothing(page, outline):
    assert "http:" not in page
    assert "https:" not in page
    assert not re.search(r"url\(|@import|<link|<img|<iframe|<object|\bsrc=|\bon\w+=", page)
    (policy,) = [meta["content"] for meta in outline.named("meta") if "http-equiv" in meta]
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-")
    assert policy.count("unsafe") == 1
    assert len(page.encode()) < 1_000_000
    assert len(files("leadapron.pages").joinpath("print.js").read_text()) < 2_000


def test_checks_that_passed_are_no_praise_for_the_release(results):
    passed = Outcome("null control", "pass", "r", tuple(attackers(results)))
    page = render(results.updated(outcomes=(passed,)), ".html")
    assert '<p class="standing pass">✓ The audit&#39;s own controls passed:' in page
    style = files("leadapron.pages").joinpath("style.css").read_text()
    for colours in re.findall(r":root \{(.*?)\}", style, re.S)[:2]:
        named = dict(re.findall(r"--([\w-]+): (#\w+)", colours))
        assert named["pass"] == named["muted"]  # neutral, in light and in dark
    assert ".standing:not(.pass) { font-weight: 600; }" in style


def test_a_release_without_patients_speaks_of_radiographs(results):
    words = Outline(render(results.updated(patients_named=False), ".html")).words
    verdict, _, measured = words.partition("What was measured")
    assert "The release does not name its patients, so every radiograph counts as one" in verdict
    assert "links 14 radiographs" in verdict
    assert "Of 1,000 patients" not in words
    told = measured.rpartition("Controls and checks")[0]  # what follows explains terms for every release
    for phrase in ("Risk over radiographs", "Radiographs (logarithmic)", "Radiographs linked at 90", "14 radiographs"):
        assert phrase in told
    assert "patient" not in told.replace("permutation of patients", "").replace(UNNAMED, "")


def test_no_patient_is_in_any_rendering(results):
    for suffix in (".html", ".md", ".xml", ".json"):
        assert not re.search("RECORD-4711|PATIENT-0815", render(results, suffix))


def test_small_groups_are_in_no_table(page):
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    other = [row for row in rows if ">Other<" in row or ">Fracture<" in row]
    assert other
    for row in other:
        assert "permutation" in row
        assert not re.search(r">(6|9)<", row)
    assert "Groups of fewer than 10 patients are left out" in page


def test_everything_that_comes_from_the_results_is_escaped(results):
    def with_evil(row):
        names = {"attacker": EVIL if row.attacker == "csls" else row.attacker}
        return row.model_copy(update=names | ({"group": f"{EVIL}{row.group}"} if row.group else {}))

    selective = [{**row, "attacker": EVIL, "direction": "image-to-report"} for row in results.details["selective"]]
    evil = results.updated(
        **dict.fromkeys(("title", "command", "created", "leadapron"), EVIL),
        config={EVIL: EVIL},
        versions={EVIL: EVIL},
        inputs=inputs_of({EVIL: EVIL}, release=EVIL, encoder=EVIL, cohort=EVIL),
        timings={EVIL: 1.0},
        counts={EVIL: 1200, "patients": 1204},
        limits=(EVIL,),
        outcomes=(Outcome(EVIL, "fail", EVIL, (EVIL,)),),
        evidence_files={**results.evidence_files, EVIL: EvidenceFile(file=EVIL, sha256=EVIL)},
        spot=results.spot.model_copy(update={"attacker": EVIL}),
        group_tests=tuple(
            test.model_copy(update={"attribute": f"label_{EVIL}", "method": EVIL}) for test in results.group_tests
        ),
        estimates=tuple(map(with_evil, results.estimates)),
        details={"selective": selective},
    )
    page = render(evil, ".html")
    outline = Outline(page)
    assert len(outline.named("script")) == 1
    assert not outline.named("img")
    assert "alert(1)</script>" not in page
    assert all(not name.startswith("on") for _, attributes in outline.elements for name in attributes)
    assert EVIL in outline.words
    markdown = render(evil, ".md")
    outside = re.sub(r"```sh\n.*?\n```", "", markdown, flags=re.DOTALL)
    assert not re.search(r"(?<!\\)<(?!=)", re.sub("`[^`]*`", "", outside))


def test_the_same_page_comes_from_disk_again(results, page):
    assert render(read_results(results.folder), ".html") == page
    assert render(read_results(results.folder / "results.json"), ".html") == page


def test_without_evidence_the_page_says_what_is_not_available(tmp_path):
    results = write_sample(tmp_path / "audit", evidence={}, outcomes=[], limits=[], group_tests=[], details={})
    page = render(results, ".html")
    Outline(page)
    assert page.count("Not available.") == 4  # curves, enrichment, selective, survival
    assert "not every check was run" in page
