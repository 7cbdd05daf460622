"""Every page of every audit, comparison and trial, in the corner cases: no sentence is wrong, whatever was measured."""

from __future__ import annotations

import re
from functools import cache
from types import SimpleNamespace

import pytest

from browser import CHROMIUM, OVERLAPS, chromium
from corner_results import CASES
from federation_runs import train
from image_data import audited
from leadapron.attacks.federation import RunConfig
from leadapron.audits.audit_page import card_of, page_of
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.run_audit import run_audit
from leadapron.audits.wording import for_board, written
from leadapron.cli.audit_command import summary
from leadapron.comparisons import as_table, compare, comparison_page
from leadapron.pages.html import render_html
from leadapron.pages.markdown import render_markdown
from leadapron.pages.page import Page, Section, Verdict, table
from leadapron.results import Results
from leadapron.results.selection import NOT_ATTACKERS, headline, select
from leadapron.trials import Frontier, Trial, build_frontier, trial_page
from leadapron.trials.scenario import scenario_of
from leadapron.trials.trial_page import as_json
from page_outline import Outline
from page_sentences import Figure, Table, blocks, cells, complaints, page_complaints, texts

MADE = ("linkage, by the whole", "as-found, not known")
"""Of these the headline has no figure of its own, or no number at all."""


@cache
def results_of(case: str) -> Results:
    return CASES[case]()


def has_one_attacker(*every: Results) -> bool:
    tried = {row.attacker for results in every for row in results.estimates} - NOT_ATTACKERS
    return len(tried) == 1 and every[0].about == "risk"


def wrong_with(page: Page, said: str, *, one_attacker: bool) -> list[str]:
    """Of a page in all its forms. On the terminal columns stand apart, and lines are broken."""
    assert Outline(render_html(page)).words
    assert render_markdown(page).count("](") == 0
    lines = [re.sub(r" {2,}", " | ", line.strip()) for line in said.splitlines()]
    found = [complaint for line in lines for complaint in complaints(line)]
    if one_attacker and "strongest" in said:
        found.append(f"strongest of one, on the terminal: {said}")
    return found + page_complaints(page, one_attacker=one_attacker)


@pytest.mark.parametrize("case", CASES)
def test_no_sentence_of_an_audit_is_wrong(case):
    results = results_of(case)
    alone = has_one_attacker(results)
    assert wrong_with(page_of(results), f"{summary(results)}\n{results!r}", one_attacker=alone) == []
    assert page_complaints(card_of(results), one_attacker=alone) == []


@pytest.mark.parametrize("case", CASES)
def test_no_sentence_for_a_board_is_wrong(case):
    results = results_of(case)
    audit = find_audit(results.audit)
    for row in results.estimates:
        said = f"{for_board(audit, row)}."
        assert complaints(said) == []
        assert "{" not in said
        assert len(said) <= 180 or results.audit == "recital", "page 1 has no room for more"
        if results.audit in ("report-identity", "residual", "parrot"):
            assert "X-ray" not in said


@pytest.mark.parametrize("case", [case for case in CASES if case not in MADE and case != "parrot, no hits"])
def test_the_headline_is_one_number_in_verdict_table_and_figure(case):
    results = results_of(case)
    row, audit = headline(results), find_audit(results.audit)
    if row.n < 10:
        pytest.skip("so few that the number is withheld")
    number, page = written(audit.measure_of(row.metric).scale, row.value), page_of(results)
    shown = [cell for block in blocks(page) if isinstance(block, Table) for line in block.rows for cell in line]
    assert any(number in cell for cell in shown), number
    if results.audit == "residual":
        return  # its figure is of identifiers, by category, and not of the patients of the verdict
    drawn = [words for block in blocks(page) if isinstance(block, Figure) for words in texts(block)]
    assert any(number in words for words in drawn), number


OF_IMAGES = ("image-identity", "image-copies", "image-membership", "image-linkage", "image-utility", "report-writing")


@pytest.mark.study
@pytest.mark.parametrize("name", OF_IMAGES)
def test_no_sentence_of_an_audit_of_images_is_wrong(name):
    options = {"image-utility": {"positives": 20}, "report-writing": {"writer": "ridge"}}.get(name, {})
    undefended, defended = (audited(name, kind, **options) for kind in ("real", "said"))
    for results in (undefended, defended):
        alone = has_one_attacker(results)
        assert wrong_with(page_of(results), f"{summary(results)}\n{results!r}", one_attacker=alone) == []
    comparison = compare(undefended, defended)
    assert wrong_with(comparison_page.page_of(comparison), as_table(comparison), one_attacker=False) == []


@pytest.mark.study
def test_no_sentence_of_a_federated_run_is_wrong(tmp_path):
    folders = [train(tmp_path / name, **given) for name, given in (("plain", {}), ("secure", {"secure": True}))]
    for name in ("federation", "run-utility"):
        audit = find_audit(name)
        loaded = [audit.load(folder, RunConfig(), True) for folder in folders]
        found = [run_audit(audit, one, audit.config(), command="test") for one in loaded]
        for results in found:
            assert wrong_with(page_of(results), f"{summary(results)}\n{results!r}", one_attacker=False) == []
        comparison = compare(*found)
        assert wrong_with(comparison_page.page_of(comparison), as_table(comparison), one_attacker=False) == []


def test_the_attack_that_is_named_is_the_one_with_the_highest_figure():
    """Membership named one attack as the strongest and gave its AUC, where the figure showed a higher one."""
    results = results_of("membership")
    rows = [row for row in select(results, protocol="aggregate", metric="auc") if row.attacker not in NOT_ATTACKERS]
    best = max(rows, key=lambda row: row.value)
    said = " ".join(page_of(results).verdict.support)
    named = re.search(r"the highest AUC of an attack on single records is ([\d.]+) .*? \(([\w-]+)\)\. An average", said)
    assert named.groups() == (written("auc", best.value), best.attacker)


def test_a_release_with_labels_is_not_said_to_have_none():
    for case, why in (("linkage", "120 patients"), ("linkage, no labels", "the release has no labels")):
        (figure,) = [one for one in blocks(page_of(results_of(case))) if isinstance(one, Figure) and one.key == "hard"]
        assert ("labels" in figure.missing) == (case == "linkage, no labels"), why


def test_the_two_counts_of_patients_are_reconciled_where_both_are_told():
    figures = {one.key: one for one in blocks(page_of(results_of("linkage"))) if isinstance(one, Figure)}
    for key in ("survival", "selective"):
        assert "two counts, and both are right" in figures[key].note


PAIRS = [
    *((case, case) for case in ("linkage", "utility", "membership", "as-found", "residual", "report-identity")),
    ("linkage, one attacker", "linkage, one attacker and all hits"),
    ("linkage, all hits", "linkage, no hits"),
    ("linkage, no hits", "linkage, all hits"),
    ("identity, one attacker", "identity, no hits"),
    ("identity, no hits", "identity, all hits"),
    ("utility", "utility, no hits"),
    ("utility, no hits", "utility, all hits"),
    ("membership, no hits", "membership, all hits"),
    ("as-found, no hits", "as-found"),
    ("residual, no hits", "residual, all hits"),
    ("recital, all hits", "recital, no hits"),
]


@pytest.mark.parametrize(("before", "after"), PAIRS)
def test_no_sentence_of_a_comparison_is_wrong(before, after):
    old, new = results_of(before), results_of(after)
    comparison = compare(old, new)
    alone = comparison.paired[0].rivals == 1
    said = f"{as_table(comparison)}\n{comparison!r}"
    assert wrong_with(comparison_page.page_of(comparison), said, one_attacker=alone and old.about == "risk") == []
    if before != after and old.about == "risk":
        assert (comparison.paired[0].more_risk is True) == after.endswith(("all hits", "as-found"))


def frontier_of(*entrants: dict[str, str], title: str = "") -> Frontier:
    """A trial whose audits are of the corner cases: the undefended first, each by audit and case."""
    audits = [results_of(case).audit for case in entrants[0].values()]
    scenarios = [scenario_of(find_audit(name), lambda *_: "", "A note.") for name in audits]
    trials = []
    for number, cases in enumerate(entrants):
        role = "defence" if number else "before"
        entrant = SimpleNamespace(name=f"entrant-{number}", role=role, of=None, kind="release", notes=(), inputs=None)
        entrant.inputs = SimpleNamespace(defence=None)
        results = {results_of(case).audit: results_of(case) for case in cases.values()}
        trials.append(Trial(entrant, results, {}, None))
    return build_frontier(scenarios, trials, title=title)


ALL_HITS = {"linkage": "linkage, all hits", "identity": "identity, all hits", "utility": "utility, all hits"}
NO_HITS = {"linkage": "linkage, no hits", "identity": "identity, no hits", "utility": "utility, no hits"}
ONE_HITS = {"linkage": "linkage, one attacker and all hits", "identity": "identity, all hits"}
ONE = {"linkage": "linkage, one attacker", "identity": "identity, one attacker"}
TRIALS = {
    "defended": (ALL_HITS, NO_HITS, ALL_HITS),
    "worse": (NO_HITS, ALL_HITS),
    "one attacker, without a use": (ONE_HITS, ONE),
    "models": (
        {"membership": "membership, no hits"},
        {"membership": "membership, all hits"},
    ),
}


@pytest.mark.parametrize("name", TRIALS)
def test_no_sentence_of_a_trial_is_wrong(name):
    frontier = frontier_of(*TRIALS[name])
    alone = name.startswith("one attacker")
    assert wrong_with(trial_page.page_of(frontier), repr(frontier), one_attacker=alone) == []
    assert "NaN" not in as_json(frontier)


def test_what_gets_worse_is_called_worse_and_what_is_removed_is_at_most_all_of_it():
    worse, better = frontier_of(*TRIALS["worse"]), frontier_of(*TRIALS["defended"])
    for page, wanted in ((trial_page.page_of(worse), True), (trial_page.page_of(better), False)):
        said = " ".join([*page.verdict.support, *cells(page)])
        assert ("WORSE" in said) == wanted
    told = " ".join(trial_page.page_of(better).verdict.support)
    assert "removes all of the linkage above guessing" in told
    assert "CLEAR LOSS" in told
    assert worse.points[1].worst in ("linkage", "identity")


def test_titles_stand_above_the_pages():
    title = "Chest vectors 2026, Hospital of the phantom clinic"
    own = results_of("linkage").updated(title=title)
    comparison = compare(own, own, title=title)
    assert page_of(own).title == comparison_page.page_of(comparison).title == title
    assert trial_page.page_of(frontier_of(*TRIALS["worse"], title=title)).title == title
    for said in (summary(own), repr(own), repr(comparison)):
        assert said.startswith(title)


WRONG = {
    "0 % (0–0 %)": "an interval of no width",
    "0.850 (0.850–0.850)": "an interval of no width",
    "it removes 106.5 % (91 to 120) of it": "more than all of it",
    "106.5 % removed": "more than all of it",
    "an AUC of nan": "no number",
    "All records ()": "empty brackets",
    "two  spaces": "two spaces",
    "none .": "a space before a stop",
    "It ends..": "two stops",
    "among {pool:,} reports": "a rest of a template",
    "1.30 %0.0000000–3.43 %": "noughts without end",
    "links 1 patients": "one of many",
}


@pytest.mark.parametrize(("words", "wrong"), WRONG.items())
def test_the_checks_find_what_was_wrong(words, wrong):
    assert [found.partition(":")[0] for found in complaints(words)] == [wrong]
    page = Page(
        "T", "", Verdict("V", "", "The strongest attacker wins"), (Section("s", "S", (table("", ("a",), []),)),), "F."
    )
    assert len(page_complaints(page, one_attacker=True)) == 2
    assert len(page_complaints(page, one_attacker=False)) == 1
    assert complaints("Of 1,000 patients, 4 (3 to 5) are found; 0 % (0–3.1 %), removes 100.0 % (91.0 to 100.0).") == []


@pytest.mark.skipif(not CHROMIUM.exists(), reason="not run: chromium is absent")
def test_no_words_of_a_figure_lie_over_others(tmp_path):
    crowded = ("linkage", "identity", "utility", "membership", "as-found", "residual", "linkage, all hits")
    pages = {case: page_of(results_of(case)) for case in crowded}
    pages |= {name: trial_page.page_of(frontier_of(*entrants)) for name, entrants in TRIALS.items()}
    with chromium(tmp_path / "profile") as browser:
        found = {}
        for case, page in pages.items():
            file = tmp_path / "page.html"
            file.write_text(render_html(page), encoding="utf-8")
            browser.emulate()
            browser.open(file)
            found[case] = browser.evaluate(OVERLAPS)
    assert {case: words for case, words in found.items() if words} == {}
