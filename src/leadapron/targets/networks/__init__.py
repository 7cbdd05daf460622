"""Networks on images as targets: wide residual networks, plain or private. Importing them takes torch."""

from leadapron.targets.networks.network_data import NetworkConfig
from leadapron.targets.networks.network_learner import networks_of

__all__ = ["NetworkConfig", "networks_of"]
