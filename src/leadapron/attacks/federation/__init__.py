"""Federation: what hospitals that train one model together give away of their patients."""

from leadapron.attacks.federation.federation_audit import FEDERATION, FederationConfig, audit_federation
from leadapron.attacks.federation.run_subject import FederatedRun, RunConfig, load_run

__all__ = ["FEDERATION", "FederatedRun", "FederationConfig", "RunConfig", "audit_federation", "load_run"]
