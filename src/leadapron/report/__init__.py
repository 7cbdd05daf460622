"""The report: risks rendered for people and machines, and judged against a policy."""

from leadapron.report.gate import Judgement, Verdict, judge
from leadapron.report.policy import Policy, default_policy, default_policy_text, read_policy
from leadapron.report.results import Results, read_results, write_results

__all__ = [
    "Judgement",
    "Policy",
    "Results",
    "Verdict",
    "default_policy",
    "default_policy_text",
    "judge",
    "read_policy",
    "read_results",
    "write_results",
]
