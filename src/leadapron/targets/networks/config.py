"""How the target networks are built and trained."""

from __future__ import annotations

import math
from dataclasses import dataclass

from leadapron.defences.heads.config import LEVELS
from leadapron.errors import ConfigError, did_you_mean
from leadapron.targets.networks.views import PART, check_views

SMALLEST_IMAGE = 32


@dataclass(frozen=True)
class NetworkConfig:
    """A wide residual network and its training, by default with the counter-measures of the published study.

    - ``depth`` and ``width``: as in WRN-28-2; the depth is 6n + 4
    - ``early_stopping``: the weights of the epoch with the least loss on the patients of split 'validate'
    - ``augment``: every image is moved and exposed a little differently in each epoch
    - ``epsilon``: train privately; ``level`` says who is protected, and ``batch`` counts them. ``delta`` None is the
      default of private heads
    - ``views``: partial knowledge that the models are also asked with
    """

    depth: int = 28
    width: int = 2
    image_size: int = 64
    epochs: int = 30
    batch: int = 128
    learning_rate: float = 1e-2
    weight_decay: float = 5e-2
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
        if self.depth < 10 or self.depth % 6 != 4:
            allowed = "6n + 4: 10, 16, 22, 28, 34, 40 and so on"
            raise ConfigError(
                "no wide residual network has this depth", where="--depth", got=self.depth, allowed=allowed
            )
        if self.image_size < SMALLEST_IMAGE or self.image_size % PART:
            allowed = f"a multiple of {PART}, {SMALLEST_IMAGE} or more"
            raise ConfigError("the images do not fit", where="--image-size", got=self.image_size, allowed=allowed)
        if self.level not in LEVELS:
            raise ConfigError(
                "unknown level", where="--level", got=self.level, allowed=did_you_mean(self.level, LEVELS)
            )
        if self.epsilon is None and self.delta is not None:
            raise ConfigError("a delta without an epsilon promises nothing", where="--delta", got=self.delta)
        if self.seed < 0:
            raise ConfigError("not a seed", where="--seed", got=self.seed, allowed="0 or more")
        check_views(self.views)
        self._check_numbers()

    def _check_numbers(self) -> None:
        for name in ("width", "epochs", "batch"):
            if getattr(self, name) < 1:
                raise ConfigError("not a count", where=_option(name), got=getattr(self, name), allowed="1 or more")
        for name in ("learning_rate", "clip", "epsilon", "delta"):
            value = getattr(self, name)
            if value is not None and not (math.isfinite(value) and value > 0):
                raise ConfigError("out of range", where=_option(name), got=value, allowed="a finite number above 0")
        if not (math.isfinite(self.weight_decay) and self.weight_decay >= 0):
            allowed = "a finite number, 0 or more"
            raise ConfigError("out of range", where="--weight-decay", got=self.weight_decay, allowed=allowed)


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
