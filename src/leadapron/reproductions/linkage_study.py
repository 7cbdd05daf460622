"""The linkage study, run again: two hospitals, four models, both settings, trained heads, transfer and use.

Everything that tells of single patients stays in the work folder. What is written to the output holds numbers of many.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadapron.encoders import EncoderSpec, Weights, find_encoder
from leadapron.engine import Progress, atomic_path, silent
from leadapron.engine.ours import claim
from leadapron.engine.private import private_folder
from leadapron.errors import ConfigError
from leadapron.reproductions.study_config import AWAY, HOME, MITIGATED, PHANTOM, REAL, LineUp, StudyConfig
from leadapron.reproductions.study_output import write_study
from leadapron.reproductions.study_plan import StudyPlan, plan_of
from leadapron.reproductions.study_sites import build_phantoms, check_layout, site_cohort
from leadapron.reproductions.study_steps import Study, run_steps
from leadapron.reproductions.study_tables import study_tables

BEGUN = "study.json"


@dataclass(frozen=True)
class Places:
    """Where the data and weights lie, and where work is kept. Without data sets, phantoms take their place."""

    work: Path
    mimic: Path | None = None
    chexpert_plus: Path | None = None
    weights: Path | None = None
    patients: int = 600
    """Of each phantom clinic."""

    @property
    def phantom(self) -> bool:
        return self.mimic is None


def prepare(places: Places, config: StudyConfig, *, progress: Progress = silent) -> tuple[Study, StudyPlan]:
    """What will be done: weights, tables and folders are looked at first, and refused before anything long begins."""
    lineup = PHANTOM if places.phantom else REAL
    specs = _specs(lineup, config)
    weights = _weights_of(places, lineup, config)
    for name, spec in specs.items():
        spec.load(weights(name))
    given = {HOME: places.mimic, AWAY: places.chexpert_plus}
    sites = {site: path for site, path in given.items() if path is not None}
    for site, path in sites.items():
        check_layout(site, path)
    _begin(places, config)
    if places.phantom:
        sites = build_phantoms(places.work, places.patients, config.seed, progress)
    cohorts = {site: site_cohort(site, path, places.work / site / "cohort", config) for site, path in sites.items()}
    study = Study(config, lineup, cohorts, specs, weights, places.work)
    return study, plan_of(study)


def reproduce_linkage(
    places: Places,
    out: Path,
    config: StudyConfig | None = None,
    *,
    overwrite: bool = False,
    planned: Callable[[StudyPlan], None] = lambda _plan: None,
    progress: Progress = silent,
) -> None:
    """The whole study into ``out``; the same call goes on after a kill. ``planned`` is told the plan before work."""
    study, plan = prepare(places, config or StudyConfig(), progress=progress)
    planned(plan)
    run_steps(plan.steps, progress)
    write_study(study, study_tables(study), out, phantom=places.phantom, overwrite=overwrite)


def _specs(lineup: LineUp, config: StudyConfig) -> dict[str, EncoderSpec]:
    """Those of the models, and of the encoder whose heads are trained, in the order in which they are run."""
    names = [lineup.encoders[model] for model in config.models]
    names += [lineup.heads] if config.trains_heads else []
    mitigated = {lineup.encoders[MITIGATED], lineup.heads}
    return {
        name: find_encoder(name).shown(config.image_size if name in mitigated else None, name)
        for name in dict.fromkeys(names)
    }


def _weights_of(places: Places, lineup: LineUp, config: StudyConfig) -> Callable[[str], Weights]:
    """A folder a model below the one that was named; the phantoms' encoders ship with the package."""
    models = {encoder: model for model, encoder in lineup.encoders.items()} | {lineup.heads: MITIGATED}
    folder = places.weights

    def weights(encoder: str) -> Weights:
        own = None if folder is None or places.phantom else folder / models[encoder]
        return Weights(own, device="cpu" if places.phantom else config.device)

    return weights


def _begin(places: Places, config: StudyConfig) -> None:
    """The work folder, for its owner's eyes alone, is this study's and no other's."""
    said = {
        "config": config.kept_with_work(),
        "of": f"phantoms of {places.patients} patients" if places.phantom else "data sets",
        "folders": [
            path.resolve().name for path in (places.mimic, places.chexpert_plus, places.weights) if path is not None
        ],
    }
    card = private_folder(places.work) / BEGUN
    if card.is_file():
        before = json.loads(card.read_text())
        if before != said:
            raise ConfigError(
                "the work folder belongs to a study with other options or of other data",
                where=places.work,
                got=_differences(said, before),
                allowed=_differences(before, said),
                fix="Name another one with --work, or take the same options.",
            )
        return
    claim(places.work, BEGUN)
    with atomic_path(card, private=True) as partial:
        partial.write_text(json.dumps(said, indent=1))


def _differences(one: dict[str, Any], other: dict[str, Any]) -> str:
    """What of the one is not so in the other, option by option."""
    flat, others = ({**said["config"], "of": said["of"], "folders": said["folders"]} for said in (one, other))
    return ", ".join(f"{name} {value}" for name, value in flat.items() if others.get(name) != value)
