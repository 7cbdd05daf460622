"""The work: finished parts survive a kill, and neither parts nor processes change a letter."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

import process_tasks
from command_line import everything_in
from deid_reports import KEY, OTHER_KEY, ROWS
from leadapron.defences.reports.report_scrubber import Case, Scrubber, Work, scrub_all
from leadapron.reports.identifiers.categories import Span
from leadapron.reports.identifiers.finder import Finder


class Killed(BaseException):
    """As Ctrl-C is: no error of the program."""


class Falling(Finder):
    """A finder that notes whose reports it sees, and falls at one of them."""

    def find(self, texts, facts=None):
        SEEN.extend(texts)
        if any("FALL" in text for text in texts) and FALLS:
            raise Killed
        return super().find(texts, facts)


SEEN: list[str] = []
FALLS: list[bool] = []


@pytest.fixture(autouse=True)
def _forget():
    SEEN.clear()
    FALLS.clear()


def cases(count=6):
    return [
        Case(f"p{at}", (f"r{at}a", f"r{at}b"), (f"Patient: Amara Okafor {at}.", "FALL" if at == 3 else "Lungs clear."))
        for at in range(count)
    ]


def test_a_run_goes_on_where_it_was_killed(tmp_path):
    scrubber, work = Scrubber(KEY, "surrogate", Falling()), Work(tmp_path / "work", {"a": 1}, part=4)
    whole = scrub_all(scrubber, cases())
    SEEN.clear()
    FALLS.append(True)
    with pytest.raises(Killed):
        scrub_all(scrubber, cases(), work)
    assert len([name for name in everything_in(tmp_path) if name.endswith(".parquet")]) == 1
    first = list(SEEN)
    FALLS.clear()
    SEEN.clear()
    told = []
    again = scrub_all(scrubber, cases(), work, lambda _, done, total: told.append((done, total)))
    assert again.equals(whole)
    assert first[0] not in SEEN
    assert len(SEEN) == 8
    assert told == [(4, 12), (8, 12), (12, 12)]


@pytest.mark.parametrize("changed", ["key", "replace", "settings", "reports", "patients", "part"])
def test_a_run_that_is_another_one_begins_anew(tmp_path, changed):
    scrubber, work = Scrubber(KEY, "surrogate", Falling()), Work(tmp_path, {"a": 1}, part=4)
    scrub_all(scrubber, cases(), work)
    SEEN.clear()
    mine = cases()
    if changed == "key":
        scrubber = replace(scrubber, key=OTHER_KEY)
    elif changed == "replace":
        scrubber = replace(scrubber, replace="tag")
    elif changed == "settings":
        work = replace(work, said={"a": 2})
    elif changed == "reports":
        mine = [replace(mine[0], texts=("Another.", "Report.")), *mine[1:]]
    elif changed == "patients":
        mine = [replace(mine[0], patient="q"), *mine[1:]]
    else:
        work = replace(work, part=2)
    found = scrub_all(scrubber, mine, work)
    assert len(SEEN) == 12
    assert found.equals(scrub_all(scrubber, mine))


def test_what_is_kept_is_for_its_owner_alone_and_is_not_the_original(tmp_path):
    scrub_all(Scrubber(KEY, "tag", Finder()), cases(), Work(tmp_path / "work"))
    for path in (tmp_path / "work").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0
        assert path.is_dir() or b"Okafor" not in path.read_bytes()


@pytest.mark.parametrize("processes", [1, 2])
def test_several_processes_write_what_one_does(tmp_path, monkeypatch, processes):
    monkeypatch.setenv("LEADAPRON_THREADS", str(processes))
    many = [Case(f"p{at}", tuple(f"{at}-{row[0]}" for row in ROWS), tuple(row[2] for row in ROWS)) for at in range(8)]
    scrubber = Scrubber(KEY, "surrogate", Finder(remove=("unchanged",)))
    found = scrub_all(scrubber, many, Work(tmp_path, part=3, alone=2))
    assert found.equals(scrub_all(scrubber, many))


def test_no_process_outlives_the_run_that_was_killed(tmp_path):
    code = (
        "import multiprocessing, pathlib, sys, process_tasks; from concurrent.futures import ProcessPoolExecutor\n"
        "from leadapron.defences.reports.report_scrubber import _begin\n"
        "pool = ProcessPoolExecutor(2, multiprocessing.get_context('spawn'), initializer=_begin)\n"
        "[pool.submit(process_tasks.wait_for_ever, pathlib.Path(place)).result for place in sys.argv[1:]][1]()"
    )
    places = [tmp_path / "one", tmp_path / "two"]
    for place in places:
        place.mkdir()
    here = Path(process_tasks.__file__).parent
    with subprocess.Popen([sys.executable, "-c", code, *places], cwd=here, stdout=subprocess.PIPE) as parent:
        deadline = time.monotonic() + 60
        while not all((place / "waiting").exists() for place in places):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        parent.kill()
        parent.communicate(timeout=30)  # until all have ended that could write there


def test_given_spans_are_replaced_and_nothing_is_searched():
    given = ((Span(0, 7, "name", "given"),), ())
    case = Case("p", ("a", "b"), ("Patient: Amara Okafor.", "Amara"), spans=given)
    found = scrub_all(Scrubber(KEY, "tag", Falling()), [case])
    assert found["report"].to_list() == ["[NAME]: Amara Okafor.", "Amara"]
    assert found["spans"].to_list() == [[{"start": 0, "end": 7, "category": "name", "recogniser": "given"}], []]
    assert not SEEN
