"""A whole trial: entrants are read once, asked every question, and drawn on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from leadapron.attacks.linkage import ALL_ATTACKERS, check_possible
from leadapron.cohort.image_set import ImageSet
from leadapron.engine import Progress, atomic_path, silent
from leadapron.engine.ours import claim
from leadapron.errors import ConfigError
from leadapron.release import Release
from leadapron.trials.entrant_trial import Bench, run_trial
from leadapron.trials.entrants import Entrant, noun, read_entrants
from leadapron.trials.frontier import Frontier, build_frontier
from leadapron.trials.scenario import Scenario
from leadapron.trials.scenarios import scenarios_of
from leadapron.trials.trial_config import TrialConfig
from leadapron.trials.trial_kinds import RELEASE
from leadapron.trials.trial_page import as_json, as_page

OF_COHORTS = ("size", "encoder", "networks", "writer")
"""Options that a trial of cohorts takes."""
FORMS = {"frontier.json": as_json, "report.html": as_page}


def trial(
    before: Release | ImageSet | Path | str,
    *afters: Release | ImageSet | Path | str,
    out: Path,
    config: TrialConfig | None = None,
    verify: bool = True,
    command: str = "leadapron.trial(…)",
    progress: Progress = silent,
) -> Frontier:
    """Attack and use ``before`` and each of ``afters``: releases, cohorts, reports, models or federated runs.

    Audits, the frontier and its page go to ``out``. An interrupted trial goes on where it was.
    """
    config = config or TrialConfig()
    first, *others = (Path(one) if isinstance(one, str) else one for one in (before, *afters))
    entrants = read_entrants(first, tuple(others), verify=verify, config=config)  # refused now, if at all
    scenarios = scenarios_of(entrants, networks=config.networks)
    _check_options(config, scenarios, entrants[0])
    out.mkdir(parents=True, exist_ok=True)
    claim(out, *FORMS)
    bench = Bench(entrants[0], scenarios, config, out, command)
    trials = []
    for done, entrant in enumerate(entrants):
        progress(f"{noun(entrants[0].kind)}s", done, len(entrants))
        trials.append(run_trial(bench, entrant, progress))
    progress(f"{noun(entrants[0].kind)}s", len(entrants), len(entrants))
    frontier = build_frontier(bench.scenarios, trials, seed=config.seed, title=config.title)
    for name, form in FORMS.items():
        with atomic_path(out / name) as partial:
            partial.write_text(form(frontier), encoding="utf-8")
    return frontier


def _check_options(config: TrialConfig, scenarios: list[Scenario], before: Entrant) -> None:
    """Options that would do nothing, and attackers who lack what they need, are refused."""
    kind = before.kind
    if kind != RELEASE:
        taken: dict[str, Any] = {"seed": config.seed, "title": config.title}
        taken |= {name: getattr(config, name) for name in OF_COHORTS} if kind == "cohort" else {}
        if config != TrialConfig(**taken, asked=config.asked):
            *others, last = (f"--{name}" for name in taken)
            allowed = f"{', '.join(others)} and {last}" if others else last
            raise ConfigError(f"a trial of a {noun(kind)} takes no option but {allowed}", fix="Leave out the others.")
        return
    for name in OF_COHORTS:
        if getattr(config, name) != getattr(TrialConfig(), name):
            what = "a release holds vectors, and no images or reports"
            raise ConfigError(what, where=f"--{name}", fix="Leave it out.")
    if config.attackers == ALL_ATTACKERS:
        return
    if not any(one.audit.name == "linkage" for one in scenarios):
        raise ConfigError(
            "these attackers pair images with reports, and there are none",
            where="--attacker",
            got=", ".join(config.attackers),
            fix="Call it without --attacker.",
        )
    test, known = before.subject.of_split("test"), before.subject.of_split("train")
    check_possible(config.attackers, test, known, 0.0)
