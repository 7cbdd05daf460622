"""What people hand on, results, pages and error messages, says neither who somebody is nor where their data lie."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import utility_releases
from command_line import run
from leadapron.attacks.membership import build_signals
from leadapron.attacks.membership.as_found_reading import read_as_found
from leadapron.cli.command_line import command_line
from leadapron.cohort import FINDINGS, LABEL_COLUMNS, Cohort, Funnel, decode
from leadapron.cohort.sources import chexpert
from leadapron.cohort.sources.source_options import ReadOptions
from leadapron.cohort.sources.tables import join_one
from leadapron.defences.heads.strangers import public_bank
from leadapron.errors import DataError, LeadapronError
from leadapron.release import Release, write_release
from leadapron.results import read_results
from leadapron.targets.audited import audited_records
from leadapron.targets.probes import ProbeConfig, probes_of
from leadapron.uses import measure_utility
from membership_data import alternating
from tiny_heads import tiny_release
from tiny_results import estimate, write

# Error messages

WHO = "MRN-4711"


def ids(count: int) -> list[str]:
    return [f"{WHO}-{number}" for number in range(count)]


def cohort(**columns: list[object]) -> Cohort:
    nothing = dict.fromkeys(("view", "report", "image_path"), pl.Series([None] * 3, dtype=pl.String))
    labels = {name: pl.Series([None] * 3, dtype=pl.Int8) for name in LABEL_COLUMNS}
    named = {"record_id": ids(3), "patient_id": ids(3), "study_id": ids(3), "split": ["train"] * 3}
    return Cohort("ours", pl.DataFrame({**named, **nothing, **labels, **columns}), Funnel.start("rows", 3))


def release(**columns: list[object]) -> Release:
    return Release(pl.DataFrame({"record_id": ids(3), **columns}), {"image": np.eye(3, dtype=np.float32)})


def torn() -> Release:
    """A patient of the test split who stands in the training split, too."""
    made = utility_releases.made(patients=30)
    named = pl.when(pl.col("patient_id").is_in(["p00000", "p00004"])).then(pl.lit(WHO)).otherwise("patient_id")
    return Release(made.records.with_columns(patient_id=named), made.arrays)


def signals(values=None, members=None, **columns: list[object]) -> object:
    values = np.zeros((8, 4)) if values is None else values
    records = pl.DataFrame({"record_id": ids(4), "patient_id": ids(4), **columns})
    return build_signals(values, alternating(8, 4) if members is None else members, records, logits=values.ndim == 3)


def split_patient(folder: Path) -> None:
    np.save(folder / "signals.npy", np.zeros((8, 4)))
    np.save(folder / "members.npy", alternating(8, 4))
    names = {"record_id": ids(4), "patient_id": [f"{WHO}-{row // 2}" for row in range(4)]}
    pl.DataFrame(names).write_parquet(folder / "records.parquet")
    read_as_found(folder).target(0)


def odd_path(folder: Path) -> None:
    header = ",".join(("Path", "Sex", "Age", "Frontal/Lateral", "AP/PA", *FINDINGS))
    (folder / "train.csv").write_text(f"{header}\n{WHO}/view1.jpg,F,60,Frontal,AP{',' * len(FINDINGS)}\n")
    chexpert.read(folder, ReadOptions())


def bank(*, same_picture: bool) -> None:
    mine, other = tiny_release(prefix=WHO), tiny_release(patients=30, seed=1, prefix="q" if same_picture else WHO)
    images = other.arrays["image_features"].copy()
    images[7] = mine.arrays["image_features"][0]
    records = other.records.with_columns(pl.format(f"{WHO}-{{}}", "record_id").alias("record_id"))
    smuggled = Release(records, {**other.arrays, "image_features": images}, heads=other.heads)
    public_bank(smuggled, mine, 10, 0, other_ids=False)


TWICE = [f"{WHO}-0", f"{WHO}-0", f"{WHO}-1"]
REFUSED = {
    "a record twice in a cohort": lambda _at: cohort(record_id=TWICE),
    "a patient in two splits": lambda _at: cohort(patient_id=TWICE, split=["train", "test", "test"]),
    "an unknown split": lambda _at: cohort(split=["train", "train", "dev"]),
    "an unknown label": lambda _at: cohort(label_edema=[0, 7, None]),
    "no image": lambda at: decode(cohort(), 8, at),
    "a key twice in a table": lambda at: join_one(
        pl.DataFrame({"study_id": TWICE}), pl.DataFrame({"study_id": TWICE}), "study_id", where=at
    ),
    "a path without a patient": odd_path,
    "a record twice in a release": lambda _at: release(record_id=TWICE),
    "a test patient who was learnt from": lambda _at: measure_utility(torn()),
    "an audited patient elsewhere": lambda _at: probes_of(torn(), ProbeConfig()),
    "a record twice in a study": lambda _at: audited_records(
        pl.DataFrame({"record_id": TWICE, "patient_id": TWICE}), (), "t"
    ),
    "not a class in a study": lambda _at: audited_records(
        pl.DataFrame({"record_id": ids(2), "patient_id": ids(2), "label": [0.0, 0.5]}), (), "t"
    ),
    "a record twice in signals": lambda _at: signals(record_id=[*TWICE, "d"]),
    "a signal that is no number": lambda _at: signals(np.full((8, 4), np.nan)),
    "a record in every model": lambda _at: signals(members=np.ones((8, 4), dtype=bool)),
    "a patient split in signals": lambda _at: signals(patient_id=[f"{WHO}-{row // 2}" for row in range(4)]),
    "a patient split as found": split_patient,
    "not a class in signals": lambda _at: signals(np.zeros((8, 4, 3)), label=[0, 1, 2, 9]),
    "not a label in signals": lambda _at: signals(np.zeros((8, 4, 1)), label_a=[0, 1, 0, 9]),
    "patients in bank and release": lambda _at: bank(same_picture=False),
    "a picture in bank and release": lambda _at: bank(same_picture=True),
}


@pytest.mark.parametrize("what", REFUSED)
def test_an_error_says_where_to_look_and_not_who_it_is(tmp_path, what):
    with pytest.raises(LeadapronError) as refused:
        REFUSED[what](tmp_path)
    assert WHO not in str(refused.value)


# Where things lie


@pytest.mark.parametrize(
    ("typed", "written"),
    [
        (["{here}/in/rel", "--out", "{here}/out"], "in/rel --out out"),
        (["{here}/../elsewhere/rel", "--out=/srv/patients/out"], "rel --out=out"),
        (["../rel", "--out", "deep/../../out"], "rel --out out"),
        (["in/rel", "--pool", "100", "--level", "patient"], "in/rel --pool 100 --level patient"),
        (["{here}", "--out", "a b"], ". --out 'a b'"),
    ],
)
def test_a_command_is_written_down_without_where_things_lie(tmp_path, monkeypatch, typed, written):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["leadapron", "audit", *(word.format(here=tmp_path) for word in typed)])
    assert command_line() == f"leadapron audit {written}"


def test_nothing_that_is_written_says_where_on_this_machine_it_lies(tmp_path):
    write_release(utility_releases.made(patients=60, images=5, prevalence=0.45), tmp_path / "release")
    for command in (
        ("audit", "linkage", tmp_path / "release", "--out", tmp_path / "out" / "linkage", "--attacker", "cosine"),
        ("audit", "identity", tmp_path / "release", "--out", tmp_path / "out" / "identity", "--attacker", "cosine"),
        ("utility", "release", tmp_path / "release", "--out", tmp_path / "out" / "utility", "--strength", 1),
    ):
        assert run(*command).code == 0
    texts = [path for path in (tmp_path / "out").rglob("*") if path.suffix in (".json", ".html")]
    assert len(texts) == 6
    assert [path for path in texts if str(tmp_path) in path.read_text()] == []


# Evidence


def pointing_to(folder: Path, file: str) -> Path:
    table = pl.DataFrame({"patient_id": ["p"]})
    write(folder, [estimate()], evidence={"records": table})
    content = json.loads((folder / "results.json").read_text())
    content["evidence"]["records"]["file"] = file
    (folder / "results.json").write_text(json.dumps(content))
    return folder


@pytest.mark.parametrize(
    "file", ["../elsewhere.parquet", "{here}/elsewhere.parquet", "evidence/../../x", "link.parquet"]
)
def test_evidence_lies_in_its_folder_or_is_refused(tmp_path, file):
    """A results.json from elsewhere could name any file of this machine, and have it read."""
    pl.DataFrame({"patient_id": ["p"]}).write_parquet(tmp_path / "elsewhere.parquet")
    folder = pointing_to(tmp_path / "audit", file.format(here=tmp_path))
    (folder / "link.parquet").symlink_to(tmp_path / "elsewhere.parquet")
    with pytest.raises(DataError, match="the file does not lie in its folder"):
        read_results(folder)


def test_evidence_of_a_folder_behind_a_link_is_read(tmp_path):
    folder = pointing_to(tmp_path / "audit", "evidence/records.parquet")
    (tmp_path / "link").symlink_to(folder)
    assert read_results(tmp_path / "link").evidence("records") is not None
