"""Runs of words that only one patient's reports have: whoever writes one has it from there, or by coincidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from leadapron.writing.scores import report_words

Run = tuple[str, ...]
SEVERAL = -1


@dataclass(frozen=True)
class Owned:
    """Runs, each with the number of the only patient who has it."""

    owner: dict[Run, int]

    @cached_property
    def holders(self) -> frozenset[int]:
        """Patients who have a run of their own; of others nothing can be recited."""
        return frozenset(self.owner.values())

    def recited(self, text: str) -> frozenset[int]:
        """The patients of whom a run stands in the text."""
        words = report_words(text)
        runs = (run for length in self._lengths for run in runs_of_words(words, length))
        return frozenset(self.owner[run] for run in runs if run in self.owner)

    @cached_property
    def _lengths(self) -> frozenset[int]:
        return frozenset(map(len, self.owner))


def runs_of_words(words: Sequence[str], length: int) -> Iterator[Run]:
    return zip(*(words[start:] for start in range(length)), strict=False)


def owned_runs(reports: Sequence[str], patients: Sequence[int], length: int) -> Owned:
    """All runs of so many words that only one patient has."""
    owner: dict[Run, int] = {}
    for report, patient in zip(reports, patients, strict=True):
        for run in runs_of_words(report_words(report), length):
            if owner.setdefault(run, patient) != patient:
                owner[run] = SEVERAL
    return Owned({run: patient for run, patient in owner.items() if patient != SEVERAL})


def owned_texts(texts: Iterable[tuple[str, int]], reports: Sequence[str] = (), patients: Sequence[int] = ()) -> Owned:
    """The same of given texts, each with its patient, such as names: those that no other patient's reports have."""
    owner: dict[Run, int] = {}
    for text, patient in texts:
        run = tuple(report_words(text))
        if run and owner.setdefault(run, patient) != patient:
            owner[run] = SEVERAL
    lengths = {len(run) for run in owner}
    for report, patient in zip(reports, patients, strict=True):
        words = report_words(report)
        for length in lengths:
            for run in runs_of_words(words, length):
                if owner.get(run, patient) != patient:
                    owner[run] = SEVERAL
    return Owned({run: patient for run, patient in owner.items() if patient != SEVERAL})
