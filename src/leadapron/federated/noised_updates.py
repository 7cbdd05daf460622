"""Updates of a bounded length with noise on top, and what that promises.

A hospital's update is clipped to length C and gets Gaussian noise of spread z·C before it leaves the house. Whatever a
hospital's records are, two updates are at most 2C apart; so each round is a Gaussian mechanism of mu = 2 / z, and R
rounds compose to mu = 2·sqrt(R) / z. It protects everything at the hospital at once, hence each patient.
"""

from __future__ import annotations

import math

import numpy as np

from leadapron.federated.federation_plan import Plan
from leadapron.federated.station import Arrays
from leadapron.privacy.gaussian import gaussian_epsilon
from leadapron.privacy.guarantee import Guarantee
from leadapron.privacy.secret_noise import SecureNoise

DELTA = 1e-5
NO_PROMISE = (
    "Nothing is proved. Updates are averaged, and an average of a few hospitals is not anonymous: run "
    "`leadapron audit federation` to see what they give away."
)


def clipped(learnt: Arrays, before: Arrays, plan: Plan) -> Arrays:
    """What was learnt, no further from ``before`` than the clip, with noise if the plan asks for it.

    The noise is secret: it comes from the operating system, so two runs of one seed differ.
    """
    assert plan.clip is not None
    moved = {
        name: array.astype(np.float64) - before[name]
        for name, array in learnt.items()
        if np.issubdtype(array.dtype, np.floating)  # what counts batches is not sent
    }
    length = math.sqrt(sum(float(np.square(array).sum()) for array in moved.values()))
    factor = min(1.0, plan.clip / length) if length else 1.0
    noise = SecureNoise() if plan.noise else None
    sent: Arrays = {}
    for name, array in moved.items():
        step = factor * array
        if noise is not None:
            step = step + plan.noise * plan.clip * noise.normals(array.size).reshape(array.shape)
        sent[name] = (before[name] + step).astype(learnt[name].dtype)
    return sent


def guarantee_of(plan: Plan) -> Guarantee:
    """What the plan promises to a patient of a hospital, against everybody who sees all of its updates."""
    if not plan.noise:
        return Guarantee("none", statement=NO_PROMISE)
    sensitivity = 2 * math.sqrt(plan.rounds)
    epsilon = gaussian_epsilon(DELTA, sensitivity, plan.noise)
    return Guarantee(
        "differential privacy",
        unit="patient",
        epsilon=epsilon,
        delta=DELTA,
        statement=f"Epsilon {epsilon:.3g} at delta {DELTA:g} for each patient, against everybody who sees every update "
        f"of their hospital in all {plan.rounds} rounds. Above about 10 such a promise hardly limits an attack. The "
        "numbers of patients and records of a hospital are taken as public.",
        details={"mu": sensitivity / plan.noise, "clip": plan.clip, "noise": plan.noise, "rounds": plan.rounds},
    )
