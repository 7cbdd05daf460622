"""Train the heads of a release anew: privately, with a guarantee that is proved; as published; and with controls."""

from leadapron.defences.heads.accounting import Spending, solve_sigma
from leadapron.defences.heads.bounds import LinkageBound, approximate_bound, bound_linkage, gaussian_bound
from leadapron.defences.heads.config import HeadsConfig
from leadapron.defences.heads.defend import defend_heads
from leadapron.defences.heads.methods import CONTROLS, METHODS, Method, controls_of
from leadapron.defences.heads.transfer import transfer_heads

__all__ = [
    "CONTROLS",
    "METHODS",
    "HeadsConfig",
    "LinkageBound",
    "Method",
    "Spending",
    "approximate_bound",
    "bound_linkage",
    "controls_of",
    "defend_heads",
    "gaussian_bound",
    "solve_sigma",
    "transfer_heads",
]
