"""The work on reports: patient by patient, on all cores, in parts that survive a kill."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import polars as pl

from leadapron import __version__
from leadapron.defences.reports.date_shift import whole_date
from leadapron.defences.reports.stand_ins import WORD, StandIns
from leadapron.engine import Progress, silent
from leadapron.engine.files import atomic_path
from leadapron.engine.ours import claim
from leadapron.engine.parallel import worker_count
from leadapron.engine.private import private_folder
from leadapron.engine.processes import end_with_parent
from leadapron.reports.identifiers.categories import Span
from leadapron.reports.identifiers.finder import Finder
from leadapron.reports.identifiers.lexicon import lexicon
from leadapron.reports.identifiers.patient_facts import Facts
from leadapron.reports.report_set import SPANS

INITIALS = "initials"
"""The recogniser of letters that are nobody's whole name."""
ROW: dict[str, Any] = {
    "record_id": pl.String,
    "report": pl.String,
    "spans": pl.List(pl.Struct({name: kind for name, kind in SPANS.items() if name != "record_id"})),
}


@dataclass(frozen=True)
class Case:
    """All reports of one patient, and what is known of the patient; ``spans`` are given instead of being searched."""

    patient: str
    records: tuple[str, ...]
    texts: tuple[str, ...]
    facts: Facts | None = None
    spans: tuple[tuple[Span, ...], ...] | None = None


@dataclass(frozen=True)
class Scrubber:
    """How identifiers are found and what is written instead."""

    key: bytes
    replace: str
    finder: Finder

    def scrub(self, cases: Sequence[Case]) -> pl.DataFrame:
        """A row per report: record_id, report, and its spans as a list."""
        rows = [row for case in cases for row in self._rows(case)]
        return pl.DataFrame(rows, schema=ROW, orient="row")

    def _rows(self, case: Case) -> Iterator[tuple[str, str, list[dict[str, object]]]]:
        found = self.finder.find(case.texts, case.facts) if case.spans is None else case.spans
        stand_ins = StandIns(self.key, case.patient, _names(case.texts, found))
        for record, text, spans in zip(case.records, case.texts, found, strict=True):
            yield record, self._replaced(text, spans, stand_ins), [span._asdict() for span in spans]

    def _replaced(self, text: str, spans: Sequence[Span], stand_ins: StandIns) -> str:
        days = (whole_date(text[span.start : span.end]) for span in spans if span.category == "date")
        near = max((day for day in days if day), default=None)  # of the study or the dictation, and not of birth
        out, at = [], 0
        for span in spans:
            out.append(text[at : span.start])
            if self.replace == "tag":
                out.append(f"[{span.category.upper()}]")
            elif self.replace == "surrogate":
                said = text[span.start : span.end]
                out.append(stand_ins.of(span.category, said, initials=span.recogniser == INITIALS, near=near))
            at = span.end
        return "".join([*out, text[at:]])


def _names(texts: Sequence[str], found: Sequence[Sequence[Span]]) -> Iterator[tuple[str, str]]:
    for text, spans in zip(texts, found, strict=True):
        for span in spans:
            if span.category in ("name", "staff") and span.recogniser != INITIALS:
                words = WORD.findall(text[span.start : span.end])
                yield from ((span.category, word) for word in words if len(word) > 1)


@dataclass(frozen=True)
class Work:
    """How the work is divided, and where finished parts are kept until the whole is done.

    ``said`` tells what they depend on beside reports and key. Other processes begin by importing the main program,
    which a user's script may not be made for: without a folder there are none.
    """

    folder: Path | None = None
    said: Mapping[str, object] = field(default_factory=dict)
    part: int = 250
    """Reports in one part, whatever the number of cores, so that a run may go on with another one."""
    alone: int = 1_500
    """Below so many reports, starting other processes takes longer than it saves."""


def scrub_all(
    scrubber: Scrubber, cases: Sequence[Case], work: Work | None = None, progress: Progress = silent
) -> pl.DataFrame:
    """A row per report, in the order of the cases."""
    work = work or Work()
    parts = _parts(cases, work.part)
    total = sum(len(case.texts) for case in cases)
    folder = None if work.folder is None else _place(work, scrubber, parts)
    done = {} if folder is None else _kept(folder, len(parts))
    finished = sum(map(len, done.values()))
    progress("reports", finished, total)
    missing = [at for at in range(len(parts)) if at not in done]
    several = folder is not None and total - finished >= work.alone and worker_count() > 1
    todo = [parts[at] for at in missing]
    several = several and not scrubber.finder.recognisers  # models stay where they were loaded
    tables = _on_all_cores(scrubber, todo) if several else map(scrubber.scrub, todo)
    for at, table in zip(missing, tables, strict=True):
        if folder is not None:
            with atomic_path(_file(folder, at), private=True) as path:
                table.write_parquet(path)
        done[at], finished = table, finished + len(table)
        progress("reports", finished, total)
    return pl.concat([done[at] for at in range(len(parts))])


def _on_all_cores(scrubber: Scrubber, parts: Sequence[Sequence[Case]]) -> Iterator[pl.DataFrame]:
    lexicon()  # here first: a package that is missing is told from this process
    with ProcessPoolExecutor(worker_count(), multiprocessing.get_context("spawn"), initializer=_begin) as pool:
        yield from pool.map(scrubber.scrub, parts)


def _begin() -> None:
    threading.Thread(target=end_with_parent, kwargs={"patience": 0.0}, daemon=True).start()  # nothing to clean up
    lexicon()


def _parts(cases: Sequence[Case], most: int) -> list[list[Case]]:
    """Patients in order, about equally many reports in each part; a patient is never divided."""
    parts: list[list[Case]] = [[]]
    size = 0
    for case in cases:
        if size >= most:
            parts.append([])
            size = 0
        parts[-1].append(case)
        size += len(case.texts)
    return parts


def _place(work: Work, scrubber: Scrubber, parts: Sequence[Sequence[Case]]) -> Path:
    """A folder of its own for the same reports, key and settings, so that a run goes on only where it is the same."""
    assert work.folder is not None
    digest = hashlib.sha256(scrubber.key)
    settings = {"leadapron": __version__, "part": work.part, "replace": scrubber.replace, **work.said}
    digest.update(json.dumps(settings, sort_keys=True, default=str).encode())
    for case in (case for part in parts for case in part):
        digest.update(json.dumps([case.patient, case.records, case.texts]).encode())
    folder = private_folder(private_folder(work.folder) / digest.hexdigest()[:16])
    claim(folder, *(_file(folder, at).name for at in range(len(parts))), scratch=True)
    return folder


def _file(folder: Path, at: int) -> Path:
    return folder / f"part-{at:06d}.parquet"


def _kept(folder: Path, parts: int) -> dict[int, pl.DataFrame]:
    return {at: pl.read_parquet(_file(folder, at)) for at in range(parts) if _file(folder, at).is_file()}
