"""Identity: are two radiographs of the same patient?"""

from leadapron.attacks.identity.audit import ALL_ATTACKERS, USUAL_POOLS, IdentityConfig, audit_identity
from leadapron.attacks.identity.gallery import has_mates

__all__ = ["ALL_ATTACKERS", "USUAL_POOLS", "IdentityConfig", "audit_identity", "has_mates"]
