"""A policy as a TOML file: what may stand in it, and what is said of all else."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from leadapron.audits.audit import Audit
from leadapron.audits.audit_registry import find_audit
from leadapron.audits.matching import EVERYBODY
from leadapron.audits.measure import Measure
from leadapron.audits.policy import Control, Criterion, Policy, Requirement
from leadapron.errors import ConfigError, DataError, did_you_mean

FORMAT = 2
SELECTORS = ("attack", "metric", "group", "attacker")
"""Of every audit; its coordinates come on top."""

FRACTIONS = ("at_most", "at_least")
LIMITS = (*FRACTIONS, "at_most_enrichment")
REASONS = ("why", "source")
ORIGIN = (*REASONS, "first_hand", "read_in")
POLICY_KEYS = ("format", "title", "require", "examine", "control")
REQUIREMENT_KEYS = ("id", *SELECTORS, *LIMITS, "scope", *ORIGIN)
CRITERION_KEYS = ("id", "attacks", "metric", *ORIGIN)
CONTROL_KEYS = ("check", "attack", *REASONS)

TABLE, ATTACK, USE = "table", "attack", "use"
SCOPES = (TABLE, ATTACK, USE)


def scope_of(audit: Audit) -> str:
    """The kind of number that an audit gives: how alike rows of a table are, how often an attack succeeds, or use."""
    return TABLE if audit.name == TABLE else USE if audit.about == "use" else ATTACK


def read_policy(path: Path) -> Policy:
    """The policy in a TOML file; what it does not know, it refuses."""
    try:
        text = path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"the policy cannot be read ({error})", where=path) from error
    return parse_policy(text, str(path))


def parse_policy(text: str, where: str) -> Policy:
    content = contents_of(text, where)
    _refuse_unknown(content, POLICY_KEYS, where)
    if content.get("format") != FORMAT:
        fix = "Carry your limits over into what `leadapron policy show` prints of starting-point."
        got, allowed = content.get("format"), str(FORMAT)
        raise ConfigError("unknown format of the policy", where=where, got=got, allowed=allowed, fix=fix)
    requirements = tuple(_requirement(table, place) for table, place in _tables(content, "require", where))
    criteria = tuple(_criterion(table, place) for table, place in _tables(content, "examine", where))
    controls = tuple(_control(table, place) for table, place in _tables(content, "control", where))
    if not requirements and not criteria:
        raise ConfigError("a policy without a [[require]] table would let anything pass", where=where)
    policy = Policy(_text(content, "title", where), requirements, controls, criteria)
    checks = [f"{one.check} ({one.attack})" if one.attack else one.check for one in controls]
    names = [*(entry.id for entry in policy.entries), *checks]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigError("two entries of the policy have one name", where=where, got=twice[0])
    return policy


def contents_of(text: str, where: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"the policy is not valid TOML ({error})", where=where) from error


def _requirement(table: dict[str, Any], where: str) -> Requirement:
    audit = _audit(_text(table, "attack", where), where)
    _refuse_unknown(table, (*REQUIREMENT_KEYS, *audit.coordinates), where)
    select = _selectors(table, audit, where)
    return Requirement(
        id=_text(table, "id", where),
        select=select,
        limits=_limits(table, _measure(audit, select, where), where),
        scope=_scope(table, audit, where),
        **_origin(table, where),
    )


def _criterion(table: dict[str, Any], where: str) -> Criterion:
    _refuse_unknown(table, CRITERION_KEYS, where)
    attacks = table.get("attacks")
    if not isinstance(attacks, list) or not attacks or not all(isinstance(name, str) for name in attacks):
        raise ConfigError("attacks is missing or not a list of audits", where=where, got=attacks)
    audits = [_audit(name, where) for name in attacks]
    metric = _text(table, "metric", where) if "metric" in table else ""
    if metric and not any(audit.measures_it(metric) for audit in audits):
        known = sorted({measure.name for audit in audits for measure in audit.measures})
        raise ConfigError(
            "none of the audits has this metric", where=where, got=metric, allowed=did_you_mean(metric, known)
        )
    names = tuple(audit.name for audit in audits)
    return Criterion(id=_text(table, "id", where), attacks=names, metric=metric, **_origin(table, where))


def _control(table: dict[str, Any], where: str) -> Control:
    _refuse_unknown(table, CONTROL_KEYS, where)
    attack = _text(table, "attack", where) if "attack" in table else None
    return Control(_text(table, "check", where), _text(table, "why", where), _text(table, "source", where), attack)


def _audit(name: str, where: str) -> Audit:
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


def _scope(table: dict[str, Any], audit: Audit, where: str) -> str:
    """A limit that was made for one kind of number says nothing of another, however alike both look."""
    fitting = scope_of(audit)
    scope = _text(table, "scope", where) if "scope" in table else fitting
    if scope not in SCOPES:
        raise ConfigError("unknown scope", where=where, got=scope, allowed=did_you_mean(scope, SCOPES))
    if scope == fitting:
        return scope
    if scope == TABLE and fitting == ATTACK:
        what = (
            f"a limit that was made for tables cannot judge the audit {audit.name!r}: it says how few patients of a "
            "table may look alike, and not how often an attack may succeed. No authority for an attack's success is "
            "known to us"
        )
        fix = 'Judge attack = "table" by it. For the attack, write scope = "attack" and a why and a source of your own.'
        raise ConfigError(what, where=where, fix=fix)
    what = f"the limit was made for another kind of number than the audit {audit.name!r} gives"
    raise ConfigError(what, where=where, got=scope, allowed=fitting)


def _origin(table: dict[str, Any], where: str) -> dict[str, Any]:
    """Reason and source, and whether somebody has read the source itself."""
    first_hand = table.get("first_hand")
    if first_hand is not None and type(first_hand) is not bool:
        raise ConfigError("first_hand is not true or false", where=where, got=first_hand)
    read_in = _text(table, "read_in", where) if "read_in" in table else ""
    if first_hand is False and not read_in:
        raise ConfigError("first_hand is false, and read_in does not say where the limit was read", where=where)
    return {key: _text(table, key, where) for key in REASONS} | {"first_hand": first_hand, "read_in": read_in}


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
