"""Random numbers of a federation: a stream of their own for every purpose, station and round."""

from __future__ import annotations

import hashlib

import numpy as np

from leadapron.federated.federation_plan import Plan


def stream(plan: Plan, *names: object) -> np.random.Generator:
    """The same numbers wherever the plan and the names are the same: no order of work can change them."""
    words = hashlib.sha256("\n".join(map(str, (plan.seed, *names))).encode()).digest()
    return np.random.default_rng(list(words))
