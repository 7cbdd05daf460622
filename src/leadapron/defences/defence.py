"""The contract: a defence is one object, and what it made carries a card that says what was done and what is promised.

    def run(release, config, progress):
        return replace(release, arrays=…), ROUNDED.card(config, Guarantee("none", statement="No guarantee: …"))

    ROUNDED = Defence("rounded", "round every coordinate", "release", RoundedConfig, run, strength="digits")

``register(ROUNDED)`` then brings it to the command line, to ``defend`` and into whatever it writes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from pydantic import Field, JsonValue

from leadapron.engine import Progress
from leadapron.engine.documents import Config, Document
from leadapron.errors import ConfigError, did_you_mean
from leadapron.privacy import Guarantee

ActsOn = Literal["cohort", "reports", "images", "release", "model", "table"]
"""A table is that of a release or of a cohort."""


class DefenceCard(Document):
    """What was done to a cohort, a release or a model; it stands under ``defence`` in the card of what was made.

    ``guarantee`` is what is promised, or that nothing is, and why. ``made_from`` are the ids of what the defence was
    given, the nearest first. ``facts`` are what this run found or chose by itself. ``done`` says it in a sentence.
    """

    method: str
    group: str
    summary: str = ""
    done: str = ""
    settings: dict[str, JsonValue] = Field(default_factory=dict)
    strength: float | None = None
    guarantee: Guarantee
    made_from: tuple[str, ...] = ()
    control_of: str | None = None
    facts: dict[str, JsonValue] = Field(default_factory=dict)
    before: DefenceCard | None = None
    """The card of an earlier defence, on top of which this one was applied."""

    def as_dict(self) -> dict[str, Any]:
        """For the card of what was made."""
        return self.model_dump(mode="json")


Run = Callable[[Any, Any, Progress], tuple[Any, DefenceCard]]
"""From a subject, a configuration and the progress to a new subject and the card of what was done; pure."""
Controls = Callable[[Any, Any, DefenceCard], Mapping[str, Config]]
"""From the subject, the configuration and the card of a run to the same run with something switched off, by name."""


@dataclass(frozen=True)
class Defence:
    """A defence. Options, TOML keys and their help come from the fields of ``config``.

    A field with ``json_schema_extra={"on_card": False}`` is not written down: a seed that is a key, a place on this
    machine. A field ``work`` is the folder in which long work may keep what is finished.
    """

    name: str
    summary: str
    acts_on: ActsOn
    config: type[Config]
    run: Run
    group: str = "others"
    """The heading under which it is listed."""
    strength: str | None = None
    """The field of the configuration that is its strength."""
    controls: Controls | None = None
    fixed: Mapping[str, object] = field(default_factory=dict)
    """Fields of the configuration that make it this method and no other: they are no options."""

    def __post_init__(self) -> None:
        if self.acts_on not in get_args(ActsOn):
            allowed = ", ".join(get_args(ActsOn))
            raise ConfigError("a defence of what?", where=self.name, got=self.acts_on, allowed=allowed)
        for name in (*self.fixed, *([self.strength] if self.strength else [])):
            if name not in self.config.model_fields:
                allowed = did_you_mean(name, self.config.model_fields)
                raise ConfigError("not a field of the configuration", where=self.name, got=name, allowed=allowed)

    def configure(self, **options: object) -> Config:
        """The configuration with these options, and for all others the defaults."""
        known = [name for name in self.config.model_fields if name not in self.fixed]
        for name in options:
            if name not in known:
                raise ConfigError("unknown option", where=self.name, got=name, allowed=did_you_mean(name, known))
        return self.config(**self.fixed, **options)

    def card(self, config: Config, guarantee: Guarantee, **facts: Any) -> DefenceCard:  # noqa: ANN401 (what JSON holds)
        """What the defence did with a configuration, and what is promised."""
        strength = None if self.strength is None else getattr(config, self.strength)
        return DefenceCard(
            method=self.name,
            group=self.group,
            summary=self.summary,
            settings=settings_of(config),
            strength=None if strength is None else float(strength),
            guarantee=guarantee,
            facts=facts,
        )


def settings_of(config: Config) -> dict[str, Any]:
    """The configuration as a card tells it."""
    extras = {name: field.json_schema_extra for name, field in type(config).model_fields.items()}
    hidden = {name for name, extra in extras.items() if isinstance(extra, dict) and extra.get("on_card") is False}
    return config.model_dump(mode="json", exclude=hidden)
