"""Audits: what an audit is, which there are, how their numbers are worded, shown, judged and kept."""

from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.audit_registry import AUDITS, audit_names, find_audit, register
from leadapron.audits.gate import Judgement, Verdict, judge
from leadapron.audits.gathering import Gathering
from leadapron.audits.measure import Coordinate, Measure
from leadapron.audits.policy import Policy
from leadapron.audits.policy_file import read_policy
from leadapron.audits.presets import default_policy, default_policy_text, find_policy, preset_names
from leadapron.audits.record_gathering import RecordGathering, kept_units

__all__ = [
    "AUDITS",
    "NOTHING",
    "Audit",
    "AuditConfig",
    "Coordinate",
    "Gathering",
    "Judgement",
    "Knowledge",
    "Measure",
    "Policy",
    "RecordGathering",
    "Verdict",
    "audit_names",
    "default_policy",
    "default_policy_text",
    "find_audit",
    "find_policy",
    "judge",
    "kept_units",
    "preset_names",
    "read_policy",
    "register",
]
