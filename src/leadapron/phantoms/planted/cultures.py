"""A culture's names: families, and given names of women and of men."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Culture:
    """Names that go together, so that nobody is called Solveig Thirunavukkarasu by chance alone."""

    families: tuple[str, ...]
    women: tuple[str, ...]
    men: tuple[str, ...]


def culture(families: str, women: str, men: str) -> Culture:
    """A culture from three lists with commas between the names: a name may be of several words."""
    return Culture(*(tuple(name.strip() for name in names.split(",")) for names in (families, women, men)))
