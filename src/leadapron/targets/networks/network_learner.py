"""Networks on images as targets of a membership audit: the constructor that a study calls."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort import Pixels
from leadapron.engine import Progress, silent, worker_count
from leadapron.engine.extras import need, torch_threads
from leadapron.targets.budget import Budget
from leadapron.targets.learner import LOGITS, Learner, Trained
from leadapron.targets.networks.network_data import NetworkConfig, NetworkData, data_of
from leadapron.training.devices import device

PURPOSE = "training target networks"


def networks_of(pixels: Pixels, config: NetworkConfig) -> Learner:
    """What trains networks on the split 'train' of these pixels; what is missing for it is missed here already."""
    device(config.device)
    data = data_of(pixels, config)
    if config.epsilon is None:
        return _Networks(data, config, None)
    from leadapron.targets.networks.private_network import plan_privacy

    audited = len(data.audited) if config.level == "record" else int(data.patient.max()) + 1
    return _Networks(data, config, plan_privacy(config, audited))


@dataclass(frozen=True)
class _Networks:
    """One at a time: a network keeps all cores busy by itself."""

    data: NetworkData
    config: NetworkConfig
    privacy: Budget | None

    @property
    def together(self) -> int:
        return 1

    @property
    def answers_are(self) -> str:
        return LOGITS

    @property
    def labels(self) -> Sequence[str]:
        return self.data.names

    def train(self, members: NDArray[np.bool_], seeds: Sequence[int], *, progress: Progress = silent) -> list[Trained]:
        from leadapron.targets.networks.train_network import train_one

        with torch_threads(worker_count()):
            return [
                train_one(self.data, self.config, self.privacy, row, seed, progress)
                for row, seed in zip(members, seeds, strict=True)
            ]

    def describe(self) -> dict[str, object]:
        """The version of torch is in it: another one may round differently.

        The device is not, although it may round differently, too: a study may go on, or be shared, on machines with
        and without a GPU. The card of a model names the device.
        """
        version = str(need("torch", PURPOSE).__version__)
        settings = {name: value for name, value in asdict(self.config).items() if name != "device"}
        return {"kind": "network", **settings, "views": list(self.config.views), "torch": version}
