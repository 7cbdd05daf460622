"""The forms of a dossier beside its page: a section for a model card or datasheet, JUnit, and a PDF by a browser."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from leadapron.audits.junit import Case, Suite, junit_document
from leadapron.dossier.assessment import Assessment
from leadapron.dossier.judged_risks import Status
from leadapron.pages.decision import DecisionPage
from leadapron.pages.markdown import plain

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
PATIENCE = 120
OUTCOMES = {Status.OVER: "fail", Status.CLOSE: "too-close", Status.UNKNOWN: "incomplete", Status.UNDER: "pass"}


def as_markdown(front: DecisionPage) -> str:
    """A section for a model card or a datasheet."""
    lines = [f"## {plain(front.title)}", "", f"**{plain(front.banner.words)}.** {plain(front.banner.limit)}", ""]
    lines += [f"- {term}: {plain(words)}" for term, words in front.facts.items()]
    lines += ["", "| Risk | As it is | Defended | Standing |", "|---|---|---|---|"]
    for row in front.risks:
        cells = [f"{bar.number} ({bar.span})" if bar.span else bar.number for bar in row.bars]
        first, last = (cells[0], cells[-1]) if len(cells) > 1 else (cells[0], "–")
        lines.append(f"| {plain(row.question)} {plain(row.sentence)} | {first} | {last} | {row.bars[-1].words} |")
    if front.costs:
        lines += ["", "| Use | As it is | Defended | Change |", "|---|---|---|---|"]
    for cost in front.costs:
        first, last = (f"{bar.number} ({bar.span})" for bar in cost.bars)
        lines.append(f"| {plain(cost.title)} | {first} | {last} | {cost.words} |")
    lines += ["", "### Not examined", "", *(f"- {plain(few)} {plain(why)}" for few, why in front.unexamined)]
    return "\n".join([*lines, "", plain(front.trust), ""])


def as_junit(found: Assessment) -> str:
    """A suite for each version, a test case for each limit, and one for each of the board's questions left open."""
    suites = []
    for one in found.groups:
        for trial in one.trials:
            cases = [
                Case(f"{risk.scenario.key}: {risk.entry or 'no limit'}", OUTCOMES[risk.status], risk.reason)
                for risk in one.risks[trial.entrant.name]
            ]
            suites.append(Suite(f"{trial.entrant.name}, {found.policy.title}", "leadapron.dossier", cases))
    open_ = [Case(key, "incomplete", "Nothing answers this question.") for key in found.unanswered]
    open_ += [Case("before the defence", "incomplete", note) for one in found.groups for note in one.group.notes]
    suites.append(Suite("Questions of the board", "leadapron.dossier", open_))
    return junit_document(*suites)


def write_pdf(page: Path, target: Path) -> bool:
    """The page as PDF, where a browser is installed; False where none is, or it did not manage."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return False
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *QUIET, f"--user-data-dir={profile}", "--no-pdf-header-footer", f"--print-to-pdf={target}"]
        try:
            subprocess.run([*command, page.resolve().as_uri()], check=True, timeout=PATIENCE, capture_output=True)
        except (subprocess.SubprocessError, OSError):
            target.unlink(missing_ok=True)
            return False
    return target.is_file()
