"""Writers of reports, attacked: do they recite the reports that they were trained on?"""

from leadapron.attacks.recital.recital_audit import RECITAL, RecitalConfig, audit_recital
from leadapron.attacks.recital.recital_subject import RecitalReads, TaughtCohort

__all__ = ["RECITAL", "RecitalConfig", "RecitalReads", "TaughtCohort", "audit_recital"]
