"""A scenario: one question that is asked of every entrant of a trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from leadapron.audits.audit import Audit, AuditConfig, Knowledge
from leadapron.engine import Progress
from leadapron.results import Inputs
from leadapron.trials.trial_config import TrialConfig


@dataclass(frozen=True)
class Ready:
    """An audit that can be run: on what, with which knowledge and configuration, and what of it is said."""

    subject: Any
    knowledge: Knowledge
    config: AuditConfig
    said: dict[str, object]
    inputs: Inputs | None = None
    """The files of the part that it looks at; without them, those of the entrant."""


Prepare = Callable[[Any, Any, TrialConfig, Progress], Ready | str]
"""Of an entrant's subject and the undefended one; a text says why it cannot be asked."""


@dataclass(frozen=True)
class Scenario:
    """One question that is asked of every entrant."""

    key: str
    """The name of its folder and of its column."""
    audit: Audit
    title: str
    note: str
    """What a reader must know of this attacker or use."""
    prepare: Prepare
    holds: str = ""
    """What this attacker has beside the release, for a sentence."""


def scenario_of(audit: Audit, prepare: Prepare, note: str = "") -> Scenario:
    """The scenario that asks an audit's own question."""
    return Scenario(audit.name, audit, f"{audit.question[:1].upper()}{audit.question[1:]}", note, prepare)
