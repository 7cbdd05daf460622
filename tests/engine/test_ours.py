"""Nothing of the user's is removed or replaced, and what tells of single patients is for its owner's eyes alone."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from command_line import everything_in, refusal, run
from leadapron.cohort import Cohort, Funnel
from leadapron.cohort.cohort import write_cohort
from leadapron.engine import atomic_folder, atomic_path, run_blocks
from leadapron.engine.once import write_once
from leadapron.engine.ours import claim, hidden_beside, remove_ours, strangers
from leadapron.errors import ConfigError
from leadapron.release import write_release
from leadapron.targets.collect import collect
from leadapron.targets.work import train_models
from target_studies import Pretender, begin
from utility_releases import made


def put(path: Path, text: str = "mine") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def output(target: Path, *names: str, **options: bool) -> Path:
    """A folder as every command writes it."""
    with atomic_folder(target, **options) as folder:
        for name in names or ("card.json", "evidence/ranks.parquet"):
            put(folder / name, "ours")
    return target


def blocks(folder: Path) -> None:
    run_blocks(folder, 5, 2, lambda rows: {"x": np.arange(rows.start, rows.stop)}, key={}, stage="working")


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# Folders that are overwritten


@pytest.mark.parametrize("name", ["notes.txt", ".notes", "evidence/notes.txt", "deep/down/notes.txt", "pixels/a/x.npy"])
def test_a_file_of_the_users_in_an_output_is_named_and_kept(tmp_path, name):
    """It went with the folder, because a card of ours lay beside it."""
    target = output(tmp_path / "audit")
    put(target / name)
    before = contents(tmp_path)
    with pytest.raises(ConfigError, match=rf"audit: leadapron did not write all .* got '{name}'; .*move these files"):
        output(target, overwrite=True)
    assert contents(tmp_path) == before


def test_an_output_inside_another_is_not_taken_with_it(tmp_path):
    """`encode clinic --out clinic/release`, and then the cohort anew."""
    output(output(tmp_path / "clinic") / "release", "release.json")
    with pytest.raises(ConfigError, match=r"got 'release/\.leadapron, release/release\.json'"):
        output(tmp_path / "clinic", overwrite=True)
    assert (tmp_path / "clinic" / "release" / "release.json").read_text() == "ours"


def test_a_cache_inside_an_output_goes_with_it(tmp_path):
    blocks(output(tmp_path / "cohort") / "pixels")
    output(tmp_path / "cohort", "new", overwrite=True)
    assert everything_in(tmp_path) == {"cohort", "cohort/.leadapron", "cohort/new"}


def test_a_link_of_the_users_in_an_output_is_kept_with_what_it_leads_to(tmp_path):
    theirs = put(tmp_path / "theirs" / "thesis.tex")
    target = output(tmp_path / "audit")
    (target / "theirs").symlink_to(theirs.parent)
    with pytest.raises(ConfigError, match="got 'theirs'"):
        output(target, overwrite=True)
    assert theirs.read_text() == "mine"


def test_what_a_user_adds_while_a_folder_is_replaced_is_kept(tmp_path):
    target = output(tmp_path / "audit")
    with atomic_folder(target, overwrite=True) as folder:
        put(folder / "new", "ours")
        put(target / "notes.txt")
    assert (target / "new").read_text() == "ours"
    assert [path.read_text() for path in tmp_path.glob(".audit.*.leadapron-old/*")] == ["mine"]


def test_a_list_cannot_name_what_lies_outside_its_folder(tmp_path):
    theirs = put(tmp_path / "thesis.tex")
    target = output(tmp_path / "audit")
    listed = json.loads((target / ".leadapron").read_text())
    put(target / ".leadapron", json.dumps({**listed, "files": [*listed["files"], "../thesis.tex", str(theirs)]}))
    remove_ours(target)
    assert list(tmp_path.iterdir()) == [theirs]


def test_a_link_to_an_output_is_written_through(tmp_path):
    """The link itself was replaced, and a hidden one left behind."""
    output(tmp_path / "disk" / "real")
    (tmp_path / "link").symlink_to("disk/real")
    output(tmp_path / "link", "new", overwrite=True)
    assert (tmp_path / "link").readlink() == Path("disk/real")
    assert everything_in(tmp_path) == {"link", "disk", "disk/real", "disk/real/.leadapron", "disk/real/new"}


def test_a_link_to_nowhere_is_written_through_and_a_circle_refused(tmp_path):
    (tmp_path / "link").symlink_to("disk/real")
    output(tmp_path / "link")
    assert (tmp_path / "disk" / "real" / "card.json").read_text() == "ours"
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(ConfigError, match="a: the link leads back to itself"):
        output(tmp_path / "a", overwrite=True)


def test_a_link_to_a_file_is_written_through(tmp_path):
    (tmp_path / "page.html").symlink_to(put(tmp_path / "www" / "page.html", "old"))
    with atomic_path(tmp_path / "page.html") as path:
        path.write_text("new")
    assert (tmp_path / "page.html").is_symlink()
    assert everything_in(tmp_path) == {"page.html", "www", "www/page.html"}
    assert (tmp_path / "www" / "page.html").read_text() == "new"


def test_the_old_folder_comes_back_where_the_new_one_cannot_take_its_place(tmp_path, monkeypatch):
    target, rename = output(tmp_path / "audit"), Path.rename

    def refuse(self: Path, place: Path) -> Path:
        if self.name.endswith("leadapron-partial"):
            raise OSError(28, "No space left on device")
        return rename(self, place)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OSError, match="No space"):
        output(target, "new", overwrite=True)
    assert list(tmp_path.iterdir()) == [target]
    assert (target / "card.json").exists()


# Files that are claimed


def test_a_name_is_claimed_before_it_is_written_and_never_from_its_owner(tmp_path):
    put(tmp_path / "report.html")
    with pytest.raises(ConfigError, match=r"report\.html: leadapron did not write this file, so it is not replaced"):
        claim(tmp_path, "frontier.json", "report.html")
    assert everything_in(tmp_path) == {"report.html"}
    claim(tmp_path, "frontier.json")
    put(tmp_path / "frontier.json")
    claim(tmp_path, "frontier.json", "more.json")
    assert strangers(tmp_path) == [tmp_path / "report.html"]


def test_a_hidden_file_of_the_users_is_not_taken_for_a_list(tmp_path):
    put(tmp_path / ".leadapron", "[settings]")
    with pytest.raises(ConfigError, match=r"\.leadapron: leadapron did not write this file"):
        claim(tmp_path, "epoch.pt", scratch=True)
    assert (tmp_path / ".leadapron").read_text() == "[settings]"


def test_of_unfinished_work_only_what_is_ours_is_removed(tmp_path):
    blocks(tmp_path / ".work")
    put(hidden_beside(tmp_path / ".work" / "epoch.pt"))
    theirs = put(tmp_path / ".work" / "deep" / "notes.txt")
    remove_ours(tmp_path / ".work")
    assert everything_in(tmp_path) == {".work", ".work/deep", ".work/deep/notes.txt"}
    theirs.unlink()
    remove_ours(tmp_path / ".work")
    remove_ours(tmp_path / ".work")  # there is none
    assert everything_in(tmp_path) == set()


# Commands


@pytest.fixture(scope="module")
def release(small_clinic_folder, tmp_path_factory):
    """As `encode` writes it, with what a user keeps in a hidden folder of the name that work goes to."""
    folder = tmp_path_factory.mktemp("encoded")
    theirs = put(folder / ".release.work" / "notes.txt")
    done = run("encode", small_clinic_folder, "--encoder", "phantom-labels", "--out", folder / "release",
               "--cache", folder / "cache")  # fmt: skip
    assert done.code == 0, done.err
    assert everything_in(theirs.parent) == {"notes.txt"}
    return folder / "release"


def test_training_targets_in_a_folder_of_hidden_files_touches_none(release, tmp_path, monkeypatch):
    """.git, .env and .notes were removed, and the exit code was 0."""
    for name in (".git/HEAD", ".env", ".notes/diary.txt"):
        put(tmp_path / name)
    for path in tmp_path.rglob("*"):
        os.utime(path, (1, 1))
    before = contents(tmp_path)
    monkeypatch.chdir(tmp_path)
    said = refusal("train", "targets", release, "--kind", "linear", "--models", 8, "--out", ".")
    assert "something else than a study; got '.env, .git, .notes'" in said
    assert contents(tmp_path) == before


def test_users_files_in_a_study_survive_its_end(tmp_path):
    """A folder of the user's by the name of ours went when all models were there, hidden files when they were old."""
    study = begin(tmp_path / "study")
    theirs = [put(study.folder / name) for name in ("command/run.py", ".env", "models/.notes", "notes/.notes")]
    left = put(hidden_beside(study.folder / "command" / "00003") / "mask.parquet")
    for path in theirs:
        os.utime(path, (1, 1))
    train_models(study, Pretender())
    collect(study)
    assert [path.read_text() for path in theirs] == ["mine"] * 4
    assert not left.parent.exists()


def test_a_report_beside_copied_results_replaces_no_page_of_the_users(release, tmp_path):
    audit = run("audit", "linkage", release, "--out", tmp_path / "audit", "--pool", 5)
    assert audit.code == 0, audit.err
    assert run("report", tmp_path / "audit").code == 0
    put(tmp_path / "mine" / "results.json", (tmp_path / "audit" / "results.json").read_text())
    put(tmp_path / "mine" / "report.html")
    assert "report.html: leadapron did not write this file" in refusal("report", tmp_path / "mine")
    assert (tmp_path / "mine" / "report.html").read_text() == "mine"


# Who may read


def modes(folder: Path) -> dict[str, int]:
    paths = [folder, *folder.rglob("*")]
    return {str(path.relative_to(folder.parent)): stat.S_IMODE(path.stat().st_mode) for path in paths}


@pytest.fixture(params=[0o000, 0o022, 0o077, 0o277], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def private(folder: Path) -> bool:
    found = modes(folder)
    return found == {name: 0o700 if (folder.parent / name).is_dir() else 0o600 for name in found}


@pytest.mark.usefixtures("umask")
def test_what_tells_of_patients_is_private_whatever_the_umask(tmp_path):
    """Pixels, unfinished work, evidence, signals and cohorts were open to everybody on the machine."""
    blocks(tmp_path / "pixels")
    with atomic_path(tmp_path / "evidence" / "ranks.parquet", private=True) as path:
        pl.DataFrame({"patient_id": ["a"]}).write_parquet(path)
    with atomic_folder(tmp_path / "signals", private=True) as folder:
        put(folder / "deep" / "signals.npy")
    write_once(tmp_path / "models" / "00000.npz", lambda stream: stream.write(b"x"))
    assert [name for name in ("pixels", "evidence", "signals", "models") if not private(tmp_path / name)] == []


def test_what_is_to_be_handed_out_has_the_modes_that_the_user_asked_for(tmp_path, umask):
    output(tmp_path / "release", "image.npy")
    assert modes(tmp_path / "release")["release/image.npy"] == 0o666 & ~umask


def test_the_evidence_of_an_audit_is_private_and_its_page_is_not(release, tmp_path):
    write_release(made(patients=60, images=5, prevalence=0.45), tmp_path / "large")
    before = os.umask(0o022)
    try:
        assert run("audit", "linkage", release, "--out", tmp_path / "audit", "--pool", 5).code == 0
        assert run("utility", "release", tmp_path / "large", "--out", tmp_path / "utility", "--strength", 1).code == 0
    finally:
        os.umask(before)
    assert private(tmp_path / "audit" / "evidence")
    assert private(tmp_path / "utility" / "evidence")
    found = modes(tmp_path / "audit")
    assert (found["audit"], found["audit/results.json"], found["audit/report.html"]) == (0o755, 0o644, 0o644)


def test_a_study_and_its_signals_are_private(tmp_path):
    before = os.umask(0o022)
    try:
        study = begin(tmp_path / "study")
        train_models(study, Pretender())
        collect(study)
    finally:
        os.umask(before)
    found = modes(study.folder)
    assert found == {name: 0o700 if (tmp_path / name).is_dir() else 0o600 for name in found}


def test_a_cohort_is_private(small_clinic, tmp_path):
    cohort = small_clinic.cohort
    write_cohort(Cohort(cohort.name, cohort.records, Funnel(())), tmp_path / "cohort")
    assert private(tmp_path / "cohort")
