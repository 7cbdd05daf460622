"""What the user may choose. Everything left open is filled in by ``plan``, from the method and the data."""

from __future__ import annotations

import math
from dataclasses import dataclass

from leadapron.defences.heads.methods import CONTROLS, METHODS
from leadapron.defences.heads.network import FRESH
from leadapron.errors import ConfigError, did_you_mean

LEVELS = ("patient", "record")
STARTS = ("released", *FRESH)
ENTROPIES = ("maximise", "minimise")


@dataclass(frozen=True)
class HeadsConfig:
    """Options of ``defend_heads``; None stands for the method's own default."""

    method: str = "private"
    epsilon: float | None = None
    sigma: float | None = None
    delta: float | None = None
    level: str | None = None
    batch: int | None = None
    epochs: int | None = None
    clip: float = 1.5
    temperature: float = 0.1
    learning_rate: float | None = None
    weight_decay: float = 0.01
    records_per_patient: int = 1
    entropy: str = "maximise"
    entropy_weight: float = 0.1
    decorrelation: float = 0.2
    start: str | None = None
    dimension: int = 128
    bank_size: int = 512
    bank_sigma: float | None = None
    """Noise of the fit behind a bank of drawn strangers, where there is no public one."""
    bank_has_other_ids: bool = False
    secure_noise: bool = True
    seed: int = 0
    control: str | None = None
    """Not the method itself but one of its controls."""

    def __post_init__(self) -> None:
        self._check_names()
        self._check_numbers()
        if self.epsilon is not None and self.sigma is not None:
            raise ConfigError(
                "either of --epsilon and --sigma decides the noise, not both", got=(self.epsilon, self.sigma)
            )
        if self.method in CONTROLS and self.control is None:
            object.__setattr__(self, "control", self.method)
            object.__setattr__(self, "method", "private")

    def _check_names(self) -> None:
        for option, value, known in (
            ("--method", self.method, tuple(METHODS)),
            ("--level", self.level or "patient", LEVELS),
            ("--start", self.start or "released", STARTS),
            ("--entropy", self.entropy, ENTROPIES),
            ("control", self.control or "untrained", tuple(CONTROLS)),
        ):
            if value not in known:
                raise ConfigError("unknown name", where=option, got=value, allowed=did_you_mean(value, known))

    def _check_numbers(self) -> None:
        for name in ("batch", "epochs", "records_per_patient", "dimension", "bank_size"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError("not a count", where=_option(name), got=value, allowed="1 or more")
        for name in ("epsilon", "sigma", "bank_sigma", "delta", "clip", "temperature", "learning_rate"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ConfigError("out of range", where=_option(name), got=value, allowed="a finite number above 0")
        for name in ("weight_decay", "entropy_weight", "decorrelation"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise ConfigError("out of range", where=_option(name), got=value, allowed="a finite number, 0 or more")


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
