"""Small runs of the published study: phantom clinics on disk, a few trainings of heads, few passes."""

from __future__ import annotations

import zipfile
from pathlib import Path

from leadapron.engine import silent
from leadapron.reproductions import Places, StudyConfig, linkage_study, prepare, study_steps
from leadapron.reproductions.linkage_study import run_steps, write_study
from leadapron.reproductions.study_config import PHANTOM, arms
from leadapron.reproductions.study_sites import build_phantoms
from leadapron.reproductions.study_tables import study_tables

PATIENTS = 110
ARMS = ("replication", "batch norm kept")
SHORT = StudyConfig(models=("biomedclip", "biovil-t"), entropy_epochs=2)
"""The phantom encoder that reads reports, and the one whose heads are trained."""


def fewer_arms(monkeypatch, names=ARMS) -> None:
    """Each arm costs six steps: only these."""
    monkeypatch.setattr(study_steps, "arms", lambda config: {name: arms(config)[name] for name in names})


def phantoms(folder: Path, patients: int = PATIENTS) -> dict[str, Path]:
    """Two clinics in the layouts of both data sets."""
    return build_phantoms(folder, patients, 0, silent)


def run_study(places: Places, out: Path, config: StudyConfig, *, phantom: bool = True):
    """The whole study, and its table."""
    study, plan = prepare(places, config)
    run_steps(plan.steps, silent)
    rows = study_tables(study)
    write_study(study, rows, out, phantom=phantom, overwrite=False)
    return study, rows


def on_data_sets(monkeypatch, places: Places, out: Path, models: tuple[str, ...]):
    """A run on folders as the real ones are laid out, by encoders that ship."""
    monkeypatch.setattr(linkage_study, "REAL", PHANTOM)
    return run_study(places, out, StudyConfig(models=models), phantom=False)


def shuffle_reports(mimic: Path) -> None:
    """Every study gets the report of another one, a patient's of another patient's as a rule."""
    archive = mimic / "mimic-cxr-reports.zip"
    with zipfile.ZipFile(archive) as members:
        texts = {name: members.read(name) for name in sorted(members.namelist())}
    names, half = list(texts), len(texts) // 2
    with zipfile.ZipFile(archive, "w") as members:
        for name, other in zip(names, names[half:] + names[:half], strict=True):
            members.writestr(name, texts[other])


def found(rows, table: str, site: str, what: str, *, pool: str = "all", metric: str = "recall@1", setting="random"):
    """One row of the table."""
    (row,) = rows.filter(table=table, site=site, what=what, setting=setting, pool=pool, metric=metric).iter_rows(
        named=True
    )
    return row
