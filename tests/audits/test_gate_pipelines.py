"""The snippets for continuous integration: their lines are run in a shell, as the runners do."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import leadapron as la
from tiny_results import starting_point

yaml = pytest.importorskip("yaml")
PAGE = Path(__file__).resolve().parents[2] / "docs" / "gate.md"
GITHUB, GITLAB = (yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGE.read_text(), re.DOTALL))
STEPS = {
    "GitHub": [step["run"] for step in GITHUB["jobs"]["gate"]["steps"] if "run" in step],
    "GitLab": ["\n".join(GITLAB["gate"]["script"])],
}


@pytest.fixture
def pipeline(tmp_path, monkeypatch):
    """A checkout with a release that leaks, but for its table, and a command on the path."""
    la.write_release(la.defend(la.phantom(90, seed=1), "table"), tmp_path / "release")
    command = tmp_path / "bin" / "leadapron"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m leadapron "$@"\n')
    command.chmod(0o755)
    monkeypatch.setenv("PATH", str(command.parent), prepend=os.pathsep)
    return tmp_path


def run_job(steps, folder):
    """Step by step, each line until one fails; the exit code that the job ends with."""
    for step in steps:
        code = subprocess.run(["bash", "-eo", "pipefail", "-c", step], cwd=folder, capture_output=True).returncode
        if code:
            return code
    return 0


@pytest.mark.study
@pytest.mark.parametrize(("runner", "allowed", "code"), [("GitHub", None, 1), ("GitLab", "at_most = 1.0", 0)])
def test_a_job_stops_where_the_policy_is_broken_and_goes_on_where_it_is_met(pipeline, runner, allowed, code):
    ours = starting_point(pipeline, "linkage", "identity")
    if allowed:
        asked = re.sub(r"at_most_enrichment = .*\n", "", re.sub(r"at_most = .*", allowed, ours.read_text()))
        # the open world takes 200 images, and there are not so many of the test patients
        ours.write_text(re.sub(r'\[\[require\]\]\nid = "same-patient-named".*?(?=\[\[)', "", asked, flags=re.DOTALL))
    assert run_job(STEPS[runner], pipeline) == code
    root = ET.parse(pipeline / "gate.xml").getroot()
    assert (int(root.get("failures")) > 0) == (code == 1)
    assert int(root.get("tests")) > int(root.get("failures"))


def test_both_snippets_audit_and_gate_alike_and_keep_the_verdict_whatever_it_is():
    lines = {runner: "\n".join(steps).split("\n") for runner, steps in STEPS.items()}
    assert [line for line in lines["GitHub"] if line] == [line for line in lines["GitLab"] if line]
    assert GITHUB["jobs"]["gate"]["steps"][-1]["if"] == "always()"
    assert GITLAB["gate"]["artifacts"]["when"] == "always"
