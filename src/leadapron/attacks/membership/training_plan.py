"""The plan: how many models must be trained before the risk of the patients in the tail is known well enough."""

from __future__ import annotations

import math

from scipy.special import ndtri

from leadapron.attacks.membership.binormal import error_at
from leadapron.attacks.membership.reading import FEWEST_MODELS
from leadapron.errors import ConfigError

MOST = 1_000_000


def error_with(models: int, auc: float) -> float:
    """The standard error of a record's AUC, if it is as given and half of the models have the record."""
    distance = float(ndtri(auc))
    return float(math.exp(-(distance**2) / 2) / math.sqrt(2 * math.pi) * error_at(distance, models / 2, models / 2))


def models_needed(auc: float, error: float) -> int:
    """The fewest models, an even number, whose standard error at this AUC is at most ``error``."""
    if not 0.5 <= auc < 1:
        raise ConfigError("not an AUC to plan for", got=auc, allowed="0.5 to below 1")
    if not 0 < error < 0.5:
        raise ConfigError("not a standard error to plan for", got=error, allowed="above 0, below 0.5")
    low, high = FEWEST_MODELS // 2, MOST // 2
    if error_with(2 * high, auc) > error:
        raise ConfigError("more than a million models would be needed", got=error, allowed="a larger error")
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if error_with(2 * middle, auc) <= error else (middle + 1, high)
    return 2 * low
