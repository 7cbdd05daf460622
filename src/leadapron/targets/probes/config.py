"""What the user may choose of probes: their size, how they learn, what holds them back, and what is promised."""

from __future__ import annotations

import math
from dataclasses import dataclass

from leadapron.defences.heads.config import LEVELS
from leadapron.errors import ConfigError, did_you_mean

KINDS = ("linear", "mlp")
SOME_FEATURES = "some-features"
VIEWS = (SOME_FEATURES,)
USUAL_BATCH, SHARE = 128, 8


@dataclass(frozen=True)
class ProbeConfig:
    """Options of ``probes_of``.

    - ``hidden``: units between the embedding and the labels; a linear probe has none
    - ``batch``: records of a step; with ``epsilon``, how many records or patients a step draws on average; None takes
      a usual number, but not more than an eighth of what a model has
    - ``weight_decay``, ``schedule``, ``early_stopping``, ``augment``: what keeps a model from learning its patients by
      heart; each can be switched off
    - ``epsilon``, ``delta``, ``level``, ``clip``: private training and whom it protects
    - ``views``: attackers who know less than the whole record
    - ``seed``: that of the study; every model has one of its own besides
    """

    kind: str = "mlp"
    hidden: int = 64
    epochs: int = 30
    batch: int | None = None
    learning_rate: float = 3e-3
    weight_decay: float = 0.05
    schedule: bool = True
    early_stopping: bool = True
    augment: bool = True
    epsilon: float | None = None
    delta: float | None = None
    level: str = "patient"
    clip: float = 1.0
    views: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "views", tuple(self.views))
        for option, value, known in (
            ("--kind", self.kind, KINDS),
            ("--level", self.level, LEVELS),
            *(("--view", view, VIEWS) for view in self.views),
        ):
            if value not in known:
                raise ConfigError("unknown name", where=option, got=value, allowed=did_you_mean(value, known))
        if len(set(self.views)) < len(self.views):
            raise ConfigError("a view is there twice", where="--view", got=", ".join(self.views))
        for name in ("hidden", "epochs", "batch"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ConfigError("not a count", where=f"--{name}", got=value, allowed="1 or more")
        for name in ("learning_rate", "clip", "epsilon", "delta"):
            self._check(name, above=0.0)
        self._check("weight_decay", above=-math.ulp(0.0))
        if self.seed < 0:
            raise ConfigError("not a seed", where="--seed", got=self.seed, allowed="0 or more")
        if self.delta is not None and self.epsilon is None:
            raise ConfigError("delta without epsilon promises nothing", where="--delta", got=self.delta)

    def _check(self, name: str, *, above: float) -> None:
        value = getattr(self, name)
        if value is not None and not (math.isfinite(value) and value > above):
            allowed = "a finite number above 0" if above == 0 else "a finite number, 0 or more"
            raise ConfigError("out of range", where="--" + name.replace("_", "-"), got=value, allowed=allowed)

    @property
    def private(self) -> bool:
        return self.epsilon is not None

    def batch_of(self, units: float) -> int:
        """The batch of models that have so many records or patients: with larger ones they would take too few steps."""
        return self.batch or min(USUAL_BATCH, max(1, int(units / SHARE)))
