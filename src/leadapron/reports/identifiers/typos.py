"""Words that differ by one slip of the finger."""

from __future__ import annotations

from collections.abc import Iterator


def one_edit_apart(left: str, right: str) -> bool:
    """One letter more, less or other, or two neighbours exchanged.

    >>> one_edit_apart("okafor", "okfor"), one_edit_apart("okafor", "okafro"), one_edit_apart("okafor", "adams")
    (True, True, False)
    """
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    if len(left) > len(right):
        left, right = right, left
    at = next((place for place, (one, other) in enumerate(zip(left, right, strict=False)) if one != other), len(left))
    if len(left) < len(right):
        return left[at:] == right[at + 1 :]
    return left[at + 1 :] == right[at + 1 :] or (
        left[at : at + 2] == right[at : at + 2][::-1] and left[at + 2 :] == right[at + 2 :]
    )


def shortened(word: str) -> Iterator[str]:
    """The word, and the word without each of its letters: two words that differ by one edit meet in one of these."""
    yield word
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
