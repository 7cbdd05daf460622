"""One dossier of whatever there is: what it says, what it refuses, and that nothing unknown looks good."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import leadapron as la
from browser import CHROMIUM, chromium
from command_line import refusal, run
from dicom_files import write
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.board_question import BOARD_QUESTIONS
from leadapron.audits.policy_file import parse_policy
from leadapron.dossier import Asked, Declaration, assess, planned
from leadapron.dossier.board_rows import LONGEST as SENTENCE
from leadapron.dossier.board_rows import BoardRow, as_row, board_rows
from leadapron.dossier.decision_boxes import boxes
from leadapron.dossier.dossier_forms import write_pdf
from leadapron.dossier.front_page import front_page
from leadapron.dossier.judged_risks import Risk, Status
from leadapron.dossier.unexamined import LONGEST, MOST, everything_unexamined
from leadapron.dossier.whole_dossier import PAGE, RECORD
from leadapron.pages.html import render_dossier
from leadapron.release import Release, write_release
from leadapron.results import Measured
from leadapron.trials import TrialConfig, probed_models, scenarios
from leadapron.trials.pictured_attributes import PICTURED
from page_outline import Outline, plain
from utility_releases import made, unit

ASKED = ("linkage", "utility")
LIMIT = """
format = 2
title = "Ours"
[[require]]
id = "joined"
attack = "linkage"
metric = "recall@1"
direction = "image-to-report"
protocol = "random"
pool = "largest"
attacker = "strongest"
at_most = {limit}
why = "Because the board says so."
source = "The board."
"""


def policy(limit: float):
    return parse_policy(LIMIT.format(limit=limit), "ours")


@pytest.fixture(scope="module", autouse=True)
def few_questions():
    """Two quick audits; every other is a matter of its own tests."""
    with pytest.MonkeyPatch.context() as patched:
        every = scenarios.every_audit
        patched.setattr(scenarios, "every_audit", lambda: [audit for audit in every() if audit.name in ASKED])
        patched.setattr(probed_models, "MODELS", 4)
        patched.setattr(probed_models, "FEWEST_PATIENTS", 10**9)
        patched.setattr("leadapron.dossier.whole_dossier.write_pdf", lambda *_: False)  # it has a test of its own
        yield


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A release whose reports lie by their images, and one whose reports were shuffled: nothing is left to link."""
    folder = tmp_path_factory.mktemp("inputs")
    plain_one = made(3.0, patients=200)
    text = plain_one.image + 0.15 * np.random.default_rng(9).standard_normal(plain_one.image.shape)
    before = Release(plain_one.records, {"image": plain_one.image, "text": unit(text)}, prompts=plain_one.prompts)
    write_release(before, folder / "before")
    kept = la.read_release(folder / "before")
    shuffled = {"image": kept.image, "text": kept.text[np.random.default_rng(2).permutation(len(kept))]}
    card = {"defence": {"kind": "x", "method": "shuffled", "guarantee": {"kind": "none", "statement": "Nothing."}}}
    write_release(replace(kept, arrays=shuffled, card={**kept.card, **card}), folder / "after")
    return folder


def asked(limit=0.2, **declared) -> Asked:
    return Asked(Declaration(**declared), policy(limit), TrialConfig(attackers=("cosine",)))


@pytest.fixture(scope="module")
def alone(folders, tmp_path_factory):
    """The release by itself, judged by any limit: its audits are run once."""
    out = tmp_path_factory.mktemp("alone") / "out"
    return lambda limit=0.2: assess([folders / "before"], out, asked(limit))


@pytest.fixture(scope="module")
def dossier(folders, tmp_path_factory):
    """Given the wrong way round on purpose."""
    out = tmp_path_factory.mktemp("dossiers") / "both"
    return assess([folders / "after", folders / "before"], out, asked(recipient="Northfield", means="Nothing."))


def row(dossier, key):
    return next(one for one in board_rows(dossier.found) if one.question.key == key)


def test_what_another_was_made_from_comes_first(dossier):
    group = dossier.found.groups[0]
    assert [one.name for one in group.group.entrants] == ["before", "after"]
    assert group.is_defended
    assert group.shown.entrant.name == "after"


def test_the_worst_risk_stands_beside_its_limit_before_and_after(dossier):
    joined = row(dossier, "joined")
    assert (joined.before.status, joined.after.row.pool) == (Status.OVER, 80)
    assert joined.before.row.value > 0.9
    assert joined.after.limit == 0.2
    shown = {one.question: one for one in dossier.front.risks}["Can an X-ray be joined to its report?"]
    assert [bar.label for bar in shown.bars] == ["As it is", "Defended"]
    assert shown.bars[1].value == joined.after.row.value
    assert "limit 200 of 1,000" in shown.kicker, "of 1,000, however few were tested: all rows have one unit"
    assert shown.bars[1].number == f"{1000 * joined.after.row.value:,.0f}"
    assert "of 1,000 X-rays" in shown.sentence


def test_reports_that_were_shuffled_can_still_be_joined_by_their_words(dossier):
    """The attacker who holds the words is among those whom the page tells of: shuffling vectors protects nothing."""
    assert row(dossier, "joined").after.scenario.key == "linkage-by-words"
    assert dossier.found.status is Status.OVER
    assert any("no reports in words" in condition for condition in dossier.front.conditions)
    shown = {one.question: one for one in dossier.front.risks}["Can an X-ray be joined to its report?"]
    assert re.fullmatch(
        r"With the defence: \d+ of 1,000 X-rays lead first to their own report among 80; guessing: \d+ \(the attacker "
        r"holds the reports in words\)\.",
        shown.sentence,
    )


def test_a_question_without_an_answer_is_never_good(alone):
    """All that was measured keeps its limit, and still the answer is that it is not known."""
    found = alone(1.0)
    assert row(found, "joined").status is Status.UNDER
    assert set(found.found.unanswered) == {"table", "recognised", "member", "attribute"}
    assert (found.found.status, found.exit_code) == (Status.UNKNOWN, 3)
    assert {bar.words for one in found.front.risks for bar in one.bars} == {"Under limit", "Not examined"}
    assert not found.front.boxes[0].fits
    assert found.front.boxes[3].fits


def test_the_criteria_of_wp29_are_those_of_its_definitions():
    """Two X-rays of one patient are two records of one person: linked, not singled out. A name singles out."""
    criteria = {one.key: one.criterion for one in BOARD_QUESTIONS.values()}
    assert criteria["table"] == "Singling out"
    assert criteria["recognised"] == criteria["joined"] == "Linkability"
    assert find_audit("residual").criterion == find_audit("parrot").criterion == "Singling out"
    assert find_audit("identity").criterion == find_audit("report-identity").criterion == ""


def test_a_row_has_the_criterion_and_the_question_of_what_it_shows():
    audit = find_audit("image-linkage")
    place = {"metric": "precision@1", "attacker": "adaptive", "value": 0.2, "low": 0.1, "high": 0.3, "sd": 0.1}
    place |= {"chance": 0.01, "n": 100, "patients": 50, "pool": 100}
    sought = {name: Measured(**place, sought=name) for name in ("report", "counterpart")}
    assert [audit.answers_of(row) for row in sought.values()] == ["joined", "recognised"]
    assert audit.answers_of(None) == "joined"


def test_an_attribute_that_the_table_says_anyway_is_told_so():
    place = {"metric": "told-right", "attacker": "chosen", "attribute": "sex", "concerns": "person", "value": 0.7}
    place |= {"low": 0.6, "high": 0.8, "sd": 0.1, "chance": 0.5, "n": 1000, "patients": 500}
    risk = Risk(PICTURED, "attribute", Status.OVER, "", Measured(**place), 0.6)
    told = as_row(BoardRow(BOARD_QUESTIONS["attribute"], None, risk), ["view", "sex"]).sentence
    assert told.endswith("The table that leaves says sex anyway.")
    assert told.startswith("Sex is told right for 700 of 1,000 patients")
    assert "anyway" not in as_row(BoardRow(BOARD_QUESTIONS["attribute"], None, risk), ["view"]).sentence


def test_what_a_writer_would_recite_is_said_to_be_unexamined(dossier):
    """The audit trains a writer of its own: it says nothing of what leaves, and is not run here."""
    assert not any("recite" in why for _, why in everything_unexamined(dossier.found))
    parts = {"images": "pictures", "reports": "words"}
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(type(dossier.found), "parts", property(lambda _: parts))
        told = everything_unexamined(dossier.found)
    assert any("recite" in why for _, why in told)


def test_exit_codes_are_those_of_the_gate(alone):
    found = alone(0.2)
    assert (row(found, "joined").status, found.exit_code) == (Status.OVER, 1)
    measured = row(found, "joined").after.row
    near = alone((measured.low + measured.value) / 2)
    assert (row(near, "joined").status, near.exit_code) == (Status.CLOSE, 1)


def test_every_form_is_written_and_says_the_same(dossier):
    record = json.loads((dossier.folder / RECORD).read_text())
    joined = next(one for one in record["questions"] if one["key"] == "joined")
    assert record["exit_code"] == dossier.exit_code == 1
    assert joined["residual"]["measured"]["value"] == row(dossier, "joined").after.row.value
    assert record["subjects"][0]["released"] == "after"
    assert set(record["subjects"][0]["versions"][0]["sha256"]) >= {"image.npy", "text.npy"}
    told = (dossier.folder / "dossier.md").read_text()
    assert dossier.front.title in told
    junit = ET.parse(dossier.folder / "dossier.xml").getroot()
    assert int(junit.get("failures")) == sum(
        risk.status in (Status.OVER, Status.CLOSE) for risks in dossier.found.groups[0].risks.values() for risk in risks
    )
    assert "OVER THE LIMIT" in repr(dossier)


def test_one_file_that_asks_the_network_for_nothing(dossier):
    page = (dossier.folder / PAGE).read_text()
    assert len(page) < 2_000_000
    assert not re.findall(r'(?:src|href)="(?!#)', page)
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    links = set(re.findall(r'href="#([^"]+)"', page))
    assert links <= set(ids)
    assert "p00000" not in page


def test_page_1_says_what_leaves_and_what_is_declared(dossier):
    words = plain(Outline((dossier.folder / PAGE).read_text()).words)
    assert "24 numbers made of each X-ray; 24 numbers made of each report; a table: 14 findings." in words
    assert "with Northfield?" in words
    assert "Nothing." in words
    assert "As it is" in words


def test_a_page_without_a_defence_shows_none(alone):
    found = alone()
    assert {len(one.bars) for one in found.front.risks} == {1}
    assert found.front.costs == ()
    assert "even with" not in found.front.banner.words


def test_a_second_run_asks_nothing_again_and_another_limit_judges_anew(alone, monkeypatch):
    first = alone()
    monkeypatch.setattr("leadapron.trials.entrant_trial.run_audit", lambda *_, **__: pytest.fail("it was run again"))
    again = alone(1.0)
    assert row(first, "joined").after.row == row(again, "joined").after.row
    assert (first.exit_code, again.exit_code) == (1, 3)


def test_the_plan_says_what_cannot_be_asked_and_runs_nothing(folders, tmp_path):
    plan = " ".join(str(planned([folders / "before"], tmp_path / "out", asked())).split())
    assert "linkage" in plan
    assert "less than a minute" in plan
    assert "Nothing here answers “Does the table alone single a patient out?”" in plan
    assert not (tmp_path / "out").exists()


def test_of_several_defences_the_best_is_shown_and_the_next_is_told(folders, tmp_path):
    blurred = la.read_release(folders / "before")
    arrays = {"image": blurred.image, "text": unit(np.random.default_rng(3).standard_normal(blurred.text.shape))}
    write_release(replace(blurred, arrays=arrays), tmp_path / "other")
    found = assess([folders / "before", folders / "after", tmp_path / "other"], tmp_path / "out", asked())
    assert "the best of 2 defences tried" in found.front.change


def test_in_memory_by_the_front_door(folders, tmp_path):
    found = la.assess(
        la.read_release(folders / "before"), out=tmp_path / "out", policy=policy(0.2), attackers=("cosine",)
    )
    assert found.exit_code == 1
    assert found._repr_html_().startswith("<iframe")


def test_a_folder_of_dicom_files_becomes_a_cohort(tmp_path):
    for number in range(3):
        write(tmp_path / "scans" / f"{number}.dcm", f"1.{number}", PatientID=f"P{number}")
    plan = planned([tmp_path / "scans"], tmp_path / "out", asked())
    assert plan.groups[0].group.kind == "cohort"
    assert "3 chest X-rays of 3 patients" in str(plan)
    assert str(planned([tmp_path / "scans"], tmp_path / "out", asked())) == str(plan)


def test_what_is_refused(folders, tmp_path):
    before = folders / "before"
    audit = la.audit(before, "utility")
    audit.save(tmp_path / "audit")
    assert "this is an audit" in refusal("assess", tmp_path / "audit", "--out", tmp_path / "a")
    other = made(3.0, patients=200, seed=5)
    strangers = other.records.with_columns(record_id="s" + other.records["record_id"])
    write_release(Release(strangers, dict(other.arrays)), tmp_path / "others")
    assert "not of the same records" in refusal("assess", before, tmp_path / "others", "--out", tmp_path / "b")
    declared = tmp_path / "declared.toml"
    declared.write_text('leaves = ["image vectors", "table"]')
    said = refusal("assess", before, "--declaration", declared, "--out", tmp_path / "c")
    assert "does not name report vectors, and before holds them" in said
    declared.write_text('leaves = ["everything"]')
    assert "unknown part" in refusal("assess", before, "--declaration", declared, "--out", tmp_path / "d")
    declared.write_text('recipent = "x"')
    assert "recipient" in refusal("assess", before, "--declaration", declared, "--out", tmp_path / "e")
    assert "does not exist" in refusal("assess", before, "--declaration", tmp_path / "no.toml", "--out", tmp_path / "f")
    assert not any((tmp_path / name).exists() for name in "abcdef")


def test_on_the_command_line_and_only_once_into_a_folder(folders, tmp_path):
    ours = tmp_path / "ours.toml"
    ours.write_text(LIMIT.format(limit=0.2))
    given = ("assess", folders / "before", "--policy", ours, "--out", tmp_path / "out", "--title", "May we?")
    assert run(*given, "--dry-run").code == 0
    outcome = run(*given)
    assert outcome.code == 1, outcome
    assert outcome.out.startswith("May we?")
    assert "there is a dossier already" in refusal(*given)
    assert run(*given, "--overwrite").code == 1


def test_asked_questions_are_written_down(folders, tmp_path):
    file = tmp_path / "declared.toml"
    answers = "St. Elsewhere\nNorthfield\ntrain a model\nnothing\n"
    given = ("assess", folders / "before", "--out", tmp_path / "out", "--dry-run", "--ask", "--declaration", file)
    assert run(*given, typed=answers).code == 0
    assert 'recipient = "Northfield"' in file.read_text()
    assert run("assess", folders / "before", "--out", tmp_path / "out", "--dry-run", "--declaration", file).code == 0


def test_a_defended_release_alone_says_that_the_one_before_is_missing(folders, tmp_path):
    found = assess([folders / "after"], tmp_path / "out", asked())
    assert any("was not given" in why for _, why in found.front.unexamined)
    assert "before the defence" in (found.folder / "dossier.xml").read_text()


def test_a_defended_release_alone_is_never_cleared(folders, tmp_path, monkeypatch):
    """Every question has an answer that keeps its limit, and still nobody knows what the defence has left out."""
    found = assess([folders / "after"], tmp_path / "out", asked(1.0))
    monkeypatch.setattr(type(found.found), "unanswered", property(lambda _: []))
    assert {risk.status for risk in found.found.after if risk.row is not None} == {Status.UNDER}
    assert (found.found.status, found.exit_code) == (Status.UNKNOWN, 3)
    rows = [one for one in board_rows(found.found) if one.question.key == "joined"]
    ways = boxes(found.found, rows)
    assert [box.fits for box in ways] == [False, False, True, True]
    assert "was not given" in ways[0].words


@pytest.mark.skipif(not CHROMIUM.exists(), reason="not run: chromium is absent")
def test_the_page_is_printed_where_a_browser_is_installed(dossier, tmp_path):
    assert write_pdf(dossier.folder / PAGE, tmp_path / "printed.pdf")
    assert (tmp_path / "printed.pdf").read_bytes().startswith(b"%PDF")


def test_without_a_browser_nothing_is_printed(dossier, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert not write_pdf(dossier.folder / PAGE, tmp_path / "printed.pdf")
    assert not (tmp_path / "printed.pdf").exists()


LONG = "Universitätsklinikum der Freien und Hansestadt Großräschen, Rad."


def longest(front):
    """With the longest words that may be declared, all rows, and as many conditions and signatures as there may be."""
    told = ("the attacker picks the one that learnt from the patient " * 5)[:SENTENCE]
    note = "other tests: 2 over, 1 too close, 2 not settled, 1 under"
    joined = next(one for one in front.risks if one.limit is not None)
    rows = tuple(replace(joined, sentence=told, note=note) for _ in BOARD_QUESTIONS)
    open_ = tuple(("Something long enough:", "x " * (LONGEST // 2)) for _ in range(MOST))
    return replace(front, risks=rows, unexamined=open_)


def just_large_enough(front):
    """The same cut down, part by part alike, until it goes in letters of the usual size."""
    share = 1.0
    while (cut := shortened(front, share)).is_dense:
        share -= 0.02
    return cut


def shortened(front, share):
    def short(words):
        return words[: int(share * len(words))]

    return replace(
        front,
        facts={term: short(words) for term, words in front.facts.items()},
        risks=tuple(replace(row, sentence=short(row.sentence)) for row in front.risks),
        unexamined=tuple((few, short(why)) for few, why in front.unexamined),
        conditions=tuple(map(short, front.conditions)),
    )


@pytest.mark.skipif(not CHROMIUM.exists(), reason="not run: chromium is absent")
@pytest.mark.parametrize(("fill", "dense"), [(longest, True), (lambda front: just_large_enough(longest(front)), False)])
def test_page_1_is_one_sheet_of_paper_and_nothing_stands_over_the_edge(dossier, tmp_path, fill, dense):
    most = Declaration(
        title=f"May we share {'many ' * 15}?"[:90],
        institution=LONG[:60],
        recipient=LONG[:60],
        purpose=("train and test " * 10)[:140],
        means=("contract and " * 11)[:140],
        conditions=tuple(("a condition of ours " * 4)[:60] for _ in range(3)),
        signatories=("Data protection officer", "Head of radiology", "Chair of the board", "Legal"),
    )
    front = fill(front_page(replace(dossier.found, declaration=most), made="18 November 2026"))
    assert front.is_dense == dense
    file = tmp_path / "long.html"
    file.write_text(render_dossier("x", front, (), "end"))
    with chromium(tmp_path / "profile") as page:
        page.emulate(media="print", width=695)  # A4 less its margins
        page.open(file)
        height = page.evaluate("document.querySelector('.decision').getBoundingClientRect().height")
        assert height * 25.4 / 96 <= 297 - 8 - 7, "millimetres between the margins"
        for width in (1000, 390):
            page.emulate(width=width)
            assert page.evaluate("document.documentElement.scrollWidth") <= width
