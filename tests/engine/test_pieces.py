"""Work in pieces: made once whoever is killed, half-written ones never counted, late ones without harm."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import piece_tasks
from leadapron.engine.crew import Processes
from leadapron.engine.executors import Here, Part
from leadapron.engine.once import write_once
from leadapron.engine.ours import hidden_beside, is_partial
from leadapron.engine.pieces import Piece, Work, make_pieces, write_piece
from leadapron.errors import ConfigError, DataError, LeadapronError, PartDoneError, UnfinishedError
from piece_tasks import logged, read_squares, square, squaring

EXECUTORS = [Here(), Processes(2)]


def there(work: Work) -> list[int]:
    missing = {piece.needs for piece in work.missing()}
    return [piece.needs for piece in work.pieces if piece.needs not in missing]


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("together", [1, 3, 50])
def test_every_piece_is_made_once_in_groups_of_any_size(tmp_path, executor, together):
    work = squaring(tmp_path, 7, together=together)
    executor.run(work)
    assert read_squares(work) == [number**2 for number in range(7)]
    assert Counter(logged(tmp_path)) == Counter(range(7))
    executor.run(work)
    assert len(logged(tmp_path)) == 7, "what is there is not made again"


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 12),
    together=st.integers(1, 5),
    stops=st.lists(st.integers(0, 11), max_size=4),
    removed=st.sets(st.integers(0, 11)),
    half=st.sets(st.integers(0, 11)),
)
def test_killed_anywhere_and_gone_on_with_gives_what_one_run_gives(count, together, stops, removed, half):
    """Stopped at any piece, any number of times, with half-written files about and finished ones removed by hand."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        for stop in stops:
            if stop < count:
                broken = squaring(folder, count, together=together, refuse=stop)
                before = set(there(broken))
                if stop in before:
                    Here().run(broken)
                else:
                    with pytest.raises(DataError, match="this will not do"):
                        Here().run(broken)
                assert before <= set(there(broken))
        work = squaring(folder, count, together=together)
        for number in half & set(range(count)):
            hidden_beside(work.pieces[number].target).write_bytes(b"PK half")
        for number in removed & set(there(work)):
            work.pieces[number].target.unlink()
        made_before = len(logged(folder))
        wanted = len(work.missing())
        Here().run(work)
        assert len(logged(folder)) - made_before == wanted, "what is there is not made again"
        assert read_squares(work) == [number**2 for number in range(count)]
        assert not [path for path in (folder / "pieces").iterdir() if is_partial(path)]


@settings(max_examples=40, deadline=None)
@given(order=st.permutations(range(6)), late=st.lists(st.integers(0, 5), max_size=6))
def test_the_order_of_ends_does_not_matter_and_who_comes_late_does_no_harm(order, late):
    with tempfile.TemporaryDirectory() as place:
        work = squaring(Path(place), 6)
        for number in order:
            assert write_piece(work.pieces[number].target, square(number))
        before = {piece.target: (piece.target.read_bytes(), piece.target.stat().st_ino) for piece in work.pieces}
        for number in late:  # what an orphan has, even if it were another thing
            assert not write_piece(work.pieces[number].target, {"square": np.array([-1])})
        assert {path: (path.read_bytes(), path.stat().st_ino) for path in before} == before
        assert read_squares(work) == [number**2 for number in range(6)]


def test_who_comes_late_does_not_make_a_folder_that_was_removed(tmp_path):
    (tmp_path / "gone").mkdir()
    piece = Piece(tmp_path / "gone" / "000.npz", 0)
    piece.target.parent.rmdir()
    with pytest.raises(DataError, match="gone: the folder of a finished piece is not there"):
        write_piece(piece.target, b"late")
    assert list(tmp_path.iterdir()) == []


def test_who_is_still_writing_when_another_has_cleared_away_does_no_harm(tmp_path):
    target = tmp_path / "000.npz"

    def overtaken(stream) -> None:
        stream.write(b"second")
        (half,) = tmp_path.iterdir()
        write_once(target, lambda other: other.write(b"first"))
        half.unlink()

    assert not write_once(target, overtaken)
    assert target.read_bytes() == b"first"


def test_what_others_have_made_meanwhile_is_not_made(tmp_path):
    work = squaring(tmp_path, 3)
    write_piece(work.pieces[1].target, square(1))
    make_pieces(work.here, work.pieces)
    assert logged(tmp_path) == [0, 2]


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize(("fault", "said"), [("refuse", "number 3: this will not do"), ("full", "No space left")])
def test_an_error_ends_the_work_and_keeps_what_is_finished(tmp_path, executor, fault, said):
    work = squaring(tmp_path, 8, **{fault: 3})
    with pytest.raises((LeadapronError, OSError), match=said) as caught:
        executor.run(work)
    assert getattr(caught.value, "exit_code", 2) == 2
    assert set(there(work)) >= ({0, 1, 2} if isinstance(executor, Here) else set())
    assert 3 not in there(work)
    before = {number: work.pieces[number].target.stat().st_ino for number in there(work)}
    executor.run(squaring(tmp_path, 8))
    assert {number: work.pieces[number].target.stat().st_ino for number in before} == before


def test_progress_counts_what_is_there(tmp_path):
    work = squaring(tmp_path, 3)
    write_piece(work.pieces[2].target, square(2))
    seen = []
    Here().run(work, progress=lambda *said: seen.append(said))
    assert seen == [(piece_tasks.STAGE, done, 3) for done in (1, 2, 3)]


# Processes


def test_what_a_killed_process_was_at_is_taken_over(tmp_path):
    work = squaring(tmp_path, 9, together=3, kill=4)
    Processes(2).run(work)
    assert read_squares(work) == [number**2 for number in range(9)]
    assert Counter(logged(tmp_path)) == Counter(range(9)), "3 was written before the kill, and is not made again"


def test_when_all_are_killed_it_says_so_and_the_same_goes_on(tmp_path):
    work = squaring(tmp_path, 6, **{"kill always": 2})
    with pytest.raises(UnfinishedError, match=r"all 2 processes were killed; 5 of 6 pieces are finished") as caught:
        Processes(2).run(work)
    assert caught.value.exit_code == 3
    Processes(2).run(squaring(tmp_path, 6))
    assert sorted(logged(tmp_path)) == list(range(6))


def test_work_of_one_process_is_refused_to_several(tmp_path):
    work = replace(squaring(tmp_path, 2), recipe=None)
    with pytest.raises(ConfigError, match="--jobs: squaring is work of one process"):
        Processes(2).run(work)


KILLED = """
import sys
from pathlib import Path
from leadapron.engine.crew import Processes
from leadapron.engine.executors import Here
from piece_tasks import squaring
executor = Processes(2) if sys.argv[2] == "2" else Here()
executor.run(squaring(Path(sys.argv[1]), 12, seconds=0.05))
"""


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_killed_in_the_middle_it_goes_on(tmp_path, jobs):
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, tmp_path, jobs], cwd=Path(piece_tasks.__file__).parent
    ) as process:
        while len(logged(tmp_path)) < 3:
            assert process.poll() is None
        process.kill()
    before = {path.name: path.stat().st_ino for path in (tmp_path / "pieces").glob("*.npz")}
    assert 2 <= len(before) < 12
    work = squaring(tmp_path, 12)
    Here().run(work)
    assert read_squares(work) == [number**2 for number in range(12)]
    assert before.items() <= {piece.target.name: piece.target.stat().st_ino for piece in work.pieces}.items()


# Parts


def test_parts_make_every_piece_once_and_what_follows_is_not_theirs(tmp_path):
    work = squaring(tmp_path, 7)
    for number in (2, 1, 3):
        with pytest.raises(PartDoneError, match=rf"part {number} of 3 is done; \d of 7 pieces are there") as told:
            Part(number, 3, Here()).run(work)
        assert told.value.exit_code == 0
    assert logged(tmp_path) == [1, 4, 0, 3, 6, 2, 5]
    Here().run(work)
    Part(1, 3, Here()).run(work)
    assert len(logged(tmp_path)) == 7


def test_more_parts_than_pieces(tmp_path):
    with pytest.raises(PartDoneError, match="part 5 of 9 is done; 0 of 2"):
        Part(5, 9, Here()).run(squaring(tmp_path, 2))
