"""Networks on images as targets: wide residual networks, plain or private. Importing them takes torch."""

from leadapron.targets.networks.config import NetworkConfig
from leadapron.targets.networks.learner import networks_of

__all__ = ["NetworkConfig", "networks_of"]
