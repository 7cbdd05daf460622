"""Membership: was a patient's record among those that a model was trained on?"""

from leadapron.attacks.membership.as_found_audit import AS_FOUND, AsFoundConfig, audit_as_found
from leadapron.attacks.membership.as_found_reading import FoundModels, build_as_found, read_as_found
from leadapron.attacks.membership.declared import Declared
from leadapron.attacks.membership.membership_audit import MEMBERSHIP, audit_membership
from leadapron.attacks.membership.membership_config import MembershipConfig
from leadapron.attacks.membership.reading import build_signals, read_signals
from leadapron.attacks.membership.signals import Signals
from leadapron.attacks.membership.training_plan import error_with, models_needed

__all__ = [
    "AS_FOUND",
    "MEMBERSHIP",
    "AsFoundConfig",
    "Declared",
    "FoundModels",
    "MembershipConfig",
    "Signals",
    "audit_as_found",
    "audit_membership",
    "build_as_found",
    "build_signals",
    "error_with",
    "models_needed",
    "read_as_found",
    "read_signals",
]
