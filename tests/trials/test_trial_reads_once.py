"""In a trial nothing is read or hashed twice: neither a release, nor a file of it, nor a table of evidence."""

from __future__ import annotations

import hashlib
from collections import Counter
from pathlib import Path

import polars as pl
import pytest

from leadapron.audits import release_subject
from leadapron.defences import defend
from leadapron.engine import hashes
from leadapron.release import write_release
from leadapron.trials import TrialConfig, trial
from utility_releases import made

NAMES = ("before", "coarse", "coarser")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A release and two defended ones."""
    folder = tmp_path_factory.mktemp("releases")
    release = made(2.0, patients=60)
    write_release(release, folder / "before")
    for name, bits in (("coarse", 4), ("coarser", 2)):
        write_release(defend(release, "quantise", bits=bits), folder / name)
    return folder


@pytest.fixture(scope="module")
def seen(place):
    """How often each release was read, each file hashed and each table read in their trial."""
    counts = {"releases": Counter(), "hashes": Counter(), "tables": Counter()}

    def counted(module, name, what, path_of):
        function = getattr(module, name)

        def watched(first, *args, **options):
            counts[what][Path(path_of(first))] += 1
            return function(first, *args, **options)

        patched.setattr(module, name, watched)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(hashes, "SETTLED_NS", 10**20)  # no hash is remembered for the file's sake
        counted(release_subject, "read_release", "releases", lambda path: path)
        counted(hashlib, "file_digest", "hashes", lambda stream: stream.name)
        counted(pl, "read_parquet", "tables", lambda path: path)
        trial(*(place / name for name in NAMES), out=place / "out", config=TrialConfig(attackers=("cosine",)))
    return counts


def test_each_release_is_read_once_and_each_of_its_files_hashed_once(seen, place):
    assert seen["releases"] == {place / name: 1 for name in NAMES}
    files = [path for name in NAMES for path in (place / name).iterdir() if path.suffix in (".npy", ".parquet")]
    assert {path: seen["hashes"][path] for path in files} == dict.fromkeys(files, 1)
    assert [seen["tables"][place / name / "records.parquet"] for name in NAMES] == [1, 1, 1]


def test_each_table_of_evidence_is_read_once_at_most(seen, place):
    evidence = {path: count for path, count in seen["tables"].items() if path.parent.name == "evidence"}
    assert set(evidence.values()) == {1}
    assert len(evidence) < len(list((place / "out").rglob("evidence/*.parquet")))
    assert {seen["hashes"][path] for path in evidence} == {1}
