"""The database that the attacker searches: distinct texts, how often each occurs, and with which labels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.unit_rows import UnitRows

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

ROWS_HASHED_AT_ONCE = 65_536


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
    def copies(self) -> Ints:
        """How many candidates each distinct text has."""
        return np.bincount(self.text_of, minlength=len(self.texts))


def build_database(candidates: Floats | UnitRows, codes: Ints | None = None) -> Database:
    """Candidates that are equal bit by bit become one text. ``codes`` are the candidates' labels as bits.

    Where nothing repeats the rows are taken as they are: a memory-mapped file stays on disk.
    """
    codes = np.zeros(len(candidates), dtype=np.int64) if codes is None else codes
    _, first, text_of = np.unique(_row_hashes(candidates), return_index=True, return_inverse=True)
    order = np.argsort(first)
    text_of = np.argsort(order)[text_of]
    kept = first[order]

    span = int(codes.max()) + 1
    pairs, counts = np.unique(text_of * span + codes, return_counts=True)
    text, code = np.divmod(pairs, span)
    main = code == codes[kept][text]
    extra = ~main
    return Database(
        texts=_only(candidates, kept),
        text_of=text_of,
        code=code[main].copy(),
        count=counts[main].astype(np.int32),
        extra_start=np.searchsorted(text[extra], np.arange(len(kept) + 1)).astype(np.int64),
        extra_text=text[extra].copy(),
        extra_code=code[extra].copy(),
        extra_count=counts[extra].astype(np.int32),
    )


def _only(candidates: Floats | UnitRows, kept: Ints) -> Floats | UnitRows:
    if len(kept) == len(candidates):
        return candidates
    return candidates.only(kept) if isinstance(candidates, UnitRows) else candidates[kept]


def _row_hashes(rows: Floats | UnitRows) -> NDArray[np.void]:
    """128 bits for each row, equal for equal rows and, but for one chance in 10^20, for no others."""
    rng = np.random.default_rng(0)
    odd = (rng.integers(0, 2**63, (2, rows.shape[1]), dtype=np.uint64) << np.uint64(1)) | np.uint64(1)
    hashes = np.empty((len(rows), 2), dtype=np.uint64)
    for start in range(0, len(rows), ROWS_HASHED_AT_ONCE):
        block = np.ascontiguousarray(rows[start : start + ROWS_HASHED_AT_ONCE])
        bits = block.view(np.uint32).astype(np.uint64)
        for column, multipliers in enumerate(odd):
            mixed = (bits * multipliers).sum(axis=1, dtype=np.uint64)
            hashes[start : start + len(block), column] = mixed
    return hashes.view(np.dtype([("a", np.uint64), ("b", np.uint64)])).ravel()
