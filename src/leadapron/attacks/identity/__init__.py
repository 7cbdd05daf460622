"""Identity: are two radiographs of the same patient?"""

from leadapron.attacks.identity.audit import ALL_ATTACKERS, USUAL_POOLS, IdentityConfig, audit_identity

__all__ = ["ALL_ATTACKERS", "USUAL_POOLS", "IdentityConfig", "audit_identity"]
