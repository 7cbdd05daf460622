"""Membership: was a patient's record among those that a model was trained on?"""

from leadapron.attacks.membership.as_found import AsFoundConfig, audit_as_found
from leadapron.attacks.membership.as_found_reading import AsFound, build_as_found, read_as_found
from leadapron.attacks.membership.audit import MembershipConfig, audit_membership
from leadapron.attacks.membership.declared import Declared
from leadapron.attacks.membership.plan import error_with, models_needed
from leadapron.attacks.membership.promise import Promise
from leadapron.attacks.membership.reading import build_signals, read_signals
from leadapron.attacks.membership.signals import Signals

__all__ = [
    "AsFound",
    "AsFoundConfig",
    "Declared",
    "MembershipConfig",
    "Promise",
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
