"""Train the heads of a release anew: privately, with a guarantee that is proved; as published; and with controls."""

from leadapron.defences.heads.defend import defend_heads
from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.defences.heads.methods import CONTROLS, METHODS, Method, controls_of
from leadapron.defences.heads.transfer import transfer_heads

__all__ = [
    "CONTROLS",
    "METHODS",
    "HeadsConfig",
    "Method",
    "controls_of",
    "defend_heads",
    "transfer_heads",
]
