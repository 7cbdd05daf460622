"""What a report must know of the attack that it is about. Page, model card and JUnit XML ask it, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from leadapron.report import words
from leadapron.report.apart import Side, nothing_declared
from leadapron.report.figures import Figure
from leadapron.report.results import Results


@dataclass(frozen=True)
class Kind:
    """One attack's words, figures and tables."""

    name: str
    question: str
    """Stands above the title: what the audit asks of the release."""
    verdict: Callable[[Results], str]
    """The one sentence that a reader in a hurry takes along."""
    support: Callable[[Results], list[str]]
    """What else belongs to the verdict, a sentence or two each."""
    facts: Callable[[Results], dict[str, str]]
    """What was attacked and how, beyond what every audit tells."""
    count_names: Mapping[str, str]
    figures: tuple[Callable[[Results], Figure], ...]
    """In the order in which they appear."""
    tables: Callable[[Results], list[str]]
    folded_tables: Callable[[Results], dict[str, str]]
    """Longer ones, by the words on which a reader opens them."""
    glossary: Mapping[str, str]
    card_columns: tuple[str, ...]
    """Of the table in a model card: where, how large, which measure, and then numbers."""
    card_rows: Callable[[Results], list[tuple[str, ...]]]
    things: frozenset[str] = frozenset()
    """Counts of what is nobody's, which are told however small they are."""
    certainty: Callable[[Results], str] = words.certainty
    """How sure the verdict is, and whether it differs from guessing."""
    could_see: Callable[[Results], str] = words.could_see
    """The smallest leak that would have been seen."""
    strongest: Callable[[Results], str] = words.strongest
    """Who attacked, and that others might do better."""
    apart: Callable[[Results], tuple[Side, ...]] = nothing_declared
    """Measured, declared and combined risk, where not everything is measured."""
