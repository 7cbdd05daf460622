"""The policy: thresholds that other people own, each with its reason and its source. A TOML file."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import every_audit, find_audit
from leadapron.audits.matching import EVERYBODY
from leadapron.audits.measure import Measure
from leadapron.errors import ConfigError, DataError, did_you_mean

FORMAT = 2
SELECTORS = ("attack", "metric", "group", "attacker")
"""Of every audit; its coordinates come on top."""

FRACTIONS = ("at_most", "at_least")
LIMITS = (*FRACTIONS, "at_most_enrichment")
REASONS = ("why", "source")
POLICY_KEYS = ("format", "title", "require", "control")
REQUIREMENT_KEYS = ("id", *SELECTORS, *LIMITS, *REASONS)
CONTROL_KEYS = ("check", "attack", *REASONS)


@dataclass(frozen=True)
class Requirement:
    """Which estimates are judged, and how high they may be; or how low, where lower is worse."""

    id: str
    select: Mapping[str, str | int]
    limits: Mapping[str, float]
    why: str
    source: str

    def limit_at(self, chance: float) -> float:
        """In the measure's own unit, where guessing gives ``chance``; of two limits the stricter one."""
        if "at_least" in self.limits:
            return self.limits["at_least"]
        return min(self.limits.get("at_most", math.inf), self.limits.get("at_most_enrichment", math.inf) * chance)


@dataclass(frozen=True)
class Control:
    """A check of the audit itself that must have passed; of whichever audit has it, where no attack is named."""

    check: str
    why: str
    source: str
    attack: str | None = None


@dataclass(frozen=True)
class Policy:
    title: str
    requirements: tuple[Requirement, ...]
    controls: tuple[Control, ...]

    def only(self, attacks: Collection[str]) -> Policy:
        """The entries for these attacks. One without any would go unjudged, and that must not look like a pass."""
        for attack in attacks:
            if all(requirement.select["attack"] != attack for requirement in self.requirements):
                fix = "Write a policy of your own and pass it with --policy."
                raise ConfigError("the policy has no requirement for this attack", got=attack, fix=fix)
        return Policy(
            self.title,
            tuple(entry for entry in self.requirements if entry.select["attack"] in attacks),
            tuple(entry for entry in self.controls if entry.attack is None or entry.attack in attacks),
        )


def read_policy(path: Path) -> Policy:
    """The policy in a TOML file; what it does not know, it refuses."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the policy cannot be read ({error})", where=path) from error
    return parse_policy(text, str(path))


def default_policy() -> Policy:
    """The starting point that ships with the package."""
    return parse_policy(default_policy_text(), "the default policy")


def default_policy_text() -> str:
    """What every audit asks, with comments, to be edited and owned."""
    head = files("leadapron.audits").joinpath("policy_head.toml").read_text()
    return "\n".join([head.rstrip() + "\n", *(audit.policy for audit in every_audit() if audit.policy)])


def parse_policy(text: str, where: str) -> Policy:
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the policy is not valid TOML ({error})", where=where) from error
    _refuse_unknown(content, POLICY_KEYS, where)
    if content.get("format") != FORMAT:
        fix = "Carry your limits over into what `leadapron gate --print-default-policy` prints."
        got, allowed = content.get("format"), str(FORMAT)
        raise ConfigError("unknown format of the policy", where=where, got=got, allowed=allowed, fix=fix)
    requirements = tuple(_requirement(table, place) for table, place in _tables(content, "require", where))
    controls = tuple(_control(table, place) for table, place in _tables(content, "control", where))
    if not requirements:
        raise ConfigError("a policy without a [[require]] table would let anything pass", where=where)
    names = [requirement.id for requirement in requirements] + [control.check for control in controls]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError("two entries of the policy have one name", where=where, got=twice[0])
    return Policy(_text(content, "title", where), requirements, controls)


def _requirement(table: dict[str, Any], where: str) -> Requirement:
    audit = _audit(table, where)
    _refuse_unknown(table, (*REQUIREMENT_KEYS, *audit.coordinates), where)
    select = _selectors(table, audit, where)
    return Requirement(
        id=_text(table, "id", where),
        select=select,
        limits=_limits(table, _measure(audit, select, where), where),
        why=_text(table, "why", where),
        source=_text(table, "source", where),
    )


def _audit(table: dict[str, Any], where: str) -> Audit:
    name = _text(table, "attack", where)
    try:
        return find_audit(name)
    except ConfigError as error:
        raise ConfigError(str(error), where=where) from error


def _measure(audit: Audit, select: Mapping[str, str | int], where: str) -> Measure:
    try:
        return audit.measure_of(str(select["metric"]))
    except DataError as error:
        raise ConfigError(str(error), where=where) from error


def _limits(table: dict[str, Any], measure: Measure, where: str) -> dict[str, float]:
    """On the side on which the measure is bad, and not so that anything would pass."""
    given = {key: _number(table, key, where) for key in LIMITS if key in table}
    lower_is_worse = measure.higher_is == "better"
    side, fitting = ("low", "at_least") if lower_is_worse else ("high", "at_most, at_most_enrichment or both")
    if not given:
        raise ConfigError("a limit is missing", where=where, allowed=fitting)
    for key, limit in given.items():
        if (key == "at_least") != lower_is_worse:
            what = f"{key} is no limit for {measure.name}, of which a {side} number is the risk"
            raise ConfigError(what, where=where, fix=f"Write {fitting}.")
        if key in FRACTIONS and limit > 1 and measure.scale != "plain":
            raise ConfigError(f"{key} is a fraction and not percent", where=where, got=limit, allowed="0 to 1")
    return given


def _control(table: dict[str, Any], where: str) -> Control:
    _refuse_unknown(table, CONTROL_KEYS, where)
    attack = _text(table, "attack", where) if "attack" in table else None
    return Control(_text(table, "check", where), _text(table, "why", where), _text(table, "source", where), attack)


def _selectors(table: dict[str, Any], audit: Audit, where: str) -> dict[str, str | int]:
    """Attack and metric must be named: numbers of different kinds have no common threshold."""
    given = {"attack": None, "metric": None, "group": EVERYBODY, **table}
    narrowing = ("attack", "metric", *audit.coordinates, "group", "attacker")
    keys = [key for key in narrowing if key in given]
    return {key: _pool(given[key], where) if key == "pool" else _text(given, key, where) for key in keys}


def _pool(pool: object, where: str) -> str | int:
    if pool == "largest" or (type(pool) is int and pool >= 2):
        assert isinstance(pool, str | int)
        return pool
    raise ConfigError("unknown pool", where=where, got=pool, allowed='an integer of 2 or above, or "largest"')


def _tables(content: dict[str, Any], key: str, where: str) -> list[tuple[dict[str, Any], str]]:
    """The tables under a key, each with the place that an error message names."""
    tables = content.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise ConfigError(f"write {key} as tables in double brackets: [[{key}]]", where=where)
    return [(table, f"{where}: [[{key}]] number {number}") for number, table in enumerate(tables, start=1)]


def _refuse_unknown(table: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in known:
            raise ConfigError("unknown key", where=where, got=key, allowed=did_you_mean(key, known))


def _text(table: dict[str, Any], key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ConfigError(f"{key} is missing or not a text", where=where, got=value)
    return value


def _number(table: dict[str, Any], key: str, where: str) -> float:
    value = table[key]
    if type(value) not in (int, float) or not math.isfinite(value) or value < 0:
        raise ConfigError(f"{key} is not a number of zero or above", where=where, got=value)
    return float(value)
