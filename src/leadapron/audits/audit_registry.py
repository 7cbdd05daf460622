"""AUDITS: the only place that lists them. A new audit is a file and a line here, or an entry point of its package."""

from __future__ import annotations

from leadapron.audits.audit import Audit
from leadapron.engine.extensions import Extensions

AUDITS: dict[str, str | Audit] = {
    "linkage": "leadapron.attacks.linkage.linkage_audit:LINKAGE",
    "identity": "leadapron.attacks.identity.identity_audit:IDENTITY",
    "table": "leadapron.attacks.table.table_audit:TABLE",
    "membership": "leadapron.attacks.membership.membership_audit:MEMBERSHIP",
    "as-found": "leadapron.attacks.membership.as_found_audit:AS_FOUND",
    "federation": "leadapron.attacks.federation.federation_audit:FEDERATION",
    "residual": "leadapron.attacks.reports.residual_audit:RESIDUAL",
    "parrot": "leadapron.attacks.reports.parrot_audit:PARROT",
    "report-identity": "leadapron.attacks.reports.report_identity_audit:REPORT_IDENTITY",
    "recital": "leadapron.attacks.recital.recital_audit:RECITAL",
    "image-identity": "leadapron.attacks.images.image_identity_audit:IMAGE_IDENTITY",
    "utility": "leadapron.uses.utility_audit:UTILITY",
    "image-copies": "leadapron.attacks.images.image_copies_audit:IMAGE_COPIES",
    "image-membership": "leadapron.attacks.images.image_membership_audit:IMAGE_MEMBERSHIP",
    "image-linkage": "leadapron.attacks.images.image_linkage_audit:IMAGE_LINKAGE",
    "image-utility": "leadapron.uses.image_utility_audit:IMAGE_UTILITY",
    "report-writing": "leadapron.uses.report_writing_audit:REPORT_WRITING",
    "run-utility": "leadapron.attacks.federation.run_utility:RUN_UTILITY",
}
"""By name; a text is where the object is, so that nothing is imported before it is needed."""

KNOWN = Extensions("audit", Audit, AUDITS, "leadapron.audits")


def register(audit: Audit) -> Audit:
    """From now on the audit is known by its name, in this process."""
    return KNOWN.register(audit.name, audit)


def audit_names() -> list[str]:
    """Ours, and then those of other packages that are installed."""
    return KNOWN.names()


def every_audit() -> list[Audit]:
    """All that can be loaded."""
    return KNOWN.loadable()


def find_audit(name: str) -> Audit:
    """The audit of this name: ours, a registered one, or that of an installed package."""
    return KNOWN.find(name)
