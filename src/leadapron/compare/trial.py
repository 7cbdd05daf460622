"""A trial: one release attacked by everybody who knows its defence, and asked what it is still good for."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from leadapron import __version__
from leadapron.attacks.identity import IdentityConfig, audit_identity, has_mates
from leadapron.attacks.linkage import ALL_ATTACKERS, USUAL_POOLS, LinkageConfig, audit_linkage
from leadapron.attacks.linkage.audit import run_attacks
from leadapron.attacks.linkage.task import build_task
from leadapron.attacks.risk import Risk
from leadapron.compare.exposure import MODELS, can_be_exposed, expose
from leadapron.engine import Progress, atomic_path, silent
from leadapron.engine.ours import claim
from leadapron.engine.private import private_folder
from leadapron.errors import ConfigError, DataError
from leadapron.release import Release, read_release
from leadapron.release.beside import controls_beside
from leadapron.release.provenance import hashes_of, inputs_of, versions
from leadapron.report import Results, read_results, write_results
from leadapron.report.render import write_page
from leadapron.utility import Utility, UtilityConfig, measure_utility, read_utility, write_utility
from leadapron.utility.utility import STRENGTHS

RECOGNISERS = ("cosine", "whitened", "learned")
REDRAWS = 1000
BY_WORDS = ("cosine", "csls", "realigned")
"""Attackers who are let loose with the reports' words; the others add little there."""


@dataclass(frozen=True)
class Entrant:
    """A release that enters the comparison. A control stands beside the defence that it is ``of``."""

    name: str
    role: str
    path: Path
    of: str | None = None


@dataclass(frozen=True)
class TrialConfig:
    """The pool that linkage is read off, None for the largest usual one, and who attacks.

    ``probe_strength`` is the L2 strength of the probe where the validation patients are too few to choose one.
    """

    pool: int | None = None
    attackers: tuple[str, ...] = ALL_ATTACKERS
    seed: int = 0
    probe_strength: float | None = None


@dataclass(frozen=True)
class Trial:
    """What was found.

    ``by_words`` is the audit by attackers who hold the reports' words and the encoder, so that only the images are
    defended. ``training`` is the linkage of the training patients' own pairs by the published attacker.
    """

    entrant: Entrant
    defence: Mapping[str, Any]
    linkage: Results
    by_words: Results
    training: Mapping[str, Any]
    utility: Utility
    identity: Results | None
    """Whether patients are recognised by their images; None where none of the test patients has two."""
    membership: Results | None
    """Whether a model that learns from the release gives away whom it learnt from; None with too few to learn from."""

    @property
    def errors(self) -> tuple[str, ...]:
        """Controls that failed: what they vouch for is not to be believed."""
        outcomes = [
            *((one.check, one.outcome, one.reason) for one in self.utility.outcomes),
            *(
                (one["check"], one["outcome"], one["reason"])
                for audit in (self.linkage, self.by_words, self.identity, self.membership)
                if audit is not None
                for one in audit.content["outcomes"]
            ),
        ]
        return tuple(f"{check}: {reason}" for check, outcome, reason in outcomes if outcome == "error")


def find_entrants(before: Path, afters: tuple[Path, ...]) -> list[Entrant]:
    """The releases by name, and the controls that lie beside a defended one."""
    entrants = [Entrant(before.resolve().name, "before", before)]
    for path in afters:
        name = path.resolve().name
        entrants.append(Entrant(name, "defence", path))
        controls = sorted(card.parent for card in controls_beside(path).glob("*/release.json"))
        entrants += [Entrant(f"{name}/{control.name}", "control", control, of=name) for control in controls]
    names = [entrant.name for entrant in entrants]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ConfigError("two releases have the same name", got=", ".join(sorted(twice)), fix="Rename a folder.")
    return entrants


def run_trial(
    entrant: Entrant,
    before: Path,
    folder: Path,
    config: TrialConfig,
    command: str,
    *,
    verify: bool = True,
    progress: Progress = silent,
) -> Trial:
    """The trial, kept in ``folder``: one that is there already, of the same releases and configuration, is read.

    ``before`` is the undefended release, from which the attacker who holds the words takes the reports.
    """
    release = read_release(entrant.path, verify=verify)
    inputs = {**inputs_of(entrant.path, release), "release": entrant.name, "before": hashes_of(before)}
    key = {"leadapron": __version__, "config": asdict(config), "inputs": inputs}
    card = folder / "trial.json"
    if not (card.is_file() and json.loads(card.read_text()).get("key") == json.loads(json.dumps(key))):
        claim(private_folder(folder), card.name)
        training = _run(release, read_release(before, verify=verify), folder, config, command, inputs, progress)
        with atomic_path(card, private=True) as partial:  # last: without it the trial is run again
            partial.write_text(json.dumps({"key": key, "training": training}, indent=1))
    defence = release.card.get("defence")
    return Trial(
        entrant,
        defence if isinstance(defence, dict) else {},
        read_results(folder / "linkage"),
        read_results(folder / "linkage-by-words"),
        json.loads(card.read_text())["training"],
        read_utility(folder / "utility"),
        read_results(folder / "identity") if has_mates(release.of_split("test")) else None,
        read_results(folder / "membership") if can_be_exposed(release) else None,
    )


def _run(
    release: Release,
    before: Release,
    folder: Path,
    config: TrialConfig,
    command: str,
    inputs: Mapping[str, object],
    progress: Progress,
) -> dict[str, object]:
    test, train = _split(release, "test"), _split(release, "train")
    pool = config.pool or _largest_usual(test, train)
    pools = tuple(sorted({*(usual for usual in USUAL_POOLS if usual <= pool), pool}))
    name = inputs["release"]

    def save(risk: Risk, target: Path, title: str, said: dict[str, object]) -> None:
        write_results(
            risk,
            target,
            title=title,
            command=command,
            seed=config.seed,
            config=said,
            inputs=inputs,
            versions=versions(),
            overwrite=True,
            complete=write_page,
        )

    def attack(attacked: Release, known: Release, attackers: tuple[str, ...], target: Path, title: str) -> None:
        linkage = LinkageConfig(pools, attackers=attackers, seed=config.seed, headline_pool=pool)
        risk = audit_linkage(attacked, linkage, known=known, progress=progress)
        save(risk, target, title, {**asdict(linkage), "split": "test", "known_split": "train"})

    attack(test, train, config.attackers, folder / "linkage", f"Linkage audit of {name}")
    mixed = _with_words(release, before)
    attack(
        _split(mixed, "test"),
        _split(mixed, "train"),
        tuple(attacker for attacker in config.attackers if attacker in BY_WORDS) or BY_WORDS,
        folder / "linkage-by-words",
        f"Linkage audit of {name} by attackers who hold the reports' words",
    )
    if has_mates(test):
        identity = IdentityConfig(attackers=RECOGNISERS, redraws=REDRAWS, seed=config.seed)
        tuning = release.of_split("validate") if "validate" in set(release.records["split"]) else None
        tuning = tuning if tuning is not None and has_mates(tuning) else None
        risk = audit_identity(test, identity, known=train, tuning=tuning, progress=progress)
        said = {**asdict(identity), "split": "test", "known_split": "train", "tune_split": tuning and "validate"}
        save(risk, folder / "identity", f"Identity audit of {name}", said)
    if can_be_exposed(release):
        membership = {"models": MODELS, "seed": config.seed, "split": "train"}
        risk = expose(release, config.seed, progress=progress)
        save(risk, folder / "membership", f"Membership audit of probes on {name}", membership)
    strengths = STRENGTHS if config.probe_strength is None else (config.probe_strength,)
    measured = measure_utility(release, UtilityConfig(strengths=strengths, seed=config.seed), progress=progress)
    write_utility(
        measured,
        folder / "utility",
        title=f"Utility of {name}",
        command=command,
        inputs=inputs,
        versions=versions(),
        overwrite=True,
    )
    own = LinkageConfig((pool,), attackers=("cosine",), seed=config.seed, headline_pool=pool, queries=len(test))
    estimates = run_attacks(train, own, progress=progress).estimates
    return next(
        asdict(row)
        for row in estimates
        if (row.direction, row.protocol, row.pool, row.metric, row.group)
        == ("image-to-report", "random", pool, "recall@1", None)
    )


def _with_words(release: Release, before: Release) -> Release:
    """The defended images beside the reports as they were: whoever has the words and the encoder makes these anew.

    Where the defence changed the width, the narrower side is filled with zeros; the attacker's maps do the rest.
    """
    if not release.records["record_id"].equals(before.records["record_id"]):
        raise DataError("the defended release is not of the same records", where=release.where)
    width = max(release.image.shape[1], before.text.shape[1])
    arrays = {
        name: np.pad(rows, ((0, 0), (0, width - rows.shape[1])))
        for name, rows in (("image", release.image), ("text", before.text))
    }
    return Release(release.records, arrays, release.card, release.where, fitted=release.fitted)


def _split(release: Release, name: str) -> Release:
    if "patient_id" not in release.records.columns:
        raise DataError("a comparison needs patients: attackers learn from some and are judged on others")
    return release.of_split(name)


def _largest_usual(*releases: Release) -> int:
    """The largest of the study's pools that the patients of every split fill."""
    size = min(build_task(release, "image-to-report").database.size for release in releases)
    return max((pool for pool in USUAL_POOLS if pool <= size), default=size)
