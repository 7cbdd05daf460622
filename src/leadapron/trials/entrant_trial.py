"""The trial of one entrant: it is asked every question, and what was found is kept, so that a trial can go on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadapron import __version__
from leadapron.attacks.linkage import LinkageConfig
from leadapron.attacks.linkage.linkage_audit import run_attacks
from leadapron.audits.audit import Loaded
from leadapron.audits.run_audit import run_audit
from leadapron.engine import Progress, atomic_path, silent
from leadapron.engine.ours import claim
from leadapron.engine.private import private_folder
from leadapron.errors import LeadapronError
from leadapron.release import Release
from leadapron.results import Inputs, Measured, Results, read_results
from leadapron.results.selection import only
from leadapron.trials.entrants import Entrant
from leadapron.trials.located_scenarios import said_of
from leadapron.trials.scenario import Ready, Scenario
from leadapron.trials.scenarios import linkage_config
from leadapron.trials.trial_config import TrialConfig

CARD = "trial.json"
TRAINING = "training"
PUBLISHED = "cosine"
"""The attacker whose success on training pairs is set beside that on others."""


MEASURED = 2
"""Raised where an audit comes to measure otherwise: what was kept before is not mixed with what is measured now."""


@dataclass(frozen=True)
class Trial:
    """What was found of one entrant: results by scenario, or why there are none."""

    entrant: Entrant
    results: Mapping[str, Results]
    absent: Mapping[str, str]
    training: Measured | None
    """Linkage of the training patients' own pairs by the published attacker."""

    @property
    def defence(self) -> Mapping[str, Any]:
        return self.entrant.inputs.defence or {}

    @property
    def errors(self) -> tuple[str, ...]:
        """Controls that failed: what they vouch for is not to be believed."""
        outcomes = [one for results in self.results.values() for one in results.outcomes]
        return tuple(f"{one.check}: {one.reason}" for one in outcomes if one.outcome == "error")


@dataclass(frozen=True)
class Bench:
    """What all entrants of a trial share."""

    before: Entrant
    scenarios: list[Scenario]
    config: TrialConfig
    out: Path
    command: str


def run_trial(bench: Bench, entrant: Entrant, progress: Progress = silent) -> Trial:
    """What was found of an entrant, kept below ``out``, question by question.

    What is there already of the same inputs and configuration is read and not asked again, so that a trial that was
    interrupted goes on, and one that is asked more does not start anew.
    """
    folder = bench.out / entrant.name
    inputs = entrant.inputs.model_copy(update={"before": bench.before.inputs.sha256})
    card = folder / CARD
    kept = _kept(card, _key(bench, inputs))
    if not card.is_file():
        claim(private_folder(folder), card.name)
    absent: dict[str, str] = kept["absent"]
    results: dict[str, Results] = {}
    for done, scenario in enumerate(bench.scenarios):
        progress(f"questions to {entrant.name}", done, len(bench.scenarios))
        if scenario.key not in kept["asked"]:
            if why := _ask(bench, scenario, entrant, inputs, progress):
                absent[scenario.key] = why
            _keep(card, kept, scenario.key)
        if scenario.key not in absent:
            results[scenario.key] = read_results(folder / scenario.key)
    if TRAINING not in kept:
        kept[TRAINING] = _training_pairs(entrant.subject, bench.config, progress)
        _keep(card, kept)
    progress(f"questions to {entrant.name}", len(bench.scenarios), len(bench.scenarios))
    training = kept[TRAINING]
    asked = {one.key: absent[one.key] for one in bench.scenarios if one.key in absent}
    return Trial(entrant, results, asked, None if training is None else Measured(**training))


def _key(bench: Bench, inputs: Inputs) -> str:
    content = {
        "leadapron": __version__,
        "measured": MEASURED,
        "config": bench.config.model_dump(mode="json", exclude={"title"}),
        "inputs": inputs.model_dump(mode="json"),
    }
    return json.dumps(content, sort_keys=True)


def _kept(card: Path, key: str) -> dict[str, Any]:
    """What an earlier trial of the same things wrote down, or nothing."""
    found = json.loads(card.read_text()) if card.is_file() else {}
    return found if found.get("key") == key and "asked" in found else {"key": key, "asked": [], "absent": {}}


def _keep(card: Path, kept: dict[str, Any], *asked: str) -> None:
    """After the results of a question are there: without its name it is asked again."""
    kept["asked"].extend(asked)
    with atomic_path(card, private=True) as partial:
        partial.write_text(json.dumps(kept, indent=1))


def _ask(bench: Bench, scenario: Scenario, entrant: Entrant, inputs: Inputs, progress: Progress) -> str | None:
    """Runs the audit and writes what it found; a text says why it could not be asked."""
    ready = scenario.prepare(entrant.subject, bench.before.subject, bench.config, progress)
    if isinstance(ready, str):
        return ready
    loaded = Loaded(ready.subject, ready.knowledge, _named(ready, inputs), ready.said, entrant.notes)
    title = f"{scenario.key.capitalize().replace('-', ' ')}: {entrant.name}"
    try:
        results = run_audit(scenario.audit, loaded, ready.config, command=bench.command, title=title, progress=progress)
    except LeadapronError as error:
        # a release whose table tells too little can still be attacked; of several parts, any may be missing
        if isinstance(entrant.subject, Release) and scenario.audit.about == "risk" and scenario.audit.split is None:
            raise
        return said_of(error, getattr(entrant.subject, "where", ""))
    if not results.estimates:
        return _why_not(results)
    results.save(bench.out / entrant.name / scenario.key, overwrite=True)
    return None


def _named(ready: Ready, inputs: Inputs) -> Inputs:
    """The files that an audit looked at, under the name of the entrant."""
    if ready.inputs is None:
        return inputs
    return ready.inputs.model_copy(update={"release": inputs.release, "before": inputs.before})


def _why_not(results: Results) -> str:
    """An audit that ran and had nothing to count says why among its checks."""
    reasons = [one.reason for one in results.outcomes if one.outcome == "not-run"]
    said = reasons[0] if reasons else "there was nothing to count"
    return f"{said[:1].upper()}{said[1:].rstrip('.')}."


def _training_pairs(release: Any, config: TrialConfig, progress: Progress) -> dict[str, Any] | None:  # noqa: ANN401
    """What the published attacker links of the patients that defences are fitted on, by as many queries."""
    if not isinstance(release, Release) or not {"image", "text"} <= set(release.arrays):
        return None
    asked = linkage_config(release, config)
    own = LinkageConfig(
        pools=(asked.headline_pool or 0,),
        attackers=(PUBLISHED,),
        seed=config.seed,
        headline_pool=asked.headline_pool,
        queries=len(release.of_split("test")),
    )
    found = run_attacks(release.of_split("train"), own, progress=progress)
    return only(found, **found.spot.keys).model_dump()
