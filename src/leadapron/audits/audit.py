"""An audit: one question about a release, a model or reports, as one object that everything else is made from."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from leadapron.audits.measure import Coordinate, Measure, Words, family
from leadapron.audits.page_parts import PageParts
from leadapron.engine import Progress
from leadapron.engine.documents import Config
from leadapron.errors import DataError, did_you_mean
from leadapron.results import About, Findings, Inputs, Measured, Results, Subject


@dataclass(frozen=True)
class Knowledge:
    """What the attacker has beside the subject: others of the same kind, released in the same way."""

    known: Any = None
    """Patients whose truth the attacker knows and learns from."""
    tuning: Any = None
    """Other patients again, on whom thresholds are set."""
    before: Any = None
    """What was released before, in which those under attack are looked for."""


NOTHING = Knowledge()


@dataclass(frozen=True)
class Loaded:
    """A subject as an audit takes it, what the attacker knows, where it comes from, and what was chosen for that."""

    subject: Any
    knowledge: Knowledge
    inputs: Inputs
    said: Mapping[str, object] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    """What else must be said of it: how its patients came to their sides."""


@dataclass(frozen=True)
class Effort:
    """About how many seconds an audit takes on two cores, for a plan: at least, and more by records and their pairs."""

    start: float = 3.0
    per_thousand: float = 1.0
    per_million_pairs: float = 0.0

    def seconds(self, records: int) -> float:
        thousands = records / 1000
        return self.start + self.per_thousand * thousands + self.per_million_pairs * thousands**2


class AuditConfig(Config):
    """What can be asked of an audit; its options and TOML keys come from the fields."""

    seed: int = Field(default=0, ge=0, description="Seed of everything that is drawn.")


@dataclass(frozen=True)
class Audit:
    """One question, and how it is answered, worded, judged and compared."""

    name: str
    question: str
    """Stands above the title: "can a radiograph be paired with its report again?"."""
    config: type[AuditConfig]
    run: Callable[[Any, Any, Knowledge, Progress], Findings]
    """Subject, configuration, knowledge, progress: a pure function."""
    measures: tuple[Measure, ...]
    attackers: Mapping[str, str] = field(default_factory=dict)
    """What each attacker does, in plain words: "takes the nearest embedding"."""
    never_headline: frozenset[str] = frozenset()
    """Attackers who are shown beside the others: they answer for the whole subject at once, and not unit by unit."""
    allows_for_choice: bool = False
    """Whether the headline's number allows for its attacker being the best on the same data."""
    coordinates: Mapping[str, Coordinate] = field(default_factory=dict)
    place: str = ""
    """Where a number was measured, from coordinates: "among {pool:,} {kind}"."""
    beside: tuple[str, ...] = ()
    """Coordinates whose other values a comparison describes beside the headline, as the other direction."""
    in_trials: tuple[Mapping[str, Any], ...] = ()
    """Numbers that a trial shows beside the headline, each by metric, attacker and coordinates."""
    placed_by: Mapping[str, Any] = field(default_factory=dict)
    """The number by which a trial sets this risk beside others, by metric, attacker and coordinates; without it, the
    headline. A share of patients can be set beside another, what the most exposed of them reach cannot."""
    ring: str = ""
    """What a ring around a mark of a trial's picture says, where the headline lies above chance."""
    risk: str = ""
    """What a defence removes of it, for a sentence; without it, its name."""
    answers: str = ""
    """Of a risk: the question of a board that it answers, by its key in ``board_question``."""
    answers_at: Mapping[str, str] = field(default_factory=dict)
    """Another question, for numbers with this value of a coordinate."""
    criterion: str = ""
    """Of WP29, where it is another one than that of the question."""
    about: About = "risk"
    positives: Callable[[Findings, Measured], int | None] | None = None
    """Of a use: how many records have the finding that a number is of; None where it is of all findings together."""
    subject: Literal["release", "signals", "run", "reports", "images", "cohort", "model"] = "release"
    takes: frozenset[str] = frozenset({"image"})
    """The arrays of a release that it needs; ``table`` is the table beside them."""
    reads: type[Config] = Config
    """Options that tell where the rest of a subject lies that is no release."""
    load: Callable[[Path, Config, bool], Loaded] | None = None
    """How such a subject is read: its folder, the options, and whether its hashes are verified."""
    given_as: str = ""
    """The option that names the subject; without one it is the command's argument."""
    split: str | None = None
    """The split that its numbers are always of, where nobody can ask for another: the others are learnt from. ``all``:
    the whole release, whatever was fitted on whom."""
    knows: frozenset[str] = frozenset()
    """Which knowledge it makes use of: "known", "tuning", "before"."""
    policy: str = ""
    """Limits and controls that the default policy asks of it, as TOML; without any it is judged by a policy alone."""
    not_applicable: Callable[[Subject], tuple[str, str] | None] | None = None
    """For a subject that has the arrays: why the audit cannot be run on it all the same, with the gate's outcome."""
    lacks: Callable[[Results, Mapping[str, str | int]], tuple[str, str] | None] | None = None
    """Of results, why there is nothing that an entry of a policy could select (no reports, no link to them), with the
    gate's outcome."""
    effort: Effort = field(default_factory=Effort)
    page: PageParts = field(default_factory=PageParts)
    """What its page has beyond the standard one."""

    @property
    def who(self) -> str:
        """What an attacker is called: nobody attacks where use is measured."""
        return "attacker" if self.about == "risk" else "method"

    def answers_of(self, row: Measured | None) -> str:
        """The question of a board that a number answers."""
        values = [] if row is None else [str(value) for value in row.at.values()]
        return next((self.answers_at[value] for value in values if value in self.answers_at), self.answers)

    def measure_of(self, metric: str) -> Measure:
        """The measure of a metric; a number that no measure declares must not be worded by anybody."""
        name, _ = family(metric)
        for measure in self.measures:
            if measure.name == name:
                return measure
        allowed = did_you_mean(name, [measure.name for measure in self.measures])
        raise DataError(f"the audit {self.name!r} declares no such measure", got=metric, allowed=allowed)

    def measures_it(self, metric: str) -> bool:
        return any(measure.name == family(metric)[0] for measure in self.measures)

    def words_of(self, row: Measured) -> Words:
        """All that a text of this audit may name for a row."""
        named: dict[str, object] = dict(row.at)
        for name, value in row.at.items():
            named |= self._coordinate(name, value).words_of(value)
        return {**named, **family(row.metric)[1]}

    def check(self, row: Measured) -> None:
        """Refuses a row that could not be worded: an undeclared measure, coordinate or value."""
        self.measure_of(row.metric)
        for name, value in row.at.items():
            self._coordinate(name, value)

    def _coordinate(self, name: str, value: object) -> Coordinate:
        coordinate = self.coordinates.get(name)
        if coordinate is None:
            allowed = did_you_mean(name, self.coordinates) or "none"
            raise DataError(f"the audit {self.name!r} declares no such coordinate", got=name, allowed=allowed)
        if not coordinate.knows(value):
            assert not callable(coordinate.words)
            allowed = did_you_mean(str(value), coordinate.words)
            raise DataError(f"the audit {self.name!r} has no words for this {name}", got=value, allowed=allowed)
        return coordinate
