"""A measure: all that may be said of one kind of number. Pages, gate and comparisons word numbers by it alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

import polars as pl

from leadapron.pages.numerals import round_percent
from leadapron.results import Findings, Measured
from leadapron.stats import PairedDifference

Scale = Literal["share", "percent", "auc", "plain"]
"""A share of units, a mean that is written as a percentage, the chance that one of a pair is told from the other, or a
number with a meaning of its own."""
PERCENTAGES = ("share", "percent")

Words = Mapping[str, object]
PerUnit = Callable[[Findings, Measured], pl.DataFrame | None]
"""What each unit got, by record_id and patient_id: how two audits are paired. None where the evidence does not tell."""
Paired = Callable[[Findings, Findings, Measured], PairedDifference | None]
"""The same of a number that is no mean over units, such as an area under a curve: before, after, and which number."""


@dataclass(frozen=True)
class Measure:
    """One kind of number.

    Texts may name coordinates and the words of their values in braces: ``{pool:,}``, ``{candidates}``. The name of a
    family ends before its parameter: ``tpr@fpr`` is the measure of ``tpr@fpr=0.01``, whose texts may name ``{of}`` and
    ``{of_percent}``.
    """

    name: str
    title: str
    """The head of a column: Right one first."""
    event: str
    """What happens to a unit, for a sentence: "the right {candidate} comes first"."""
    units: str = "radiographs"
    counted: str = ""
    """What its n counts, for "this rests on 74 radiographs"; the units, unless these say more."""
    scale: Scale = "share"
    higher_is: Literal["worse", "better"] = "worse"
    for_board: str = ""
    """The number for readers who know nothing of attacks, with {found} of {size} and {guessed}: "{found} of {size}
    patients stand alone". Without it, the standard sentence."""
    risk: str = ""
    """What it is of in few words, for page 1, where other numbers of the audit were measured and this one was not."""
    per_unit: PerUnit | None = None
    paired: Paired | None = None

    def as_risk(self, number: float) -> float:
        """The number, turned over where that is needed: the higher one is the worse, whatever the measure."""
        return number if self.higher_is == "worse" else -number


@dataclass(frozen=True)
class Coordinate:
    """Where a number was measured: a direction, a protocol, the size of a pool.

    ``words`` are what texts may name for each value. A value is refused that has none, unless they are calculated.
    """

    title: str
    words: Mapping[str, Words] | Callable[[float], Words] = field(default_factory=dict)

    def words_of(self, value: str | int | float) -> Words:
        if callable(self.words):
            assert not isinstance(value, str)
            return self.words(value)
        return self.words[str(value)] if self.words else {}

    def knows(self, value: object) -> bool:
        return callable(self.words) or not self.words or value in self.words


def family(metric: str) -> tuple[str, Words]:
    """The measure's name, and the words of its parameter if it has one."""
    name, equals, number = metric.partition("=")
    return name, {"of": number, "of_percent": round_percent(float(number))} if equals else {}
