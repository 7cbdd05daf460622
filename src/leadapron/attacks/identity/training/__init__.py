"""Train attackers that recognise a patient by the image alone: a retrieval and a verification network.

What needs torch is imported from the modules themselves, when a network is trained or applied.
"""

from leadapron.attacks.identity.training.identity_training_config import (
    BACKBONES,
    NETWORKS,
    PUBLISHED,
    Phase,
    TrainingConfig,
    choose,
)

__all__ = ["BACKBONES", "NETWORKS", "PUBLISHED", "Phase", "TrainingConfig", "choose"]
