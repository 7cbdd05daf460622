"""How the target networks are built and trained."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.errors import ConfigError
from leadapron.targets.networks.views import PART, PARTIAL
from leadapron.targets.settings import check_settings

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
        check_settings(self, ("width", "epochs", "batch"), tuple(PARTIAL))
