"""Markdown, JUnit XML and JSON, and the command that picks among them by suffix."""

from __future__ import annotations

import json
import re
from xml.etree import ElementTree as ET

import pytest

from command_line import everything_in, refusal, run
from leadapron.audits.render import render
from leadapron.errors import ConfigError, DataError
from leadapron.results import read_results
from leadapron.results.results_folder import as_json
from sample_identity import write_identity
from sample_membership import write_membership
from sample_results import write_sample

OUTCOMES = [
    {"check": f"check {name}", "outcome": name, "reason": f"because < & \x07 {name}"}
    for name in ("pass", "warn", "fail", "error", "not-run")
]


@pytest.fixture
def folder(tmp_path):
    write_sample(tmp_path / "audit")
    return tmp_path / "audit"


def test_junit_has_a_case_for_each_outcome(tmp_path):
    root = ET.fromstring(render(write_sample(tmp_path / "audit", outcomes=OUTCOMES), ".xml").encode())
    assert root.tag == "testsuites"
    suite, _ = root
    assert {key: suite.get(key) for key in ("tests", "failures", "errors", "skipped")} == {
        "tests": "5", "failures": "1", "errors": "1", "skipped": "1",
    }  # fmt: skip
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    children = {name.removeprefix("check "): [child.tag for child in case] for name, case in cases.items()}
    assert children == {"pass": ["system-out"], "warn": ["system-out"], "fail": ["failure"], "error": ["error"],
                        "not-run": ["skipped"]}  # fmt: skip
    assert cases["check fail"][0].get("message") == "because < & � fail"
    assert all(case.get("classname") == "leadapron.linkage" for case in cases.values())


def test_markdown_is_a_short_section_with_verdict_table_limits_and_command(folder):
    text = render(read_results(folder), ".md")
    assert text.startswith("## Linkage risk: Phantom clinic")
    assert "**Of 1,000 radiographs, an attacker" in text
    assert len(re.findall(r"^\| (random|pathology-matched) \|", text, flags=re.MULTILINE)) == 16
    assert all(line.count("|") == 8 for line in text.splitlines() if line.startswith("|"))
    measured = "\nMeasured on out/demo/phantom-reports, attacker csls. Radiograph → report:\n"
    assert measured in text.replace("\N{NO-BREAK SPACE}", " ")
    assert "```sh\nleadapron audit linkage out/demo/phantom-reports --out out/audit --seed 7\n```" in text
    assert text.count("\n") < 60


def test_markdown_of_an_identity_audit_has_its_own_words_and_rows(tmp_path):
    results = write_identity(tmp_path / "audit", title="x | <b>", details={"matched_on": ["s|ex"]})
    text = render(results, ".md")
    assert text.startswith(r"## Identity risk: x \| \<b\>")
    assert "**Of 1,000 radiographs whose patient has another one in the release" in text
    assert r"strangers of the same s\|ex" in text
    rows = [line for line in text.splitlines() if line.startswith("| ") and "---" not in line]
    assert len(rows) == 1 + 6 + 1 + 15  # the head, galleries, patients, pairs
    assert all(line.replace(r"\|", "").count("|") == 7 for line in rows)
    assert "| alike strangers | 100 | Right patient first (precision@1) |" in text
    assert "times chance" not in text


def test_junit_of_a_leaky_release_is_not_green_though_all_checks_passed(tmp_path):
    root = ET.fromstring(render(write_sample(tmp_path / "audit"), ".xml").encode())
    checks, policy = root
    assert checks.get("failures") == checks.get("errors") == "0"
    assert policy.get("name").startswith("Policy: Starting point")
    broken = {case.get("name"): case[0].text for case in policy.iter("testcase") if case.find("failure") is not None}
    assert set(broken) == {"image-to-report", "report-to-image", "patient-linked"}
    assert "among 1,000 at random" in broken["image-to-report"]
    assert root.get("failures") == policy.get("failures") == "3"


def test_junit_of_an_identity_audit_names_its_attack_and_verdict(tmp_path):
    root = ET.fromstring(render(write_identity(tmp_path / "audit"), ".xml").encode())
    assert {case.get("classname") for case in root[0].iter("testcase")} == {"leadapron.identity"}
    (verdict,) = [entry.get("value") for entry in root.iter("property") if entry.get("name") == "verdict"]
    assert "an attacker with a gallery of 1,000 images finds that patient first for 895; by guessing, for 4." in verdict
    (same, _) = [case[0].text for case in root[1].iter("testcase") if case.find("failure") is not None]
    assert same.startswith("Right patient first (precision@1) is 0.8948 ")


def test_an_attack_without_a_report_is_refused(tmp_path):
    results = write_sample(tmp_path / "audit", audit="palmistry")
    with pytest.raises(
        DataError,
        match="there is no such audit; got 'palmistry'; allowed: as-found, attributes, federation, identity",
    ):
        render(results, ".html")


def test_markdown_cannot_be_broken_out_of(tmp_path):
    results = write_sample(tmp_path / "audit", command="a ``` b", title="x\n# y | <b>", limits=["`z` *w*"])
    text = render(results, ".md")
    assert "\n````sh\na ``` b\n````\n" in text
    assert r"x \# y \| \<b\>" in text
    assert r"- \`z\` \*w\*" in text


def test_json_is_the_same_content(folder):
    results = read_results(folder)
    assert json.loads(render(results, ".json")) == json.loads((folder / "results.json").read_text())
    (folder / "results.json").write_text(render(results, ".json"))
    assert as_json(read_results(folder)) == as_json(results)


def test_results_whose_details_were_edited_are_refused_in_a_sentence(tmp_path):
    write_membership(tmp_path / "audit")
    file = tmp_path / "audit" / "results.json"
    content = json.loads(file.read_text())
    del content["details"]["trusted"]
    file.write_text(json.dumps(content))
    said = refusal("report", tmp_path / "audit")
    assert "$.details: what the page of membership tells is not there (KeyError: 'trusted')" in said
    assert said.rstrip().endswith("Run the audit again.")


def test_an_unknown_suffix_is_refused(folder, tmp_path):
    with pytest.raises(ConfigError, match=r"\.html, \.md, \.xml, \.json"):
        render(read_results(folder), ".pdf")
    before = everything_in(tmp_path)
    assert "cannot be written; got '.docx'" in refusal("report", folder, "--output", tmp_path / "report.docx")
    assert everything_in(tmp_path) == before


def test_the_command_writes_the_page_beside_the_results_by_default(folder):
    assert run("report", folder).code == 0
    page = (folder / "report.html").read_text()
    assert page == render(read_results(folder), ".html")
    assert run("report", folder / "results.json").out.strip().endswith("report.html")


@pytest.mark.parametrize("suffix", [".md", ".xml", ".json", ".HTML"])
def test_the_suffix_picks_the_format(folder, tmp_path, suffix):
    target = tmp_path / "new" / f"card{suffix}"
    assert run("report", folder, "--output", target).code == 0
    assert target.read_text() == render(read_results(folder), suffix.lower())


def test_the_results_themselves_are_not_replaced(folder):
    before = (folder / "results.json").read_bytes()
    assert "would replace the results" in refusal("report", folder, "--output", folder / "results.json")
    assert (folder / "results.json").read_bytes() == before


def test_evidence_that_was_changed_is_refused(folder):
    (folder / "evidence" / "survival.parquet").write_bytes(b"other")
    assert "not the one that the results were written with" in refusal("report", folder)
    assert not (folder / "report.html").exists()
