"""A tagger that imitates a de-identifier: logistic regression on words, fitted by the same steps on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

Doubles = NDArray[np.float64]

STRENGTH = 1.0
"""Of the squared weights, beside the sum of the losses."""
STEPS = 60


def fit(features: sparse.csr_array, marked: NDArray[np.bool_]) -> Doubles:
    """The weights of words that are marked against the others."""
    sign = np.where(marked, 1.0, -1.0)
    used = np.unique(features.indices)
    place = np.zeros(features.shape[1], dtype=np.int64)
    place[used] = np.arange(len(used))
    own = sparse.csr_array(
        (features.data, place[features.indices], features.indptr), shape=(features.shape[0], len(used))
    )
    turned = own.T.tocsr()

    def loss(weights: Doubles) -> tuple[float, Doubles]:
        margin = sign * (own @ weights)
        value = float(np.logaddexp(0.0, -margin).sum()) + STRENGTH / 2 * float(weights @ weights)
        return value, turned @ (-sign * expit(-margin)) + STRENGTH * weights

    found = minimize(loss, np.zeros(len(used)), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    weights = np.zeros(features.shape[1])
    weights[used] = found.x
    return weights


def log_odds(features: sparse.csr_array, weights: Doubles) -> Doubles:
    """Of every word, how surely the imitation would mark it."""
    found: Doubles = features @ weights
    return found
