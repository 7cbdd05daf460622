"""What is known of a word, remembered: reports say the same words again and again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

Known = TypeVar("Known")
KEPT = 200_000
"""Words that are remembered; then all are forgotten."""


class Memo(dict[str, Known], Generic[Known]):
    """A function of words as a table that fills itself: looking a word up costs less than calling a function.

    >>> lengths = Memo(len)
    >>> [lengths[word] for word in ("rib", "ribs", "rib")], len(lengths)
    ([3, 4, 3], 2)
    """

    def __init__(self, function: Callable[[str], Known]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, word: str) -> Known:
        if len(self) >= KEPT:
            self.clear()
        known = self[word] = self.function(word)
        return known
