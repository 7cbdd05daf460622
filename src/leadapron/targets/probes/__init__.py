"""Probes on frozen embeddings as targets: linear ones and small networks, many at once on every core."""

from leadapron.targets.probes.probe_data import ProbeConfig
from leadapron.targets.probes.probe_learner import Probes, probes_of

__all__ = ["ProbeConfig", "Probes", "probes_of"]
