"""Microaggregation: groups of near rows, each with at least k patients.

Maximum distance to average vector (MDAV; Domingo-Ferrer and Torra, 2005), with patients in the place of rows: the row
farthest from the mean starts a group and takes its nearest rows until k patients are in; then the row farthest from
that one does. What is left in the end, fewer than k patients, joins the nearest group. MDAV takes time quadratic in the
rows, so a large table is halved along its main axis first.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits

from leadapron.defences.vectors.defended import Doubles, Floats, Ints

MOST_AT_ONCE = 8192
ROWS_FOR_AXIS = 4096
NOBODY = -1


def group_rows(rows: Floats, patients_of: sparse.csr_array, k: int, *, most: int = MOST_AT_ONCE) -> Ints:
    """For each row the number of its group; ``patients_of`` (rows x patients) says whose it is.

    A row that k patients share already is a group by itself. At least k patients are needed in all.
    """
    group = np.full(len(rows), NOBODY, dtype=np.int64)
    shared = np.diff(patients_of.indptr) >= k
    group[shared] = np.arange(np.count_nonzero(shared))
    with threadpool_limits(1, user_api="blas"):  # thousands of small products: threads would wait for each other
        for block in _blocks(rows, patients_of, np.flatnonzero(~shared), k, most):
            found = _groups_of_block(rows[block], [_people(patients_of, row) for row in block], k)
            found[found != NOBODY] += group.max() + 1
            group[block] = found
    left = np.flatnonzero(group == NOBODY)
    if len(left):
        middles = _means(rows, group)
        group[left] = [_nearest(rows[row], middles) for row in left]
    return group


def _people(patients_of: sparse.csr_array, row: int) -> Ints:
    people: Ints = patients_of.indices[patients_of.indptr[row] : patients_of.indptr[row + 1]]
    return people


def _blocks(rows: Floats, patients_of: sparse.csr_array, members: Ints, k: int, most: int) -> list[Ints]:
    """Halves of halves, none larger than ``most`` unless a half would have too few patients."""
    if len(members) <= most:
        return [members] if len(members) else []
    some = rows[members[:: max(1, len(members) // ROWS_FOR_AXIS)]].astype(np.float64)
    axis = np.linalg.eigh(np.cov(some, rowvar=False))[1][:, -1]
    along = np.argsort(rows[members] @ axis, kind="stable")
    halves = [np.sort(members[half]) for half in np.array_split(along, 2)]
    if any(np.count_nonzero(patients_of[half].sum(axis=0)) < k for half in halves):
        return [members]
    return [block for half in halves for block in _blocks(rows, patients_of, half, k, most)]


class _Waiting:
    """The rows that are in no group yet, kept close together: most of the time goes into reading them."""

    def __init__(self, rows: Floats, people: list[Ints]) -> None:
        self.rows = np.ascontiguousarray(rows, dtype=np.float32).copy()
        self.squares = np.einsum("ij,ij->i", self.rows, self.rows)
        self.number = np.arange(len(rows))
        self.people = people
        self.count = len(rows)
        self.total = self.rows.sum(axis=0, dtype=np.float64)
        self.waiting_rows_of = np.bincount(np.concatenate(people)) if people else np.zeros(0, dtype=np.int64)
        self.patients = int(np.count_nonzero(self.waiting_rows_of))

    def distances(self, point: Floats) -> Floats:
        squared: Floats = self.squares[: self.count] - 2 * (self.rows[: self.count] @ point)
        return squared

    def farthest_from_mean(self) -> Floats:
        mean = (self.total / self.count).astype(np.float32)
        farthest: Floats = self.rows[int(self.distances(mean).argmax())].copy()
        return farthest

    def nearest_with(self, k: int, distances: Floats) -> Ints:
        """The places of the nearest rows, as many as it takes for k patients."""
        looked_at = 4 * k
        while True:
            nearest = np.argpartition(distances, looked_at)[:looked_at] if looked_at < self.count else slice(self.count)
            places = np.arange(self.count)[nearest]
            places = places[np.lexsort((self.number[places], distances[places]))]
            met: set[int] = set()
            for taken, number in enumerate(self.number[places], start=1):
                met.update(self.people[number].tolist())
                if len(met) >= k:
                    return places[:taken]
            looked_at *= 4

    def take(self, places: Ints) -> Ints:
        """Their numbers; the last rows move into the holes."""
        numbers = self.number[places].copy()
        self.total -= self.rows[places].sum(axis=0, dtype=np.float64)
        for number in numbers:
            self.waiting_rows_of[self.people[number]] -= 1
        self.patients = int(np.count_nonzero(self.waiting_rows_of))
        kept = self.count - len(places)
        holes = places[places < kept]
        movers = np.setdiff1d(np.arange(kept, self.count), places)
        for array in (self.rows, self.squares, self.number):
            array[holes] = array[movers]
        self.count = kept
        return numbers


def _groups_of_block(rows: Floats, people: list[Ints], k: int) -> Ints:
    group = np.full(len(rows), NOBODY, dtype=np.int64)
    waiting, groups = _Waiting(rows, people), 0
    while waiting.patients >= k:
        start = waiting.farthest_from_mean()
        for _ in range(2):
            if waiting.patients < k:
                break
            distances = waiting.distances(start)
            opposite = waiting.rows[int(distances.argmax())].copy()  # not in this group, unless nobody is left
            group[waiting.take(waiting.nearest_with(k, distances))] = groups
            groups += 1
            start = opposite
    return group


def _means(rows: Floats, group: Ints) -> Doubles:
    member = group != NOBODY
    sums = np.zeros((int(group.max()) + 1, rows.shape[1]))
    np.add.at(sums, group[member], rows[member])
    means: Doubles = sums / np.bincount(group[member])[:, None]
    return means


def _nearest(row: Floats, middles: Doubles) -> int:
    return int(np.square(middles - row).sum(axis=1).argmin())
