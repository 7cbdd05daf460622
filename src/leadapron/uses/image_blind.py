"""Reports that nobody looked at an image for, and reports dealt to other patients: what scores must be read beside."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from leadapron.writing import Pairs
from leadapron.writing.scores.finding_f1 import findings_of

Ints = NDArray[np.int64]


def most_frequent(known: Sequence[str], wanted: int) -> list[str]:
    """The report that stands most often, every time; the first of equals by the alphabet."""
    counted = Counter(known)
    return [min(counted, key=lambda report: (-counted[report], report))] * wanted


def with_same_labels(known: Sequence[str], truth: Sequence[str], seed: int) -> tuple[list[str], float]:
    """For every true report another patient's with the same findings, or with as few others as there are.

    The second is how often the findings are the very same.
    """
    by_findings: dict[frozenset[str], list[str]] = defaultdict(list)
    for report in known:
        by_findings[findings_of(report)].append(report)
    sets = sorted(by_findings, key=sorted)
    rng = np.random.default_rng(seed)
    drawn, exact = [], 0
    for report in truth:
        wanted = findings_of(report)
        exact += wanted in by_findings
        nearest = wanted if wanted in by_findings else min(sets, key=lambda other: len(other ^ wanted))
        drawn.append(by_findings[nearest][int(rng.integers(len(by_findings[nearest])))])
    return drawn, exact / len(truth)


def shuffled(pairs: Pairs, seed: int) -> Pairs:
    """The same images with other patients' reports."""
    dealt = dealt_to_others(pairs.patients, seed)
    return replace(pairs, reports=tuple(pairs.reports[row] for row in dealt))


def dealt_to_others(patients: NDArray[np.str_], seed: int) -> Ints:
    """For every row another one, each once, of another patient; as far as one patient does not have half of all."""
    names, owner, counts = np.unique(patients, return_inverse=True, return_counts=True)
    place = np.random.default_rng(seed).permutation(len(names))[owner]
    order = np.argsort(place, kind="stable")
    dealt = np.empty(len(order), dtype=np.int64)
    dealt[order] = np.roll(order, int(counts.max()))
    return dealt
