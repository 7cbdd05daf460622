"""What the page of an audit has beyond the standard one. Every part may be left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from leadapron.pages.figures import Figure
from leadapron.pages.page import Block, Side, Table
from leadapron.results import Results

Sentences = Callable[[Results], list[str]]


@dataclass(frozen=True)
class PageParts:
    verdict: Callable[[Results], str] | None = None
    """The one sentence that a reader in a hurry takes along; else the headline as its measure words it."""
    basis: Callable[[Results], str] | None = None
    """What the verdict stands on; else how many units its number counts."""
    certainty: Callable[[Results], str] | None = None
    """How sure the verdict is, and whether it differs from guessing."""
    could_see: Callable[[Results], str] | None = None
    """The smallest leak that would have been seen."""
    strongest: Callable[[Results], str] | None = None
    """Who attacked, and that others might do better."""
    support: Sentences | None = None
    """What else belongs to the verdict, a sentence or two each."""
    facts: Callable[[Results], dict[str, str]] | None = None
    """What was attacked and how, beyond what every audit tells."""
    count_names: Mapping[str, str] = field(default_factory=dict)
    things: frozenset[str] = frozenset()
    """Counts of what is nobody's, which are told however small they are."""
    figures: tuple[Callable[[Results], Figure], ...] = ()
    """In the order in which they appear; else the attackers side by side."""
    tables: Callable[[Results], tuple[Block, ...]] | None = None
    folded: Callable[[Results], dict[str, tuple[Block, ...]]] | None = None
    """Longer ones, by the words on which a reader opens them."""
    glossary: Mapping[str, str] = field(default_factory=dict)
    card: Callable[[Results], Table] | None = None
    """The table in a model card: the headline's attacker in a few rows."""
    sides: Callable[[Results], tuple[Side, ...]] | None = None
    """Measured, declared and combined risk, where not everything is measured."""
    summary: Callable[[Results], Table] | None = None
    """The table on the terminal."""
    in_trial: Callable[[Mapping[str, Results]], tuple[Block, ...]] | None = None
    """What a trial shows of it and warns of, by the names of what was tried, the one before first; else its numbers."""
