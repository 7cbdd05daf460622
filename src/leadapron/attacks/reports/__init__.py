"""Reports: which identifiers are left, whether these stand out, and whether two reports are recognised as one's."""

from leadapron.attacks.reports.parrot_audit import PARROT, ParrotConfig, audit_parrot
from leadapron.attacks.reports.report_identity_audit import (
    REPORT_IDENTITY,
    ReportIdentityConfig,
    audit_report_identity,
)
from leadapron.attacks.reports.report_subject import ParrotReads, ReleasedReports, ResidualReads
from leadapron.attacks.reports.residual_audit import RESIDUAL, audit_residual

__all__ = [
    "PARROT",
    "REPORT_IDENTITY",
    "RESIDUAL",
    "ParrotConfig",
    "ParrotReads",
    "ReleasedReports",
    "ReportIdentityConfig",
    "ResidualReads",
    "audit_parrot",
    "audit_report_identity",
    "audit_residual",
]
