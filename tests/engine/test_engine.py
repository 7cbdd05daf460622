"""Atomic files, blocks that survive a kill, threads, compiled code, progress."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leadapron
from leadapron.engine import atomic_folder, atomic_path, parallel_map, run_blocks, sha256, terminal, worker_count
from leadapron.engine.compiled import _code_folder, kernel
from leadapron.engine.progress import lines, noted
from leadapron.errors import ConfigError, DataError

# Files


def write_half(path: Path, error: type[BaseException]) -> None:
    path.write_text("half")
    raise error


def test_a_file_is_there_only_when_it_is_whole(tmp_path):
    target = tmp_path / "deep" / "result.txt"
    with atomic_path(target) as path:
        path.write_text("new")
        assert not target.exists()
    assert target.read_text() == "new"
    assert list(target.parent.iterdir()) == [target]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_file_that_failed_leaves_the_old_one(tmp_path, error):
    target = tmp_path / "result.txt"
    target.write_text("old")
    with pytest.raises(error), atomic_path(target) as path:
        write_half(path, error)
    assert list(tmp_path.iterdir()) == [target]
    assert target.read_text() == "old"


def test_a_folder_is_there_only_when_it_is_whole(tmp_path):
    target = tmp_path / "result"
    with atomic_folder(target) as folder:
        (folder / "a").write_text("new")
        assert not target.exists()
    assert list(tmp_path.iterdir()) == [target]
    assert (target / "a").read_text() == "new"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_a_folder_that_failed_leaves_nothing(tmp_path, error):
    with pytest.raises(error), atomic_folder(tmp_path / "result") as folder:
        write_half(folder / "a", error)
    assert list(tmp_path.iterdir()) == []


def test_an_existing_folder_is_refused_before_the_work(tmp_path):
    (tmp_path / "result").mkdir()
    with (
        pytest.raises(ConfigError, match=r"result: the output exists already.*--overwrite"),
        atomic_folder(tmp_path / "result"),
    ):
        pytest.fail("the work began")
    assert list(tmp_path.iterdir()) == [tmp_path / "result"]


def written(target: Path, *names: str) -> Path:
    """A folder as leadapron writes it."""
    with atomic_folder(target) as folder:
        for name in names:
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text("old")
    return target


def test_overwriting_replaces_all_of_the_old_folder(tmp_path):
    target = written(tmp_path / "result", "inner/old", "cohort.json")
    with atomic_folder(target, overwrite=True) as folder:
        (folder / "new").write_text("new")
        assert (target / "inner" / "old").read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]
    assert {path.name for path in target.iterdir()} == {".leadapron", "new"}


def test_overwriting_that_failed_leaves_the_old_folder(tmp_path):
    target = written(tmp_path / "result", "old")
    with pytest.raises(RuntimeError), atomic_folder(target, overwrite=True) as folder:
        write_half(folder / "new", RuntimeError)
    assert list(tmp_path.iterdir()) == [target]
    assert (target / "old").read_text() == "old"


@pytest.mark.parametrize(
    "files",
    [
        {"thesis.tex": "years of work"},
        {".env": "years of work"},
        {"results.json": '{"leadapron": "0.1.0", "funnel": []}'},
        {".leadapron": "[settings]"},
    ],
    ids=["no list", "hidden", "a card like ours", "a list that is not ours"],
)
def test_a_folder_that_somebody_else_wrote_is_never_overwritten(tmp_path, files):
    target = tmp_path / "precious"
    target.mkdir()
    for name, content in files.items():
        (target / name).write_text(content)
    with (
        pytest.raises(
            ConfigError, match=rf"precious: leadapron did not write .*got '{next(iter(files))}'; allowed: an empty"
        ),
        atomic_folder(target, overwrite=True),
    ):
        pytest.fail("the work began")
    assert {path.name: path.read_text() for path in target.iterdir()} == files


def test_an_empty_folder_may_be_overwritten(tmp_path):
    (tmp_path / "result").mkdir()
    with atomic_folder(tmp_path / "result", overwrite=True) as folder:
        (folder / "new").write_text("new")
    assert (tmp_path / "result" / "new").read_text() == "new"


def test_a_file_is_never_replaced_by_a_folder(tmp_path):
    (tmp_path / "result").write_text("notes")
    with (
        pytest.raises(ConfigError, match="result: the output is a file"),
        atomic_folder(tmp_path / "result", overwrite=True),
    ):
        pytest.fail("the work began")
    assert (tmp_path / "result").read_text() == "notes"


def test_the_hash_is_that_of_the_bytes(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    assert sha256(tmp_path / "empty") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


# Blocks


class Work:
    """Arrays of two kinds, the slices that were asked for, and a block at which it fails."""

    def __init__(self, rows: int, fail_at: int | None = None):
        self.numbers = np.random.default_rng(rows).normal(size=(rows, 3)).astype(np.float32)
        self.words = np.array([f"row {row}" for row in range(rows)], dtype="U12")
        self.fail_at = fail_at
        self.asked: list[tuple[int, int]] = []

    def __call__(self, rows: slice) -> dict[str, np.ndarray]:
        if rows.start == self.fail_at:
            raise RuntimeError("interrupted")
        self.asked.append((rows.start, rows.stop))
        return {"numbers": self.numbers[rows], "words": self.words[rows]}

    def run(self, folder: Path, block: int, key: str = "a") -> dict[str, np.ndarray]:
        return run_blocks(folder, len(self.numbers), block, self, key={"of": key}, stage="working")

    def assert_same(self, arrays: dict[str, np.ndarray]) -> None:
        assert sorted(arrays) == ["numbers", "words"]
        assert arrays["numbers"].dtype == np.float32
        np.testing.assert_array_equal(arrays["numbers"], self.numbers)
        np.testing.assert_array_equal(arrays["words"], self.words)


@settings(max_examples=40, deadline=None)
@given(rows=st.integers(1, 30), block=st.integers(1, 12))
def test_blocks_give_what_one_pass_gives(rows, block):
    work = Work(rows)
    with tempfile.TemporaryDirectory() as folder:
        work.assert_same(work.run(Path(folder), block))
    assert [row for start, stop in work.asked for row in range(start, stop)] == list(range(rows))
    assert max(stop - start for start, stop in work.asked) <= block


def test_joined_arrays_are_memory_mapped_and_the_blocks_are_gone(tmp_path):
    arrays = Work(10).run(tmp_path, 4)
    assert all(isinstance(array, np.memmap) for array in arrays.values())
    (place,) = tmp_path.iterdir()
    names = {path.name for path in place.iterdir()}
    assert names == {".leadapron", "arrays.json", "key.json", "numbers.npy", "words.npy"}
    assert json.loads((place / "key.json").read_text()) == {"of": "a", "rows": 10, "block": 4}


@pytest.mark.parametrize("fail_at", [0, 4, 8])
def test_only_missing_blocks_are_computed_after_an_interruption(tmp_path, fail_at):
    broken = Work(10, fail_at)
    with pytest.raises(RuntimeError, match="interrupted"):
        broken.run(tmp_path, 4)
    assert broken.asked == [(start, start + 4) for start in range(0, fail_at, 4)]
    again = Work(10)
    again.assert_same(again.run(tmp_path, 4))
    assert again.asked == [(start, min(start + 4, 10)) for start in range(fail_at, 10, 4)]


def test_finished_work_is_not_computed_again(tmp_path):
    Work(10).run(tmp_path, 4)
    again = Work(10, fail_at=0)
    again.assert_same(again.run(tmp_path, 4))
    assert again.asked == []


def damaged(place: Path, damage: str) -> None:
    """What a full disk, a careless hand or another program does to finished work."""
    numbers = place / "numbers.npy"
    if damage == "truncated":
        numbers.write_bytes(numbers.read_bytes()[:-8])
    elif damage == "empty":
        numbers.write_bytes(b"")
    elif damage == "removed":
        numbers.unlink()
    elif damage == "of another length":
        np.save(numbers, np.zeros((3, 3), np.float32))
    else:
        (place / "arrays.json").write_text("[")


@pytest.mark.parametrize("damage", ["truncated", "empty", "removed", "of another length", "no list of names"])
def test_finished_work_that_was_damaged_is_computed_again(tmp_path, damage):
    Work(10).run(tmp_path, 4)
    (place,) = tmp_path.iterdir()
    damaged(place, damage)
    again = Work(10)
    again.assert_same(again.run(tmp_path, 4))
    assert again.asked == [(0, 4), (4, 8), (8, 10)]


def test_a_block_that_was_cut_short_is_computed_again(tmp_path):
    with pytest.raises(RuntimeError, match="interrupted"):
        Work(10, fail_at=8).run(tmp_path, 4)
    (block,) = tmp_path.glob("*/block-0000000004.npz")
    block.write_bytes(block.read_bytes()[:-30])
    again = Work(10)
    again.assert_same(again.run(tmp_path, 4))
    assert again.asked == [(4, 8), (8, 10)]


def test_another_key_starts_anew(tmp_path):
    Work(10).run(tmp_path, 4)
    other = Work(10)
    other.numbers = other.numbers + 1
    other.assert_same(other.run(tmp_path, 4, key="b"))
    assert len(other.asked) == 3


def test_a_block_of_the_wrong_length_is_an_error_and_not_rows_of_zeros(tmp_path):
    with pytest.raises(DataError, match=r"working: x: the row counts differ; got '3 rows'; allowed: 4"):
        run_blocks(tmp_path, 10, 4, lambda _rows: {"x": np.ones((3, 2))}, key={}, stage="working")


def test_two_processes_may_do_the_same_work(tmp_path):
    """The other one finishes, and removes the blocks, while this one is at its last block."""
    first, second = Work(10), Work(10)

    def compute(rows: slice) -> dict[str, np.ndarray]:
        if rows.stop == 10:
            first.run(tmp_path, 4)
        return second(rows)

    second.assert_same(run_blocks(tmp_path, 10, 4, compute, key={"of": "a"}, stage="working"))
    assert first.asked == [(8, 10)]


def test_progress_counts_the_rows(tmp_path):
    seen = []
    run_blocks(
        tmp_path, 10, 4, Work(10), key={}, stage="working", progress=lambda *said: seen.append(said)
    )  # fmt: skip
    assert seen == [("working", 0, 10), ("working", 4, 10), ("working", 8, 10), ("working", 10, 10)]


KILLED = """
import os, signal, sys
from pathlib import Path
import numpy as np
from leadapron.engine import run_blocks

def compute(rows):
    print(rows.start, flush=True)
    return {"x": np.arange(rows.start, rows.stop, dtype=np.float64)[:, None] ** 2}

written, whole = [], np.savez
def savez(stream, **arrays):
    written.append(arrays)
    if len(written) == 3 and sys.argv[2] == "die":
        stream.write(b"PK half a block")
        stream.flush()
        os.kill(os.getpid(), signal.SIGKILL)
    whole(stream, **arrays)
np.savez = savez
arrays = run_blocks(Path(sys.argv[1]), 10, 2, compute, key={}, stage="working")
assert (arrays["x"][:, 0] == np.arange(10.0) ** 2).all()
"""


def test_work_killed_in_the_middle_of_a_write_goes_on(tmp_path):
    command = [sys.executable, "-c", KILLED, str(tmp_path)]
    killed = subprocess.run([*command, "die"], capture_output=True, text=True)
    assert (killed.returncode, killed.stdout.split()) == (-9, ["0", "2", "4"])
    resumed = subprocess.run([*command, "live"], capture_output=True, text=True)
    assert (resumed.returncode, resumed.stdout.split()) == (0, ["4", "6", "8"]), resumed.stderr


# Threads


def test_parallel_results_keep_their_order():
    first_waits = threading.Event()

    def double(item: int) -> int:
        if item == 0:
            assert first_waits.wait(timeout=30)
        if item == 19:
            first_waits.set()
        return 2 * item

    assert parallel_map(double, range(20), workers=2) == [2 * item for item in range(20)]
    assert parallel_map(double, [], workers=2) == []


def test_an_exception_in_a_thread_comes_out():
    with pytest.raises(ZeroDivisionError):
        parallel_map(lambda item: 1 // item, [1, 0, 1], workers=2)


def test_the_number_of_threads_can_be_set(monkeypatch):
    monkeypatch.setenv("LEADAPRON_THREADS", "3")
    assert worker_count() == 3
    monkeypatch.delenv("LEADAPRON_THREADS")
    assert worker_count() >= 1


@pytest.mark.parametrize("value", ["0", "many", "-2", "1.5"])
def test_a_senseless_number_of_threads_is_named(monkeypatch, value):
    monkeypatch.setenv("LEADAPRON_THREADS", value)
    with pytest.raises(ConfigError, match=f"LEADAPRON_THREADS: .*got '{value}'; allowed: 1 or more"):
        worker_count()


# Compiled code


@pytest.fixture
def package_copy(tmp_path, monkeypatch):
    copy = tmp_path / "leadapron"
    shutil.copytree(Path(leadapron.__file__).parent, copy, ignore=shutil.ignore_patterns("__pycache__", "*weights"))
    monkeypatch.setattr(leadapron, "__file__", str(copy / "__init__.py"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return copy


@pytest.mark.parametrize(
    ("file", "matters"),
    [
        ("phantoms/brush.py", True),  # kernels that kernels in other files call
        ("phantoms/radiograph.py", True),
        ("phantoms/scene.py", True),  # no kernels, but constants that are compiled into them
        ("engine/compiled.py", True),
        ("cli/main.py", False),
    ],
)
def test_a_changed_kernel_gets_another_code_folder(package_copy, file, matters):
    before = _code_folder.__wrapped__()
    assert before == _code_folder.__wrapped__()
    assert before.is_dir()
    with (package_copy / file).open("a") as source:
        source.write("\nONE_MORE = 1\n")
    assert (_code_folder.__wrapped__() != before) == matters


@pytest.mark.usefixtures("package_copy")
def test_without_a_place_for_the_code_nothing_is_kept(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert _code_folder.__wrapped__() is None


def test_a_kernel_computes_what_the_function_does(monkeypatch):
    monkeypatch.setattr("leadapron.engine.compiled._code_folder", lambda: None)

    def harmonic(count: int) -> float:
        total = 0.0
        for number in range(1, count + 1):
            total += 1 / number
        return total

    assert kernel(harmonic)(20) == harmonic(20)


# Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "shown"), [(io.StringIO, False), (Terminal, True)])
def test_progress_is_shown_on_a_terminal_only(monkeypatch, stream, shown):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream())
    with terminal() as progress:
        progress("decoding images", 1, 2)
        progress("decoding images", 2, 2)
    assert ("decoding images" in sys.stderr.getvalue()) == shown
    assert bool(sys.stderr.getvalue()) == shown


def test_lines_tell_each_minute_how_far_it_is_and_how_long_it_takes(capsys):
    now = [0.0]
    show = lines(lambda: now[0])
    for second, done in ((0, 2), (30, 3), (60, 4), (90, 5), (150, 10), (151, 10)):
        now[0] = second
        show(noted("encoding images", "3 nodes" if second < 100 else "1 node"), done, 10)
    assert capsys.readouterr().err.splitlines() == [
        "encoding images · 3 nodes: 2 of 10",
        "encoding images · 3 nodes: 4 of 10, about 3 min left",
        "encoding images · 1 node: 10 of 10",
    ]


def test_lines_are_shown_where_they_are_asked_for(monkeypatch, capsys):
    for asked, shown in (("lines", "working: 1 of 2\n"), ("", "")):
        monkeypatch.setenv("LEADAPRON_PROGRESS", asked)
        with terminal() as progress:
            progress("working", 1, 2)
        assert capsys.readouterr().err == shown
