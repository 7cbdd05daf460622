"""Linkage: can a de-identified radiograph be paired with its report again?"""

from leadapron.attacks.linkage.linkage_audit import LINKAGE, USUAL_POOLS, LinkageConfig, audit_linkage
from leadapron.attacks.linkage.linkers import ALL_ATTACKERS, check_possible, possible
from leadapron.attacks.linkage.random_pools import chance, recall_at_1_curve, recall_in_pool, reciprocal_rank_in_pool
from leadapron.attacks.linkage.ranks import Ranks, rank_truth

__all__ = [
    "ALL_ATTACKERS",
    "LINKAGE",
    "USUAL_POOLS",
    "LinkageConfig",
    "Ranks",
    "audit_linkage",
    "chance",
    "check_possible",
    "possible",
    "rank_truth",
    "recall_at_1_curve",
    "recall_in_pool",
    "reciprocal_rank_in_pool",
]
