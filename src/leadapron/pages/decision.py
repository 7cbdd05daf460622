"""The decision page as data: what a board reads on one sheet of paper, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

MUCH = 1750
"""Characters of what differs from page to page."""


@dataclass(frozen=True)
class Bar:
    """A number on the common scale from none to all, as fractions; without a number nothing is known of it."""

    label: str
    status: str
    """over, close, unknown or under: how it stands to its limit."""
    words: str
    number: str
    span: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    defended: bool = False


@dataclass(frozen=True)
class RiskRow:
    """A question of the board, the sentence that answers it, and its bars."""

    kicker: str
    question: str
    sentence: str
    bars: tuple[Bar, ...]
    chance: float | None = None
    limit: float | None = None
    note: str = ""


@dataclass(frozen=True)
class CostRow:
    """What a defence costs in diagnostic use; ``clear`` is whether the change is more than chance would make."""

    title: str
    bars: tuple[Bar, ...]
    status: str
    words: str
    note: str = ""


@dataclass(frozen=True)
class IconArray:
    """Of 100, how many are found after the defence, how many only without it, and what guessing finds."""

    words: str
    found: int
    before: int
    guessed: int
    defended: bool


@dataclass(frozen=True)
class Banner:
    status: str
    words: str
    limit: str
    counts: tuple[tuple[str, str], ...]
    """Of the risks on the page: status and "2 over limit"."""
    array: IconArray | None


@dataclass(frozen=True)
class DecisionBox:
    """One way to decide. People tick; the tool says which ones fit the limits."""

    title: str
    fits: bool
    words: str


@dataclass(frozen=True)
class DecisionPage:
    kicker: str
    title: str
    defended: bool
    """Whether a defence is on the table."""
    banner: Banner
    facts: Mapping[str, str]
    risks: tuple[RiskRow, ...]
    scale: str
    """What the bars count: of 1,000."""
    costs: tuple[CostRow, ...]
    no_cost: str
    """Why nothing is said of cost, where that is so."""
    unexamined: tuple[tuple[str, str], ...]
    """What counts against release: in a few words, and why."""
    outside: str
    """What is not in the release, as the files show."""
    boxes: tuple[DecisionBox, ...]
    change: str
    """What could change the answer."""
    conditions: tuple[str, ...]
    signatories: tuple[str, ...]
    trust: str

    @property
    def is_dense(self) -> bool:
        """Whether there is so much to say that it goes on one sheet in smaller letters only."""
        told = [*self.facts.values(), *(row.sentence + row.note for row in self.risks), *self.conditions, self.change]
        return sum(map(len, told)) + sum(len(few) + len(why) for few, why in self.unexamined) > MUCH
