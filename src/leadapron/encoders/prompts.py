"""Two sentences a finding, one that it is there and one that it is not: what a release is asked for findings with."""

from __future__ import annotations

from leadapron.cohort import FINDINGS

PRESENT, ABSENT = "{}.", "No {}."
"""The bare name and its denial, as CheXzero asked (Tiu et al., 2022)."""

IN_OTHER_WORDS = {
    "No Finding": ("No acute cardiopulmonary abnormality.", "Abnormal chest radiograph."),
    "Pleural Other": ("Other pleural disease.", "No other pleural disease."),
    "Support Devices": ("Support devices are in place.", "No support devices are seen."),
}
"""Findings whose names do not fit into the sentences."""


def prompts() -> list[str]:
    """Present, absent, present, absent, in the order of ``FINDINGS``."""
    return [sentence for finding in FINDINGS for sentence in _pair(finding)]


def _pair(finding: str) -> tuple[str, str]:
    return IN_OTHER_WORDS.get(finding, (PRESENT.format(finding.capitalize()), ABSENT.format(finding.lower())))
