"""What else a prompt says: the words of sentences that no rule reads, and the few directions in which these differ.

Only words that many training prompts hold are known. A name that stands in for another one, a date or a number belongs
to few, and cannot pass.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.reports.prompt_reading import unread

Floats = NDArray[np.float32]

TOPICS = 24
SHARE, FEWEST = 0.01, 20
"""Of the training prompts, at least so many must hold a word."""
_WORD = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class Topics:
    """The known words with their weights, and the directions."""

    words: tuple[str, ...]
    weights: Floats
    directions: Floats
    mean: Floats
    scale: Floats

    def of(self, prompts: Sequence[str]) -> Floats:
        """A row a prompt; zero is the mean prompt, and so is one that shares no word with the others."""
        if not self.words:
            return np.zeros((len(prompts), 0), np.float32)
        table = _counts([unread(prompt) for prompt in prompts], self.words) * self.weights
        found: Floats = ((table @ self.directions - self.mean) / self.scale).clip(-4, 4)
        return found


def learn_topics(prompts: Sequence[str]) -> Topics:
    """From training prompts."""
    prompts = [unread(prompt) for prompt in prompts]
    held = Counter(word for prompt in prompts for word in set(_WORD.findall(prompt.lower())))
    few, most = max(FEWEST, SHARE * len(prompts)), 0.98 * len(prompts)
    words = tuple(sorted(word for word, count in held.items() if few <= count <= most))
    if len(words) < 2:
        return Topics((), *(np.zeros(0, np.float32) for _ in range(4)))
    weights = np.log(len(prompts) / np.array([held[word] for word in words])).astype(np.float32)
    table = _counts(prompts, words) * weights
    centred = table - table.mean(axis=0)
    values, vectors = np.linalg.eigh(centred.T.astype(np.float64) @ centred)
    first = np.argsort(-values)[: min(TOPICS, len(words))]
    directions = vectors[:, first].astype(np.float32)
    found = table @ directions
    return Topics(words, weights, directions, found.mean(axis=0), found.std(axis=0) + 1e-3)


def _counts(prompts: Sequence[str], words: Sequence[str]) -> Floats:
    """Whether each prompt holds each word."""
    place = {word: column for column, word in enumerate(words)}
    table = np.zeros((len(prompts), len(words)), np.float32)
    for row, prompt in enumerate(prompts):
        for word in set(_WORD.findall(prompt.lower())):
            if word in place:
                table[row, place[word]] = 1
    return table
