"""What may be said of a run: a guarantee where one is proved, and where there is none the reason why."""

from __future__ import annotations

import math

from leadapron.defences.heads.plan import Plan
from leadapron.privacy.accounting import grid_for
from leadapron.privacy.bounds import bound_linkage
from leadapron.privacy.guarantee import Guarantee
from leadapron.privacy.secret_noise import Noise
from leadapron.release.fitting import ON_TRUST

LEFT_OUT = (0.001, 0.01, 0.05, 0.1)
"""Recalls of left-out pairs at which the bound for trained pairs is written down."""

NOT_COVERED = (
    "It says nothing about pairs that were not trained on, about the backbones, about the heads that training started "
    "from, or about the rest of this release, whose table lists the records and whose embeddings are still computed "
    f"from each patient's own image and report. {ON_TRUST}"
)
FLOATS = "The proof is about real numbers; the noise was added in floating point."


def promise(plan: Plan, noise: Noise, bank: str | None, refused: str | None = None) -> Guarantee:
    """The guarantee of the heads that come out of a run. ``refused`` is why none can be given, whatever was done."""
    method, unit = plan.method, plan.units.name
    if not method.trains:
        return Guarantee("none", statement="Nothing was trained, and nothing is promised.")
    details = _details(plan, noise, bank)
    if not method.adds_noise:
        return Guarantee("none", statement="No noise was added, so nothing is promised to anybody.", details=details)
    if method.uses_data and not method.per_example:
        return _claimed(plan, details)
    if refused:
        return Guarantee("none", statement=f"None: {refused}.", details={**details, "refused": refused})
    if not method.uses_data:
        return Guarantee(
            "differential privacy",
            unit,
            0.0,
            0.0,
            "The heads were moved by noise alone. No record was looked at, so they can tell nothing about any. "
            f"{_number(plan)} {NOT_COVERED}",
            details,
        )
    if not noise.secret:
        would_be = plan.spending.epsilon(plan.delta, 10 * grid_for(plan.spending.epsilon_rdp(plan.delta)))
        return Guarantee(
            "none",
            statement=f"The noise came from a seed. Whoever knows or guesses the seed can subtract it, so nothing is "
            f"promised. The same training with secure noise would be private at epsilon {would_be:.3f} and delta "
            f"{plan.delta:.1e} for every {unit}.",
            details={**details, "epsilon_with_secure_noise": would_be, "delta_with_secure_noise": plan.delta},
        )
    return _proved(plan, details)


def _details(plan: Plan, noise: Noise, bank: str | None) -> dict[str, object]:
    recipe = plan.recipe
    return {
        "sigma": recipe.sigma,
        "clip": recipe.clip,
        "steps": recipe.steps,
        "sampling_rate": None if recipe.shuffles else recipe.rate,
        "units": plan.units.told,
        "noise": noise.name if recipe.sigma else None,
        "bank": bank,
        "bank_sigma": plan.bank_sigma if bank is not None else None,
    }


def _number(plan: Plan) -> str:
    return f"The number of {plan.units.name}s, rounded up to {plan.units.told:,}, is taken as known."


def _proved(plan: Plan, details: dict[str, object]) -> Guarantee:
    unit, delta = plan.units.name, plan.delta
    by_rdp = plan.spending.epsilon_rdp(delta)
    epsilon = plan.spending.epsilon(delta, grid_for(by_rdp))
    bound = bound_linkage(plan.spending, delta)
    whose = "all records of one of them" if unit == "patient" else "one of them"
    statement = (
        f"The heads are differentially private at epsilon {epsilon:.3f} and delta {delta:.1e} for every {unit} that "
        f"they were trained on: with or without {whose}, the probability of any outcome of training is the same up to "
        f"a factor of {math.exp(epsilon):.3g} and the delta. {_number(plan)} {NOT_COVERED} {FLOATS}"
    )
    more = {
        "accountant": "privacy loss distribution, add or remove one " + unit,
        "epsilon_by_renyi": by_rdp,
        "mu": bound.mu,
        "linkage_bound": {f"{left_out:g}": bound(left_out) for left_out in LEFT_OUT},
    }
    return Guarantee("differential privacy", unit, epsilon, delta, statement, {**details, **more})


def _claimed(plan: Plan, details: dict[str, object]) -> Guarantee:
    claimed = plan.spending.epsilon_rdp(plan.delta)
    count = plan.recipe.batch
    statement = (
        f"None. The published accounting would print epsilon {claimed:.3f} here, and that is not a guarantee: in a "
        f"loss that compares the examples of a batch with each other, the gradient of every example changes when one "
        f"is taken out, so the clipped sum can change by up to {2 * count - 1} times the clip in a batch of {count}, "
        f"where the accountant counts 1."
    )
    claim = {"epsilon_claimed": claimed, "delta_claimed": plan.delta, "unit_claimed": "record"}
    return Guarantee("none", statement=statement, details={**details, **claim, "accountant": "Rényi"})
