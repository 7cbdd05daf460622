"""Federated training, whole: deal the patients, run the rounds, judge the model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from leadapron.engine import Progress, silent
from leadapron.errors import ConfigError, MissingExtraError, did_you_mean
from leadapron.federated.federation_plan import Plan
from leadapron.federated.gathered import Gathered, from_release
from leadapron.federated.methods import check_method
from leadapron.federated.run_card import Round, Run, run_of_plan
from leadapron.release import Release, read_release

Engine = Literal["in-process", "flower"]
ENGINES: tuple[Engine, ...] = get_args(Engine)
ROWS_AT_ONCE = 4096
Tell = Callable[[Run, Round], None]
"""Called after every round."""


@dataclass(frozen=True)
class Machine:
    """What is not a part of the plan, because it changes no result: where and how the training is run."""

    engine: Engine = "in-process"
    device: str = "auto"
    weights: Path | None = None
    """The folder of the published encoders' weights."""
    keep_updates: bool = True


def federate(
    source: Release | Gathered,
    out: Path,
    plan: Plan,
    *,
    machine: Machine | None = None,
    tell: Tell = lambda _run, _round: None,
    progress: Progress = silent,
) -> Run:
    """Deal a release to hospitals and train. A run that was interrupted goes on; one that is finished is read.

    The hospitals' folders lie beside the run, because they hold patients' records.
    """
    machine = machine or Machine()
    need_torch()
    check_method(plan)
    if machine.engine not in ENGINES:
        allowed = did_you_mean(machine.engine, ENGINES)
        raise ConfigError("unknown engine", where="--engine", got=machine.engine, allowed=allowed)
    run_of_plan(out, plan)  # before the patients are dealt
    home = source if isinstance(source, Gathered) else from_release(source)
    folder = deal_into(hospitals_beside(out), plan, home)
    if machine.engine == "flower":
        from leadapron.federated.flower.simulation import simulate

        return simulate(folder, out, machine, tell=tell, progress=progress)
    from leadapron.federated.in_process import run_in_process

    return run_in_process(folder, out, machine, tell=tell, progress=progress)


def hospitals_beside(run: Path) -> Path:
    """Where the folders of the hospitals and of the server lie."""
    whole = run.resolve()
    return whole.with_name(f"{whole.name}.hospitals-not-for-release")


def deal_into(folder: Path, plan: Plan, home: Gathered) -> Path:
    """The folders of a federation, dealt anew unless the same ones are there."""
    from leadapron.federated.dealing import deal
    from leadapron.federated.federation_folder import CARD, SERVER, read_card, write_federation

    others = {group.release: _other(group.release) for group in plan.members() if group.release is not None}
    source = hash_of(plan, home, others)
    if (folder / SERVER / CARD).exists():
        there = read_card(folder / SERVER)
        if (there.plan.fingerprint, there.source, there.labels) != (plan.fingerprint, source, home.labels):
            raise ConfigError(
                "the hospitals of another federation are there",
                where=folder,
                fix="Choose another place, or remove that folder.",
            )
        return folder
    write_federation(deal(plan, home, others), folder, source=source)
    return folder


def need_torch() -> None:
    try:
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("torch", "train", purpose="federated training") from error


def _other(release: str) -> Gathered:
    return from_release(read_release(Path(release)))


def hash_of(plan: Plan, home: Gathered, others: Mapping[str, Gathered]) -> str:
    """Of all that is dealt, and of what it is dealt by."""
    digest = hashlib.sha256()
    for one in (home, *(others[name] for name in sorted(others))):
        for array in (one.patients, one.splits, one.truth, one.image, one.text):
            if array is not None:
                for start in range(0, len(array), ROWS_AT_ONCE):  # of a release that fits into memory once
                    digest.update(array[start : start + ROWS_AT_ONCE].tobytes())
    if plan.partition == "site":
        digest.update(home.sites(plan.site_column).tobytes())
    return digest.hexdigest()
