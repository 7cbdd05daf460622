"""Reports as vectors by their words alone: hashed n-grams, rare ones counting more, as a few hundred numbers."""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Floats = NDArray[np.float32]

WORD = re.compile(r"[^\W_]+|[^\w\s]")
WIDTH = 1 << 16
NUMBERS = 256
LETTERS = 4
OVERSAMPLED, ROUNDS, SEED = 16, 4, 0
"""Of the randomised decomposition (Halko, Martinsson and Tropp 2011); the seed is part of the method."""


def report_vectors(texts: Sequence[str], numbers: int = NUMBERS) -> Floats:
    """A row per report. Reports in the same words have the same row."""
    weighted = weighted_grams(texts)
    return reduced(weighted, min(numbers, *weighted.shape))


def weighted_grams(texts: Sequence[str]) -> sparse.csr_array:
    """Logarithms of counts times the inverse frequency among reports, rows of length one."""
    indices: list[int] = []
    values: list[float] = []
    ends = [0]
    for text in texts:
        counted = Counter(grams_of(text))
        indices += counted.keys()
        values += (1 + np.log(np.array(list(counted.values()), dtype=np.float64))).tolist()
        ends.append(len(indices))
    matrix = sparse.csr_array((values, indices, ends), shape=(len(texts), WIDTH))
    seen = np.bincount(matrix.indices, minlength=WIDTH)
    rarity = np.log((1 + len(texts)) / (1 + seen)) + 1
    matrix.data *= rarity[matrix.indices]
    lengths = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    matrix.data /= np.repeat(np.where(lengths > 0, lengths, 1.0), np.diff(matrix.indptr))
    return matrix


def grams_of(text: str) -> Iterator[int]:
    """Words, pairs of words, and runs of four letters within a word and its ends, each as a column."""
    words = ["^", *WORD.findall(text.lower())]
    for word in words:
        yield _column(word)
        ended = f" {word} "
        if len(word) > 1:
            for at in range(len(ended) - LETTERS + 1):
                yield _column(f"\t{ended[at : at + LETTERS]}")
    for one, other in pairwise(words):
        yield _column(f"{one} {other}")


def reduced(rows: sparse.csr_array, numbers: int) -> Floats:
    """The rows in the directions in which they vary most, the largest first."""
    rng = np.random.default_rng(SEED)
    wanted = min(numbers + OVERSAMPLED, *rows.shape)
    turned = rows.T.tocsr()
    basis = rng.standard_normal((rows.shape[0], wanted))
    for _ in range(ROUNDS):
        basis = np.linalg.qr(rows @ (turned @ basis))[0]
    across = turned @ basis
    values, vectors = np.linalg.eigh(across.T @ across)
    order = np.argsort(-values, kind="stable")[:numbers]
    found: Floats = (basis @ (vectors[:, order] * np.sqrt(np.maximum(values[order], 0.0)))).astype(np.float32)
    return found


def _column(gram: str) -> int:
    return zlib.crc32(gram.encode("utf-8", "replace")) % WIDTH
