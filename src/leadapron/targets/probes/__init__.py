"""Probes on frozen embeddings as targets: linear ones and small networks, many at once on every core."""

from leadapron.targets.probes.config import ProbeConfig
from leadapron.targets.probes.learner import Probes, probes_of

__all__ = ["ProbeConfig", "Probes", "probes_of"]
