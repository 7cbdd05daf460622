"""What is gated at once: folders with results somewhere below, versions of one subject, results that were changed."""

from __future__ import annotations

import json
import shutil
from xml.etree import ElementTree as ET

import polars as pl
import pytest

import leadapron as la
from command_line import everything_in, refusal, run
from leadapron.engine.file_ids import id_of_files
from leadapron.errors import ConfigError
from leadapron.results import Measured
from tiny_results import GOOD, HASHES, estimate, inputs_of, records, starting_point, write

ALONE = {"mates": False}
"""Nobody can be recognised: linkage is all that there is to audit."""
BEFORE = inputs_of(**ALONE)
DEFENDED_FILES = {**HASHES, "image.npy": "0d" * 32}
AFTER = inputs_of(DEFENDED_FILES, release="noise", made_from=(id_of_files(HASHES),), **ALONE)
BAD = [estimate(0.5), *GOOD[1:]]


def row(metric, **at):
    ends = {"value": 0.02, "low": 0.02, "high": 0.02, "sd": 0.0, "chance": 0.02, "n": 100}
    return Measured(metric=metric, attacker="static", **ends, **at)


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    """Limits of linkage alone, whatever else is asked of a release."""
    return "--policy", starting_point(tmp_path_factory.mktemp("policy"), "linkage")


def in_json(*arguments):
    done = run("gate", *arguments, "--json")
    return done.code, json.loads(done.out)


def test_every_result_below_a_folder_is_found_and_judged_as_if_it_were_named(tmp_path, asked):
    """A dossier is a folder with the folders of audits somewhere below it."""
    dossier = tmp_path / "dossier"
    write(dossier / "audits" / "deep" / "linkage", GOOD, inputs=BEFORE)
    write(dossier / "audits" / ".partial" / "linkage", BAD, inputs=BEFORE)  # of a write that was broken off
    (dossier / "dossier.json").write_text("{}")
    named = in_json(dossier / "audits" / "deep" / "linkage", *asked)
    assert in_json(dossier, *asked) == in_json(dossier, dossier / "audits", *asked) == named
    assert named[0] == 0
    write(dossier / "again", BAD, inputs=BEFORE)
    code, verdict = in_json(dossier, *asked)
    assert code == 1
    assert "The worst of 2 audits" in verdict["judgements"][0]["reason"]


def test_a_folder_without_results_is_named(tmp_path):
    (tmp_path / "empty").mkdir()
    said = refusal("gate", tmp_path / "empty")
    assert "empty: no results lie in this folder or below it" in said
    assert run("gate", tmp_path / "nowhere").code == 2


# Versions of one subject


def test_of_a_subject_and_its_defended_version_the_defended_one_is_judged(tmp_path, asked):
    write(tmp_path / "before", BAD, inputs=BEFORE)
    write(tmp_path / "after", GOOD, inputs=AFTER)
    code, verdict = in_json(tmp_path, *asked)
    assert (code, verdict["release"]) == (0, "noise")
    assert verdict["earlier"] == [f"'release' (id {id_of_files(HASHES)[:12]})"]
    assert "Earlier: 'release'" in run("gate", tmp_path, *asked).out
    for name in ("release", id_of_files(HASHES), id_of_files(HASHES)[:10]):
        code, verdict = in_json(tmp_path, "--subject", name, *asked)
        assert (code, verdict["release"], verdict["earlier"]) == (1, "release", [])
    assert "allowed: noise, release (did you mean 'noise'?)" in refusal("gate", tmp_path, "--subject", "nose")


def test_a_trial_says_which_came_before_where_the_files_do_not(tmp_path, asked):
    bare = inputs_of(DEFENDED_FILES, release="noise", before=HASHES, **ALONE)
    write(tmp_path / "a", BAD, inputs=inputs_of(before=HASHES, **ALONE))
    write(tmp_path / "b", GOOD, inputs=bare)
    assert in_json(tmp_path, *asked)[1]["release"] == "noise"


def test_parts_of_a_cohort_are_versions_where_a_trial_defended_one(tmp_path, asked):
    """Images have an id of their own, and no word of the cohort's."""
    cohort = {"records.parquet": "99" * 32}
    images = {"kind": "images", "before": cohort, "holds": (), "mates": None}
    method = {"method": "blur"}
    first = inputs_of({"images": "01" * 32}, release="cohort", **images)
    second = inputs_of({"images": "02" * 32}, release="blur", defence=method, **images)
    for name, inputs in (("before", first), ("after", second)):
        write(
            tmp_path / name,
            [row("precision@1", sought="report", pool=50)],
            attack="image-linkage",
            inputs=inputs,
            outcomes=(),
        )
    assert in_json(tmp_path, *asked)[1]["release"] == "blur"


def test_two_defended_versions_must_be_chosen_from(tmp_path, asked):
    other = inputs_of({**HASHES, "image.npy": "0e" * 32}, release="turned", made_from=(id_of_files(HASHES),), **ALONE)
    for name, inputs in (("before", BEFORE), ("noise", AFTER), ("turned", other)):
        write(tmp_path / name, GOOD, inputs=inputs)
    said = refusal("gate", tmp_path)
    assert "the results are of 2 subjects, and a verdict is on one; got" in said
    assert "'noise' (id " in said
    assert "'turned' (id " in said
    assert "Name it, as in --subject noise." in said
    assert in_json(tmp_path, "--subject", "turned", *asked)[0] == 0


def test_parts_of_two_cohorts_have_no_common_verdict(tmp_path, asked):
    reports = inputs_of({"reports": "03" * 32}, release="reports", kind="reports", holds=(), mates=None, cohort="one")
    write(tmp_path / "a", GOOD, inputs=inputs_of(cohort="another", **ALONE))
    write(tmp_path / "b", [row("leak", category="all")], attack="residual", inputs=reports, outcomes=())
    said = refusal("gate", tmp_path)
    assert "the results are of several cohorts" in said
    assert "of cohort 'one'" in said
    assert in_json(tmp_path, "--subject", "release", *asked)[0] == 0


# Results that cannot be relied on


def edited(folder, edit):
    file = folder / "results.json"
    content = json.loads(file.read_text())
    edit(content)
    file.write_text(json.dumps(content))


def smaller(content):
    content["estimates"][0].update(value=0.001, low=0.001, high=0.001)


@pytest.mark.parametrize(
    ("edit", "said"),
    [
        (smaller, "the results are not as the audit wrote them"),
        (lambda content: content.update(outcomes=[]), "the results are not as the audit wrote them"),
        (lambda content: content.pop("seal"), "the results are not as the audit wrote them"),
        (lambda content: content.update(format=1), "of format 1"),
        (lambda content: content.update(audit="palmistry"), "there is no such audit; got 'palmistry'"),
    ],
)
def test_results_that_were_edited_by_hand_are_incomplete_whatever_else_is_met(tmp_path, edit, said, asked):
    """Value and interval of a leak could be written smaller, and the policy was met."""
    write(tmp_path / "good", GOOD, inputs=BEFORE)
    write(tmp_path / "edited", BAD, inputs=BEFORE)
    edited(tmp_path / "edited", edit)
    done = run("gate", tmp_path, "--junit", tmp_path / "gate.xml", *asked)
    assert done.code == 3
    assert said in done.out
    case = {case.get("name"): case for case in ET.parse(tmp_path / "gate.xml").getroot().iter("testcase")}
    assert case[f"results {tmp_path / 'edited' / 'results.json'}"].find("error") is not None
    shutil.rmtree(tmp_path / "good")
    alone = run("gate", tmp_path, *asked)
    assert alone.code == 3
    assert "Audited: nothing that can be relied on" in alone.out


def test_evidence_that_was_exchanged_is_seen_and_evidence_that_stayed_at_home_is_not_missed(tmp_path, asked):
    write(tmp_path / "audit", GOOD, inputs=BEFORE, evidence={"records": records([0.0, 1.0], range(2))})
    table = tmp_path / "audit" / "evidence" / "records.parquet"
    assert run("gate", tmp_path, *asked).code == 0
    pl.DataFrame({"record_id": ["x"]}).write_parquet(table)
    done = run("gate", tmp_path, *asked)
    assert done.code == 3
    assert "the evidence is not the one that the results were written with" in done.out
    table.unlink()
    assert run("gate", tmp_path, *asked).code == 0


def test_a_known_breach_counts_more_than_results_that_cannot_be_read(tmp_path, asked):
    write(tmp_path / "bad", BAD, inputs=BEFORE)
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "results.json").write_text('{"audit"')
    assert run("gate", tmp_path, *asked).code == 1


def test_results_in_memory_and_folders_are_judged_by_the_same_rule(tmp_path, asked):
    saved = write(tmp_path / "audit", GOOD, inputs=BEFORE)
    assert la.gate(saved, asked[1]) == la.gate(tmp_path, asked[1]) == la.gate(str(tmp_path / "audit"), asked[1])
    read = la.read_results(tmp_path / "audit")
    assert la.gate(read, asked[1]).exit_code == 0
    with pytest.raises(ConfigError, match="no results lie"):
        la.gate(tmp_path / "audit" / "evidence", asked[1])


def test_a_gate_writes_nothing_but_the_file_that_was_asked_for(tmp_path, asked):
    write(tmp_path / "audit", GOOD, inputs=BEFORE)
    before = everything_in(tmp_path)
    assert run("gate", tmp_path, *asked).code == 0
    assert everything_in(tmp_path) == before


def test_use_alone_is_nothing_to_judge(tmp_path):
    saved = write(tmp_path / "audit", [estimate()], outcomes=(), inputs=inputs_of(kind="cohort", holds=()))
    use = saved.updated(audit="report-writing", about="use", estimates=())
    with pytest.raises(ConfigError, match="the policy asks nothing of these results; got 'report-writing'"):
        la.gate(use)
