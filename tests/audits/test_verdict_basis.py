"""Every verdict says what it stands on: "2,973 of 10,000" rested on 74 radiographs of 18 patients, unsaid."""

from __future__ import annotations

import numpy as np
import pytest

from leadapron.audits.basis import rests_on
from leadapron.audits.render import RENDERERS
from leadapron.audits.standard_words import certainty, verdict
from leadapron.cli.audit_command import summary
from leadapron.comparisons import RENDERERS as COMPARISONS
from leadapron.comparisons import as_table, compare
from leadapron.pages.numerals import out_of
from sample_identity import write_identity
from sample_membership import write_membership
from sample_results import write_sample
from tiny_results import estimate, records, write

WRITTEN = {"linkage": write_sample, "identity": write_identity, "membership": write_membership}


@pytest.fixture(scope="module")
def audits(tmp_path_factory):
    return {name: write(tmp_path_factory.mktemp(name) / "audit") for name, write in WRITTEN.items()}


def changed(results, *, rows=None, verified=True, config=None, **content):
    """The results with other numbers behind every estimate."""
    return results.updated(
        estimates=tuple(row.model_copy(update=rows or {}) for row in results.estimates),
        inputs=results.inputs.model_copy(update={"verified": verified}),
        config={**results.config, **(config or {})},
        **content,
    )


def plain(text):
    return text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("attack", WRITTEN)
@pytest.mark.parametrize("form", [".html", ".md", ".xml"])
def test_every_form_of_every_verdict_says_what_it_rests_on(audits, attack, form):
    counts = {**audits[attack].counts, "records": 74, "patients": 18}
    found = changed(audits[attack], rows={"n": 74, "patients": 18}, config={"split": "test"}, counts=counts)
    what = "records" if attack == "membership" else "radiographs"
    said = plain(RENDERERS[form](found))
    assert f"This rests on 74 {what} of 18 patients (split test" in said


def test_which_part_of_the_release_is_said_as_far_as_it_is_known(audits):
    assert "(the whole release)" in verdict(audits["linkage"])
    assert "(split validate)" in verdict(changed(audits["linkage"], config={"split": "validate"}))
    assert "(splits test and validate)" in verdict(changed(audits["linkage"], config={"split": "test+validate"}))


def test_few_are_not_counted_out():
    assert rests_on(74, 9, "radiographs", "split test") == (
        "This rests on 74 radiographs of fewer than 10 patients (split test)."
    )
    assert rests_on(7, 3, "reports", "p") == "This rests on fewer than 10 reports of fewer than 10 patients (p)."


def test_patients_are_not_counted_where_nobody_knows_them(audits):
    rows = {"n": 74, "patients": 74}
    unnamed = changed(audits["linkage"], rows=rows, patients_named=False)
    assert "rests on 74 radiographs (the" in verdict(unnamed)
    few = changed(audits["linkage"], rows={"n": 74, "patients": None})
    assert "rests on 74 radiographs of fewer than 10 patients (the" in verdict(few)


def test_a_verdict_does_not_count_more_finely_than_those_who_were_tested(audits):
    assert [out_of(0.0001, tested) for tested in (8, 74, 100, 101, 3412, 10**7)] == [
        100,
        100,
        100,
        1000,
        10_000,
        10_000,
    ]
    few = changed(audits["linkage"], rows={"n": 74, "value": 0.2973, "low": 0.1, "high": 0.5, "chance": 0.0001})
    assert "for 30; by guessing, for fewer than 1. This rests on 74" in verdict(few)
    assert "10 to 50 of 100" in certainty(few)


def test_a_verdict_on_files_that_were_not_verified_says_so(audits):
    beware = "Beware: the files were not compared with the hashes that were recorded when they were made."
    for results in audits.values():
        assert verdict(changed(results, verified=False)).endswith(beware)
        assert beware not in verdict(changed(results, verified="nothing recorded to verify"))
    page = RENDERERS[".html"]
    assert "NOT compared with their recorded hashes" in page(changed(audits["linkage"], verified=False))
    assert "hashes verified" in page(changed(audits["linkage"]))
    assert "nothing recorded to verify" in page(changed(audits["linkage"], verified="nothing recorded to verify"))


@pytest.mark.parametrize("attack", WRITTEN)
def test_the_terminal_says_the_verdict_and_what_it_rests_on(audits, attack):
    said = " ".join(summary(audits[attack]).split())
    assert plain(verdict(audits[attack])) in said


@pytest.mark.parametrize("form", [*COMPARISONS, "terminal"])
def test_a_comparison_says_what_it_rests_on(tmp_path, form):
    found = []
    for name, level in (("before", 0.9), ("after", 0.3)):
        recall = np.clip(np.random.default_rng(0).normal(level, 0.05, 120), 0, 1)
        evidence = {"records": records(recall, np.arange(120) // 3)}
        audit = write(tmp_path / name, [estimate(float(recall.mean()))], evidence=evidence, title=name)
        found.append(changed(audit, verified=name == "before", config={"split": "test"}))
    comparison = compare(*found)
    said = as_table(comparison) if form == "terminal" else COMPARISONS[form](comparison)
    if form == ".json":
        assert '"part": "split test"' in said
        assert '"verified": false' in said
    else:
        rests = "This rests on 120 radiographs of 40 patients (split test). Beware: the files were not compared"
        assert rests in " ".join(said.split())
