"""Identity: are two radiographs of the same patient?"""

from leadapron.attacks.identity.gallery import has_mates
from leadapron.attacks.identity.identity_audit import (
    ALL_ATTACKERS,
    IDENTITY,
    USUAL_POOLS,
    IdentityConfig,
    audit_identity,
)

__all__ = ["ALL_ATTACKERS", "IDENTITY", "USUAL_POOLS", "IdentityConfig", "audit_identity", "has_mates"]
