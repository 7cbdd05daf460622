"""JUnit XML, the format that continuous integration shows: a test case for each check of the audit."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from leadapron.report.kinds import kind_of
from leadapron.report.numerals import clean
from leadapron.report.results import Results
from leadapron.report.words import marked

TAGS = {"fail": "failure", "error": "error", "not-run": "skipped"}


def render_junit(results: Results) -> str:
    """A failed check is a failure, an error an error, one that was not run is skipped; a warning passes and says so."""
    content = results.content
    outcomes = [row["outcome"] for row in content["outcomes"]]
    totals = {
        "tests": str(len(outcomes)),
        "failures": str(outcomes.count("fail")),
        "errors": str(outcomes.count("error")),
        "skipped": str(outcomes.count("not-run")),
        "time": f"{sum(content['timings'].values()):.3f}",
    }
    root = ET.Element("testsuites", {"name": "leadapron", **{key: totals[key] for key in totals if key != "skipped"}})
    suite = ET.SubElement(
        root, "testsuite", {"name": clean(content["title"]), **totals, "timestamp": clean(content["created"])}
    )
    properties = ET.SubElement(suite, "properties")
    verdict = marked(results, kind_of(results).verdict(results))
    facts = {"verdict": verdict, "seed": content["seed"], "command": content["command"]}
    for name, value in facts.items():
        ET.SubElement(properties, "property", {"name": name, "value": clean(value)})
    for row in content["outcomes"]:
        names = {"classname": f"leadapron.{clean(content['attack'])}", "name": clean(row["check"]), "time": "0"}
        case = ET.SubElement(suite, "testcase", names)
        reason = clean(row["reason"])
        if row["outcome"] in TAGS:
            ET.SubElement(case, TAGS[row["outcome"]], {"message": reason, "type": row["outcome"]}).text = reason
        else:
            ET.SubElement(case, "system-out").text = f"{row['outcome']}: {reason}"
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
