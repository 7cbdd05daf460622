"""What the user may choose. Everything left open is filled in by ``plan``, from the method and the data."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, get_args

from pydantic import Field, model_validator

from leadapron.defences.heads.methods import CONTROLS, METHODS
from leadapron.defences.subjects import OtherRelease
from leadapron.engine.documents import Config
from leadapron.errors import ConfigError, did_you_mean
from leadapron.training.devices import AUTO, HELP

Level = Literal["patient", "record"]
LEVELS = get_args(Level)


class HeadsConfig(Config):
    """Options of the methods that train heads; None stands for the method's own default."""

    method: str = Field("private", json_schema_extra={"on_card": False})
    control: str | None = Field(None, json_schema_extra={"on_card": False})
    """Not the method itself but one of its controls."""
    bank: OtherRelease | None = Field(
        None,
        description="A public release of other patients by the same encoder, with features, to tell pairs apart from. "
        "[default: strangers drawn from a private fit, at a cost in epsilon]",
    )
    bank_has_other_ids: bool = Field(False, description="Equal patient ids in the bank name other people.")
    bank_size: int = Field(512, ge=1, description="Strangers in the bank.")
    bank_sigma: float | None = Field(
        None,
        gt=0,
        description="Noise of the private fit, where there is no bank. [default: what 0.3 of epsilon allows]",
    )
    epsilon: float | None = Field(
        None, gt=0, description="Privacy to keep. [default: 1 for private; prototype: not private]"
    )
    sigma: float | None = Field(None, gt=0, description="Noise in units of the clip, instead of --epsilon.")
    delta: float | None = Field(
        None,
        gt=0,
        description="Chance that the promise fails. [default: 1e-5, or half of 1 / patients if that is less]",
    )
    level: Level | None = Field(None, description="Whom to protect. [default: patient]")
    batch: int | None = Field(
        None, ge=1, description="Expected patients per step. [default: 2048, or an eighth of them]"
    )
    epochs: int | None = Field(
        None,
        ge=1,
        description="Passes over the training pairs. [default: 5; entropy 500, prototype 60, or 10 if private]",
    )
    clip: float = Field(1.5, gt=0, description="Longest gradient of a patient.")
    temperature: float = Field(0.1, gt=0, description="Temperature of the contrastive loss.")
    learning_rate: float | None = Field(
        None, gt=0, description="Length of a step. [default: 3e-4; prototype 1e-3, or 5e-3 if private]"
    )
    weight_decay: float = Field(0.01, ge=0, description="Weight decay of the optimiser.")
    records_per_patient: int = Field(1, ge=1, description="Records that a patient's gradient is the mean of.")
    entropy: Literal["maximise", "minimise"] = Field("maximise", description="The sign of the entropy term.")
    entropy_weight: float = Field(0.1, ge=0, description="The weight of the entropy term.")
    decorrelation: float = Field(
        0.2,
        ge=0,
        description="Without privacy: how hard to hold down what is shared beyond the labels.",
    )
    start: Literal["released", "linear", "mlp", "biovil-t"] | None = Field(
        None, description="Heads to start from. [default: the release's own, or fresh linear ones; prototype: mlp]"
    )
    dimension: int = Field(128, ge=1, description="Width of fresh heads.")
    norms: Literal["swap", "keep"] | None = Field(
        None,
        description="Exchange the heads' batch norm for group norm, or keep it with its statistics frozen. "
        "[default: swap for replication and entropy, as published]",
    )
    device: str = Field(AUTO, description=HELP, json_schema_extra={"on_card": False})
    """The card tells, among the facts, which one was used."""
    seed: int | None = Field(
        None,
        ge=0,
        description="Draw the noise from a seed, for experiments: who knows it takes the noise off. "
        "[default: secret noise]",
        json_schema_extra={"on_card": False},
    )
    work: Path | None = Field(None, json_schema_extra={"option": None, "on_card": False})
    """Where each finished epoch of a run with seeded noise is kept, and of one with secure noise all but the noise."""

    @model_validator(mode="before")
    @classmethod
    def _control_by_name(cls, given: dict[str, object]) -> dict[str, object]:
        """A control that is asked for by itself is one of private training."""
        if given.get("method") in {*CONTROLS} & {*METHODS} and given.get("control") is None:
            return {**given, "method": "private", "control": given["method"]}
        return given

    @model_validator(mode="after")
    def _check(self) -> HeadsConfig:
        for what, name, known in (("method", self.method, METHODS), ("control", self.control, CONTROLS)):
            if name is not None and name not in known:
                raise ConfigError(f"unknown {what}", got=name, allowed=did_you_mean(name, known))
        if self.epsilon is not None and self.sigma is not None:
            raise ConfigError("either of epsilon and sigma decides the noise, not both", got=(self.epsilon, self.sigma))
        return self

    @property
    def name(self) -> str:
        return self.control or self.method

    @property
    def drawn_from(self) -> int:
        """The seed of all that is drawn and need not be secret."""
        return self.seed or 0
