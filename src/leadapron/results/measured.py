"""One number of an audit: what was measured, by which attacker, where, and on how many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from pydantic import ConfigDict, Field, model_validator

from leadapron.engine.documents import Document

SLACK = 1e-9
"""Of a mean that was rounded in another order than its interval."""

Coordinates = dict[str, str | int | float]


class Measured(Document):
    """A flat row. Shares are fractions, not percent.

    Beside the fields below a row has coordinates, which the audit names: the direction of an attack, the size of a
    pool, and whatever a new audit needs. They are keys of the same row.
    """

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: Coordinates = Field(init=False)

    metric: str
    attacker: str
    group: str | None = None
    value: float
    low: float
    high: float
    sd: float = Field(ge=0)
    chance: float = Field(ge=0)
    n: int = Field(ge=1)
    patients: int | None = Field(default=None, ge=1, description="None: not known, or withheld because they are few")
    detectable: float | None = Field(default=None, description="the smallest leak that would be seen in 8 of 10 audits")

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401
            """A coordinate."""

    @model_validator(mode="after")
    def _is_consistent(self) -> Self:
        if not self.low - SLACK <= self.value <= self.high + SLACK:
            raise ValueError(f"the value {self.value} is not within its interval, {self.low} to {self.high}")
        return self

    @property
    def at(self) -> dict[str, Any]:
        return self.__pydantic_extra__

    @property
    def enrichment(self) -> float:
        """How many times as often as by guessing."""
        return self.value / self.chance

    def has(self, **wanted: object) -> bool:
        """Whether every field and coordinate that is named has this value."""
        return all(getattr(self, key, None) == value for key, value in wanted.items())

    def is_at(self, spot: Spot) -> bool:
        """Whether this is the number of a spot for everybody, with its coordinates and no others."""
        return self.has(group=None, **spot.keys) and self.at == spot.at


class Spot(Document):
    """Where the headline is read off: a metric, an attacker, and coordinates."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: Coordinates = Field(init=False)

    metric: str
    attacker: str

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:  # noqa: ANN401
            """A coordinate."""

    @property
    def at(self) -> dict[str, Any]:
        return self.__pydantic_extra__

    @property
    def keys(self) -> dict[str, Any]:
        """The metric, the attacker and the coordinates."""
        return self.model_dump()


class GroupTest(Document):
    """Whether the groups of an attribute bear the same risk."""

    attribute: str
    groups: int
    statistic: float
    p: float = Field(ge=0, le=1)
    p_adjusted: float = Field(ge=0, le=1)
    method: str
    patients: int | None = Field(default=None, description="who were compared, with others or with themselves")
