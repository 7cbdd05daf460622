"""What belongs to a release and must not go along with it: it lies beside the folder, under a name that says so."""

from __future__ import annotations

from pathlib import Path

PATIENTS = ".patients-not-for-release.json"
CONTROLS = ".controls-not-for-release"
TRUTH = ".truth"


def patients_beside(release: Path) -> Path:
    """The file that tells which patients something was fitted on."""
    return _beside(release, PATIENTS)


def controls_beside(release: Path) -> Path:
    """The folder of the controls of a trained defence: heads trained on the same patients without its privacy."""
    return _beside(release, CONTROLS)


def truth_beside(handover: Path) -> Path:
    """The file that tells which rows of what was handed over are whose, and belong together."""
    return _beside(handover, TRUTH)


def _beside(release: Path, ending: str) -> Path:
    whole = release.resolve()  # "." has a name, too
    return whole.with_name(whole.name + ending)
