"""JUnit XML, the format that continuous integration shows: a test case for each check and for each limit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from xml.etree import ElementTree as ET

from leadapron.audits.gate import Judgement, Verdict, judge_entries
from leadapron.audits.presets import default_policy
from leadapron.audits.standard_words import marked_verdict
from leadapron.pages.numerals import clean
from leadapron.results import Results

TAGS = {
    "fail": "failure",
    "too-close": "failure",
    "error": "error",
    "incomplete": "error",
    "not-run": "skipped",
    "not-applicable": "skipped",
}
"""What is not here passes, and a warning says so."""


@dataclass(frozen=True)
class Case:
    name: str
    outcome: str
    reason: str


@dataclass(frozen=True)
class Suite:
    name: str
    classname: str
    cases: list[Case]
    properties: Mapping[str, object] = field(default_factory=dict)
    attributes: Mapping[str, object] = field(default_factory=dict)


def render_junit(results: Results) -> str:
    """Two suites: the checks of the audit, and what the policy starting-point says of its numbers.

    The checks alone would be green for any leak that was measured well. Of use it asks nothing.
    """
    audit = results.audit
    facts = {"verdict": marked_verdict(results), "seed": results.seed, "command": results.command}
    checks = [Case(row.check, row.outcome, row.reason) for row in results.outcomes]
    when = {"time": f"{sum(results.timings.values()):.3f}", "timestamp": results.created}
    suites = [Suite(results.title, f"leadapron.{audit}", checks, facts, when)]
    if results.about == "risk":
        policy = default_policy()
        told = "The policy starting-point has no limit for this audit: gate it with another."
        judged = [Case("limits", "incomplete", told)]
        if any(entry.attack == audit for entry in policy.requirements):
            judged = _cases(judge_entries([results], policy.only({audit})))
        suites.append(Suite(f"Policy: {policy.title}", f"leadapron.policy.{audit}", judged))
    return junit_document(*suites)


def render_verdict(verdict: Verdict) -> str:
    """A test case for each entry of the policy."""
    facts = {name: getattr(verdict, name) for name in ("outcome", "exit_code", "release", "subject")}
    cases = _cases(verdict.judgements)
    return junit_document(Suite(f"Policy: {verdict.policy}", "leadapron.policy", cases, facts))


def _cases(judgements: Iterable[Judgement]) -> list[Case]:
    return [Case(judgement.id, judgement.outcome, judgement.reason) for judgement in judgements]


def junit_document(*suites: Suite) -> str:
    every = [case for suite in suites for case in suite.cases]
    totals = {name: total for name, total in _totals(every).items() if name != "skipped"}  # none here, by the schema
    root = ET.Element("testsuites", {"name": "leadapron", **totals})
    for suite in suites:
        attributes = {key: clean(value) for key, value in suite.attributes.items()}
        element = ET.SubElement(root, "testsuite", {"name": clean(suite.name), **_totals(suite.cases), **attributes})
        properties = ET.SubElement(element, "properties")
        for name, value in suite.properties.items():
            ET.SubElement(properties, "property", {"name": name, "value": clean(value)})
        for case in suite.cases:
            _add(element, case, clean(suite.classname))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _totals(cases: list[Case]) -> dict[str, str]:
    tags = [TAGS.get(case.outcome) for case in cases]
    counted = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    return {"tests": str(len(tags)), **{name: str(tags.count(tag)) for name, tag in counted.items()}}


def _add(suite: ET.Element, case: Case, classname: str) -> None:
    element = ET.SubElement(suite, "testcase", {"classname": classname, "name": clean(case.name), "time": "0"})
    reason = clean(case.reason)
    if case.outcome in TAGS:
        ET.SubElement(element, TAGS[case.outcome], {"message": reason, "type": case.outcome}).text = reason
    else:
        ET.SubElement(element, "system-out").text = f"{case.outcome}: {reason}"
