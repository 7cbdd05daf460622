"""Two sentences a finding, one that it is there and one that it is not: what a release is asked for findings with."""

from __future__ import annotations

from leadapron.cohort import FINDINGS

PRESENT, ABSENT = "Findings suggesting {}.", "No evidence of {}."

IN_OTHER_WORDS = {
    "No Finding": ("No acute cardiopulmonary abnormality.", "Abnormal chest radiograph."),
    "Pleural Other": ("Findings suggesting other pleural disease.", "No evidence of other pleural disease."),
    "Support Devices": ("Support devices are in place.", "No support devices are seen."),
}
"""Findings whose names do not fit into the sentences."""


def prompts() -> list[str]:
    """Present, absent, present, absent, in the order of ``FINDINGS``."""
    return [sentence for finding in FINDINGS for sentence in _pair(finding)]


def _pair(finding: str) -> tuple[str, str]:
    name = finding.lower()
    return IN_OTHER_WORDS.get(finding, (PRESENT.format(name), ABSENT.format(name)))
