"""What a reader of released reports marks: stand-ins and leaks, which look alike, each with where it stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from leadapron.attacks.reports.copied_stretches import Aligned, align
from leadapron.attacks.reports.open_words import RUN, covered_by, open_parts
from leadapron.attacks.reports.report_cases import Case
from leadapron.attacks.reports.true_spans import Span

Part = tuple[int, int]
"""Characters of the released report."""


@dataclass(frozen=True)
class Mark:
    """One identifier that a reader marks, in one report."""

    report: int
    parts: tuple[Part, ...]
    category: str
    leak: bool


@dataclass(frozen=True)
class Marked:
    """Released reports, whose they are, and what is marked in them. ``apart`` reports could not be aligned."""

    texts: tuple[str, ...]
    records: tuple[str, ...]
    patients: tuple[str, ...]
    marks: tuple[Mark, ...]
    apart: int = 0

    def only(self, patients: set[str]) -> Marked:
        """The reports of these patients."""
        kept = [at for at, patient in enumerate(self.patients) if patient in patients]
        place = {at: new for new, at in enumerate(kept)}
        marks = tuple(replace(one, report=place[one.report]) for one in self.marks if one.report in place)
        texts, records, patients_ = (
            tuple(column[at] for at in kept) for column in (self.texts, self.records, self.patients)
        )
        return Marked(texts, records, patients_, marks, self.apart)

    @property
    def leaks(self) -> int:
        return sum(mark.leak for mark in self.marks)


def mark(cases: Sequence[Case]) -> Marked:
    """Stand-ins are what was put in the place of found spans; leaks are true identifiers that were copied."""
    kept: list[Case] = []
    marks: list[Mark] = []
    apart = 0
    for case in cases:
        aligned = align(case.source, case.released, case.found)
        if aligned is None:
            apart += 1
            continue
        marks += [*_stand_ins(case, aligned, len(kept)), *_leaks(case, aligned, len(kept))]
        kept.append(case)
    texts, records, patients = (
        zip(*((one.released, one.record, one.patient) for one in kept), strict=True) if kept else ((), (), ())
    )
    return Marked(texts, records, patients, tuple(marks), apart)


def _stand_ins(case: Case, aligned: Aligned, report: int) -> list[Mark]:
    """Something with a letter or a digit in the place of what was found; where nothing stands, nothing is marked."""
    return [
        Mark(report, ((block.at, block.upto),), block.category, leak=False)
        for block in aligned.blocks
        if RUN.search(case.released, block.at, block.upto)
    ]


def _leaks(case: Case, aligned: Aligned, report: int) -> list[Mark]:
    covered, found = covered_by(case.found, len(case.source)), []
    for span in case.truth:
        parts = [_moved(part, aligned) for part in open_parts(span, case.source, covered)]
        if parts:
            found.append(Mark(report, tuple(parts), span.category, leak=True))
    return found


def _moved(part: Span, aligned: Aligned) -> Part:
    """What is not covered was copied, so it has a place."""
    first = aligned.released_at(part.start)
    assert first is not None
    return first, first + part.end - part.start


def with_made_up_leaks(marked: Marked, share: float, seed: int) -> Marked:
    """Stand-ins alone, a part of which are called leaks: there is nothing to tell these by."""
    stand_ins = [mark for mark in marked.marks if not mark.leak]
    drawn = np.random.default_rng(seed).permutation(len(stand_ins))[: max(1, round(share * len(stand_ins)))]
    called = set(drawn.tolist())
    return replace(marked, marks=tuple(replace(one, leak=at in called) for at, one in enumerate(stand_ins)))


def with_planted_leaks(marked: Marked, share: float, seed: int) -> Marked:
    """Stand-ins, and in a part of the reports a name that nobody would find: an invented word among ordinary ones."""
    rng = np.random.default_rng(seed)
    chosen = set(rng.permutation(len(marked.texts))[: max(1, round(share * len(marked.texts)))].tolist())
    texts, marks = list(marked.texts), []
    by_report: dict[int, list[Mark]] = {}
    for one in marked.marks:
        if not one.leak:
            by_report.setdefault(one.report, []).append(one)
    for report, text in enumerate(marked.texts):
        own = by_report.get(report, [])
        free = _gaps(text, own) if report in chosen else []
        if free:
            place, word = free[int(rng.integers(len(free)))], _invented(rng)
            texts[report] = f"{text[:place]} {word}{text[place:]}"
            own = [_shifted(one, place, len(word) + 1) for one in own]
            own.append(Mark(report, ((place + 1, place + 1 + len(word)),), "name", leak=True))
        marks += own
    return replace(marked, texts=tuple(texts), marks=tuple(marks))


def _gaps(text: str, marks: Sequence[Mark]) -> list[int]:
    """Spaces between lower-case words that are no part of anything marked."""
    taken = covered_by((Span(*part, "") for one in marks for part in one.parts), len(text))
    return [
        at
        for at in range(1, len(text) - 1)
        if text[at] == " " and text[at - 1].islower() and text[at + 1].islower() and not any(taken[at - 1 : at + 2])
    ]


def _invented(rng: np.random.Generator) -> str:
    syllables = rng.integers(2, 4)
    return "".join(str(rng.choice(list("bdfgklmnprstvz"))) + str(rng.choice(list("aeiou"))) for _ in range(syllables))


def _shifted(one: Mark, place: int, by: int) -> Mark:
    return replace(one, parts=tuple((at + by, upto + by) if at >= place else (at, upto) for at, upto in one.parts))
