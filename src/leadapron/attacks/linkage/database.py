"""The database that the attacker searches: distinct texts, how often each occurs, and with which labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.unit_rows import UnitRows

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

ROWS_HASHED_AT_ONCE = 4096


@dataclass(frozen=True)
class Database:
    """Candidates without repetition, in the order in which they first appear.

    ``text_of[i]`` is the distinct text of candidate i. ``code`` and ``count`` say with which labels, as bits, a text
    occurs and how often; the few texts that occur with several sets of labels have the rest of theirs in the
    ``extra`` arrays, of which text t owns ``extra_start[t]`` to ``extra_start[t + 1]``.
    """

    texts: Floats | UnitRows
    text_of: Ints
    code: Ints
    count: NDArray[np.int32]
    extra_start: Ints
    extra_text: Ints
    extra_code: Ints
    extra_count: NDArray[np.int32]

    @property
    def size(self) -> int:
        return len(self.text_of)

    @property
    def labels(self) -> int:
        """In how many labels two candidates may differ."""
        return int(max(self.code.max(initial=0), self.extra_code.max(initial=0))).bit_length()

    @property
    def copies(self) -> Ints:
        """How many candidates each distinct text has."""
        return np.bincount(self.text_of, minlength=len(self.texts))


def build_database(candidates: Floats | UnitRows, codes: Ints | None = None) -> Database:
    """Candidates that are equal bit by bit become one text. ``codes`` are the candidates' labels as bits.

    Where nothing repeats the rows are taken as they are: a memory-mapped file stays on disk.
    """
    if isinstance(candidates, np.ndarray):
        candidates = np.asanyarray(candidates, dtype=np.float32)  # a file stays a file
    codes = np.zeros(len(candidates), dtype=np.int64) if codes is None else codes
    kept, text_of = distinct(_row_hashes(candidates))
    if len(kept) == len(candidates):  # as a rule, and then nothing needs to be counted
        none, ones = np.empty(0, dtype=np.int64), np.ones(len(kept), dtype=np.int32)
        starts = np.zeros(len(kept) + 1, dtype=np.int64)
        return Database(candidates, text_of, codes, ones, starts, none, none, none.astype(np.int32))
    span = int(codes.max()) + 1
    pairs, counts = np.unique(text_of * span + codes, return_counts=True)
    text, code = np.divmod(pairs, span)
    main = code == codes[kept][text]
    extra = ~main
    return Database(
        texts=candidates.only(kept) if isinstance(candidates, UnitRows) else candidates[kept],
        text_of=text_of,
        code=code[main].copy(),
        count=counts[main].astype(np.int32),
        extra_start=np.searchsorted(text[extra], np.arange(len(kept) + 1)).astype(np.int64),
        extra_text=text[extra].copy(),
        extra_code=code[extra].copy(),
        extra_count=counts[extra].astype(np.int32),
    )


def distinct(hashes: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """The first row of each kind, in their order, and for each row the number of its kind; two hashes say which."""
    order = np.lexsort(hashes)  # stable: the first of a kind comes first
    new = np.arange(len(order)) == 0
    for row in hashes:
        ordered = row[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    if new.all():
        everything = np.arange(len(order))
        return everything, everything
    first = order[new]
    kind = np.empty(len(order), dtype=np.int64)
    kind[order] = np.argsort(np.argsort(first))[np.cumsum(new) - 1]
    return np.sort(first), kind


def _row_hashes(rows: Floats | UnitRows) -> NDArray[np.uint64]:
    """128 bits for each row, equal for equal rows and hardly ever for others.

    The chance is one in 10^19 for a pair that differs in signs alone, and far less for any other.
    """
    rng = np.random.default_rng(0)
    odd = (rng.integers(0, 2**63, (2, rows.shape[1]), dtype=np.uint64) << np.uint64(1)) | np.uint64(1)
    hashes = np.empty((2, len(rows)), dtype=np.uint64)
    for start in range(0, len(rows), ROWS_HASHED_AT_ONCE):
        block = np.ascontiguousarray(rows[start : start + ROWS_HASHED_AT_ONCE], dtype=np.float32)
        hashes[:, start : start + len(block)] = odd @ block.view(np.uint32).astype(np.uint64).T
    return hashes
