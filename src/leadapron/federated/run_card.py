"""What a run leaves behind: run.json, the model, and every update that the server saw.

RUN/run.json            the plan, the rounds, and what the model can do
RUN/model.npz           the weights of the round that the validation patients chose
RUN/rounds/0007/        global.npz: the weights after round 7; hospital-03.npz, public.npz: what each sent in it
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile

import numpy as np
from pydantic import Field

from leadapron.engine import atomic_path
from leadapron.engine.documents import Document, parse
from leadapron.engine.ours import LIST, is_partial
from leadapron.errors import ConfigError, DataError
from leadapron.federated.federation_folder import Member
from leadapron.federated.federation_plan import Plan
from leadapron.federated.station import Arrays

FORMAT = 1
CARD, MODEL, ROUNDS, GLOBAL, PUBLIC = "run.json", "model.npz", "rounds", "global", "public"
RUN_AGAIN = "Run the same command again."


class Scores(Document):
    """Macro AUROC with both halves, with the image alone and with the text alone; None where no model can."""

    both: float | None
    image: float | None
    text: float | None


class Round(Document):
    """One round, as the server saw it."""

    number: int
    validation: Scores
    weights: str
    """sha256 of the model's weights."""
    losses: dict[str, float | None] = Field(default_factory=dict)
    """Of the hospitals that count; None where the loss was not sent, because updates are noised."""
    left_out: dict[str, str] = Field(default_factory=dict)
    """Hospitals that were asked and do not count in this round, and why."""
    messages: int = 0
    bytes_sent: int = 0
    bytes_received: int = 0
    chosen: dict[str, float] = Field(default_factory=dict)


class Tested(Document):
    """Macro AUROC on the test patients, with a 95 % interval over patients."""

    view: Literal["both", "image", "text"]
    value: float
    low: float
    high: float
    findings: dict[str, float | None] = Field(default_factory=dict)


class Run(Document):
    """A federated training from the server's side."""

    format: int = FORMAT
    leadapron: str
    engine: str
    plan: Plan
    source: str
    """What was dealt: a hash of the input."""
    labels: tuple[str, ...]
    members: tuple[Member, ...]
    public_records: int
    parameters: int
    begin: str
    """sha256 of the weights before the first round."""
    rounds: tuple[Round, ...] = ()
    best: int | None = None
    """The round whose weights are the model: the best on the validation patients."""
    test: tuple[Tested, ...] = ()
    guarantee: dict[str, Any] = Field(default_factory=dict)
    updates_kept: bool = True

    @property
    def finished(self) -> bool:
        return self.best is not None

    def tested(self, view: str) -> Tested:
        return next(one for one in self.test if one.view == view)


def write_run(run: Run, folder: Path) -> None:
    with atomic_path(folder / CARD, private=True) as path:
        path.write_text(run.model_dump_json(indent=1))


def read_run(folder: Path) -> Run:
    file = folder / CARD
    try:
        text = file.read_text()
    except OSError as error:
        raise DataError("there is no federated run here", where=folder, allowed="a folder with run.json") from error
    return parse(text, Run, file, fix=RUN_AGAIN, of_format=FORMAT)


def run_of_plan(folder: Path, plan: Plan) -> Run | None:
    """The run of this plan in a folder; None where a new one can begin. Anything else that is there is refused."""
    if (folder / CARD).exists():
        there = read_run(folder)
        if there.plan.fingerprint != plan.fingerprint:
            raise another_run(folder, "plan", got=plan.fingerprint, allowed=there.plan.fingerprint)
        return there
    if folder.exists() and any(path.name != LIST and not is_partial(path) for path in folder.iterdir()):
        raise ConfigError("the folder holds something else than a run", where=folder, fix="Choose another.")
    return None


def another_run(folder: Path, what: str, *, got: str, allowed: str) -> ConfigError:
    return ConfigError(
        f"another run is in this folder: its {what} differs",
        where=folder / CARD,
        got=got[:60],
        allowed=allowed[:60],
        fix="Choose another place, or give the plan that it was begun with.",
    )


def round_file(folder: Path, number: int, name: str) -> Path:
    return folder / ROUNDS / f"{number:04d}" / f"{name}.npz"


def write_arrays(arrays: Mapping[str, Any], file: Path) -> None:
    with atomic_path(file, private=True) as path, path.open("wb") as stream:
        np.savez(stream, **arrays)


def read_arrays(file: Path) -> Arrays:
    try:
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as found:
            return {name: found[name] for name in found.files}
    except (OSError, ValueError, EOFError, BadZipFile) as error:
        raise DataError(f"the weights cannot be read ({error})", where=file, fix=RUN_AGAIN) from error
