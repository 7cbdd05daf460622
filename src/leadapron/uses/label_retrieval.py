"""Label retrieval: among the reports of other patients, does an image find those of the same disease?

It is the use that a shared space is built for, and unlike linkage it betrays nobody: the query's own patient is left
out. Every query is scored against every report of the test split. Ties at the tenth place are broken at random, of
which the expectation is taken, and reports that are equal, bit by bit, tie exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.cohort.truth import Labels
from leadapron.engine import Progress, kernel, parallel_map, silent
from leadapron.release import Release
from leadapron.release.rows import distinct_rows, unit
from leadapron.uses.finding_scores import LIKENESSES

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

FIRST = 10
SCORES_AT_ONCE = 2**23


@dataclass(frozen=True)
class Retrieval:
    """For each test record and measure of likeness: of the ten reports found, and of reports drawn blindly."""

    found: dict[str, Floats]
    chance: dict[str, Floats]
    reports: int


def label_retrieval(release: Release, labels: Labels, patient: Ints, *, progress: Progress = silent) -> Retrieval | str:
    """All measures of all test records that have labels, or why there are none.

    ``precision@10`` is the share of reports with the very same positive labels, ``jaccard@10`` the shared share of the
    positive labels of either (1 where neither has any), ``agreement@10`` the share of labels in which both agree.
    """
    if "text" not in release.arrays:
        return "the release holds no reports"
    if release.text.shape[1] != release.image.shape[1]:
        return f"reports of {release.text.shape[1]} and images of {release.image.shape[1]} dimensions share no space"
    labelled = np.flatnonzero(labels.known.any(axis=1))
    codes = labels.codes()
    reports = _first_rows(release.records, labelled)
    strangers = len(reports) - np.bincount(patient[reports], minlength=patient.max() + 1)[patient[labelled]]
    if not len(labelled) or strangers.min() < FIRST:
        return f"fewer than {FIRST} reports with labels are of other patients"

    first, text_of = distinct_rows(release.text[reports])
    texts = release.text[reports[first]]
    texts = unit(texts)
    order = np.argsort(text_of, kind="stable")
    starts = np.append(np.flatnonzero(np.diff(text_of[order], prepend=-1)), len(order))
    report_patient, report_code = patient[reports][order], codes[reports][order]
    found = np.full((len(release), len(LIKENESSES)), np.nan)
    at_once = max(1, SCORES_AT_ONCE // len(texts))
    blocks = [labelled[start : start + at_once] for start in range(0, len(labelled), at_once)]

    def search(rows: Ints) -> None:
        scores = unit(release.image[rows]) @ texts.T
        found[rows] = _likeness_of_first(
            scores, patient[rows], codes[rows], starts, report_patient, report_code, len(labels.names)
        )

    with threadpool_limits(1, user_api="blas"):
        for done in range(0, len(blocks), 16):
            progress("retrieving by label", done, len(blocks))
            parallel_map(search, blocks[done : done + 16])
    progress("retrieving by label", len(blocks), len(blocks))
    chance = np.full_like(found, np.nan)
    chance[labelled] = _blind_likeness(patient, codes, labelled, reports, len(labels.names))
    return Retrieval(_columns(found), _columns(chance), len(reports))


def _columns(values: Floats) -> dict[str, Floats]:
    return {name: np.ascontiguousarray(values[:, at]) for at, name in enumerate(LIKENESSES)}


def _first_rows(records: pl.DataFrame, rows: Ints) -> Ints:
    """The first row of each report among these rows: images that share a report share one candidate."""
    key = "report_id" if "report_id" in records.columns else "record_id"
    first: Ints = rows[records[key][rows.tolist()].is_first_distinct().to_numpy()]
    return first


def _blind_likeness(patient: Ints, codes: Ints, queries: Ints, reports: Ints, labels: int) -> Floats:
    """The mean likeness of a query to all reports of other patients. It depends on its labels and its patient alone."""
    distinct, place = np.unique(codes[queries], return_inverse=True)
    other, counts = np.unique(codes[reports], return_counts=True)
    sums = _sums(distinct, other, counts, labels)[place]
    order = np.argsort(patient[reports], kind="stable")
    starts = np.searchsorted(patient[reports][order], np.arange(patient.max() + 2))
    _take_own(sums, patient[queries], codes[queries], starts, codes[reports][order], labels)
    own = np.diff(starts)[patient[queries]]
    means: Floats = sums / (len(reports) - own)[:, None]
    return means


@kernel
def _ones(bits: int) -> int:
    """How many bits are set."""
    count = 0
    while bits:
        bits &= bits - 1
        count += 1
    return count


@kernel
def _add_likeness(total: Floats, mine: int, other: int, labels: int, times: float) -> None:
    either = _ones(mine | other)
    total[0] += times if mine == other else 0.0
    total[1] += times * (_ones(mine & other) / either if either else 1.0)
    total[2] += times * (1.0 - _ones(mine ^ other) / labels)


@kernel
def _sums(queries: Ints, others: Ints, counts: Ints, labels: int) -> Floats:
    sums = np.zeros((len(queries), 3))
    for row in range(len(queries)):
        for at in range(len(others)):
            _add_likeness(sums[row], queries[row], others[at], labels, float(counts[at]))
    return sums


@kernel
def _take_own(sums: Floats, patient: Ints, codes: Ints, starts: Ints, report_code: Ints, labels: int) -> None:
    for row in range(len(sums)):
        for at in range(starts[patient[row]], starts[patient[row] + 1]):
            _add_likeness(sums[row], codes[row], report_code[at], labels, -1.0)


@kernel
def _likeness_of_first(
    scores: NDArray[np.float32], patient: Ints, codes: Ints, starts: Ints, report_patient: Ints, report_code: Ints,
    labels: int,
) -> Floats:  # fmt: skip
    """The mean likeness of the first ten reports of others; text t has ``starts[t]`` to ``starts[t + 1]``."""
    means = np.zeros((len(scores), 3))
    best = np.empty(FIRST, dtype=np.float32)
    above, level = np.empty(3), np.empty(3)
    for row in range(len(scores)):
        line, mine, code = scores[row], patient[row], codes[row]
        best[:] = -np.inf  # the ten highest scores of reports, the lowest first
        for text in range(len(line)):
            score = line[text]
            if score > best[0]:
                slots = FIRST
                for report in range(starts[text], starts[text + 1]):
                    if report_patient[report] != mine:
                        place = 0
                        while place + 1 < FIRST and best[place + 1] < score:
                            best[place] = best[place + 1]
                            place += 1
                        best[place] = score
                        slots -= 1
                        if slots == 0:
                            break
        bar = best[0]
        above[:] = 0.0
        level[:] = 0.0
        many_above, many_level = 0, 0
        for text in range(len(line)):
            if line[text] >= bar:
                for report in range(starts[text], starts[text + 1]):
                    if report_patient[report] != mine:
                        if line[text] > bar:
                            many_above += 1
                            _add_likeness(above, code, report_code[report], labels, 1.0)
                        else:
                            many_level += 1
                            _add_likeness(level, code, report_code[report], labels, 1.0)
        for at in range(3):
            means[row, at] = (above[at] + (FIRST - many_above) * level[at] / many_level) / FIRST
    return means
