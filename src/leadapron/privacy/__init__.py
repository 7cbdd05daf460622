"""Differential privacy: what is spent, what that lets any attack reach, secret noise, and guarantees in words."""

from leadapron.privacy.accounting import Spending, solve_sigma
from leadapron.privacy.bounds import LinkageBound, auc_bound, bound_linkage, bound_of_guarantee, rate_bound
from leadapron.privacy.gaussian import gaussian_auc, gaussian_bound, gaussian_delta, gaussian_epsilon, gaussian_mu
from leadapron.privacy.guarantee import Guarantee
from leadapron.privacy.promise import Promise

__all__ = [
    "Guarantee",
    "LinkageBound",
    "Promise",
    "Spending",
    "auc_bound",
    "bound_linkage",
    "bound_of_guarantee",
    "gaussian_auc",
    "gaussian_bound",
    "gaussian_delta",
    "gaussian_epsilon",
    "gaussian_mu",
    "rate_bound",
    "solve_sigma",
]
