"""A whole trial: entrants are read once, asked every question, and drawn on one page."""

from __future__ import annotations

from pathlib import Path

from leadapron.attacks.linkage import ALL_ATTACKERS
from leadapron.engine import Progress, atomic_path, silent
from leadapron.engine.ours import claim
from leadapron.errors import ConfigError
from leadapron.release import Release
from leadapron.trials.entrant_trial import Bench, run_trial
from leadapron.trials.entrants import read_entrants
from leadapron.trials.frontier import Frontier, build_frontier
from leadapron.trials.scenarios import Scenario, scenarios_of
from leadapron.trials.trial_config import TrialConfig
from leadapron.trials.trial_page import as_json, as_page

FORMS = {"frontier.json": as_json, "report.html": as_page}


def trial(
    before: Release | Path | str,
    *afters: Release | Path | str,
    out: Path,
    config: TrialConfig | None = None,
    verify: bool = True,
    command: str = "leadapron.trial(…)",
    progress: Progress = silent,
) -> Frontier:
    """Attack and use ``before`` and each of ``afters``, all of them releases or all of them federated runs.

    Audits, the frontier and its page go to ``out``. An interrupted trial goes on where it was.
    """
    config = config or TrialConfig()
    first, *others = (one if isinstance(one, Release) else Path(one) for one in (before, *afters))
    entrants = read_entrants(first, tuple(others), verify=verify, split_by=config.split_by)  # refused now, if at all
    scenarios = scenarios_of(entrants[0])
    _check_options(config, scenarios, entrants[0].kind)
    out.mkdir(parents=True, exist_ok=True)
    claim(out, *FORMS)
    bench = Bench(entrants[0], scenarios, config, out, command)
    trials = []
    for done, entrant in enumerate(entrants):
        progress(f"{entrants[0].kind}s", done, len(entrants))
        trials.append(run_trial(bench, entrant, progress))
    progress(f"{entrants[0].kind}s", len(entrants), len(entrants))
    frontier = build_frontier(bench.scenarios, trials, seed=config.seed)
    for name, form in FORMS.items():
        with atomic_path(out / name) as partial:
            partial.write_text(form(frontier), encoding="utf-8")
    return frontier


def _check_options(config: TrialConfig, scenarios: list[Scenario], kind: str) -> None:
    if kind == "run" and config != TrialConfig(seed=config.seed):
        raise ConfigError(
            "a trial of federated runs takes no option but --seed", fix="Leave out the others: they are of releases."
        )
    if config.attackers != ALL_ATTACKERS and not any(one.audit.name == "linkage" for one in scenarios):
        raise ConfigError(
            "these attackers pair images with reports, and there are none",
            where="--attacker",
            got=", ".join(config.attackers),
            fix="Call it without --attacker.",
        )
