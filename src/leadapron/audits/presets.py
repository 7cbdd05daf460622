"""Policies by name: those that ship, a TOML file each, and the starting point that the audits themselves make up."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from leadapron.audits.audit_registry import every_audit
from leadapron.audits.bound_subject import attacks_asked
from leadapron.audits.policy import Policy, together
from leadapron.audits.policy_file import contents_of, parse_policy, read_policy
from leadapron.errors import ConfigError, did_you_mean
from leadapron.results import Results

STARTING_POINT = "starting-point"
SHIPPED = (
    "ipc-2025-low",
    "ipc-2025-medium",
    "ipc-2025-high",
    "ema-0070",
    "small-cells-5",
    "small-cells-11",
    "small-cells-20",
    "wp29",
)
"""The files in ``policies``."""
PolicyGiven = Policy | Path | str
"""A policy, the name of one that ships, or a TOML file."""


def preset_names() -> list[str]:
    """Our own starting point, and then those with numbers or criteria of others."""
    return [STARTING_POINT, *SHIPPED]


def preset_text(name: str) -> str:
    """The TOML of a policy that ships, with its comments: to be copied, edited and owned."""
    if name == STARTING_POINT:
        return default_policy_text()
    if name not in preset_names():
        allowed = did_you_mean(name, preset_names())
        raise ConfigError("there is no policy of this name", got=name, allowed=allowed)
    return files("leadapron.audits").joinpath("policies", f"{name}.toml").read_text()


def preset_title(name: str) -> str:
    """What a policy calls itself; the audits that it speaks of need not be there."""
    return str(contents_of(preset_text(name), name)["title"])


def default_policy_text() -> str:
    """What every audit asks, with comments, to be edited and owned."""
    head = files("leadapron.audits").joinpath("policy_head.toml").read_text()
    return "\n".join([head.rstrip() + "\n", *(audit.policy for audit in every_audit() if audit.policy)])


def default_policy() -> Policy:
    """The starting point that ships with the package."""
    return parse_policy(default_policy_text(), f"the policy {STARTING_POINT}")


def find_policy(given: PolicyGiven) -> Policy:
    """A policy by the name of one that ships, or from a file."""
    if isinstance(given, Policy):
        return given
    if str(given) in preset_names():
        return parse_policy(preset_text(str(given)), f"the policy {given}")
    if Path(given).exists():
        return read_policy(Path(given))
    fix = "`leadapron policy list` shows those that ship; a policy of your own is a TOML file."
    allowed = did_you_mean(str(given), preset_names())
    raise ConfigError("there is no policy of this name, and no such file", got=str(given), allowed=allowed, fix=fix)


def listed(given: PolicyGiven | Sequence[PolicyGiven]) -> list[PolicyGiven]:
    """One policy, or several."""
    return [given] if isinstance(given, Policy | Path | str) else list(given)


def whole_policy(given: Sequence[PolicyGiven] = ()) -> Policy:
    """Several policies as one, all of them; without any, the starting point."""
    return together([find_policy(one) for one in given or [STARTING_POINT]])


def asked_by(given: Sequence[PolicyGiven] = ()) -> dict[str, dict[str, tuple[float, ...]]]:
    """By audit, the options that let it measure all that these policies judge; without any, the starting point."""
    policy = whole_policy(given)
    return {audit.name: asked for audit in every_audit() if (asked := policy.asked(audit))}


def policy_on(results: Sequence[Results], given: Sequence[PolicyGiven] = ()) -> Policy:
    """What is asked of results: each policy whole, but of the starting point only what such a subject calls for."""
    asked = attacks_asked(results)
    found = [(one, find_policy(one)) for one in given or [STARTING_POINT]]
    return together([policy.only(asked) if one == STARTING_POINT else policy for one, policy in found])
