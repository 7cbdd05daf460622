"""The methods by name. A new one is a class and a line here; other packages offer theirs by an entry point."""

from leadapron.engine.extensions import Extensions
from leadapron.errors import ConfigError
from leadapron.federated.federation_plan import Plan
from leadapron.federated.methods.method import Method

HERE = "leadapron.federated.methods"
FEWEST = 3
"""Hospitals of a secure sum."""
METHODS: Extensions[Method] = Extensions(
    "method of federated training",
    Method,
    {
        "mfedavg": f"{HERE}.averaging:MFEDAVG",
        "mfedavg-public": f"{HERE}.averaging:MFEDAVG_PUBLIC",
        "creamfl": f"{HERE}.creamfl:CREAMFL",
        "car-mfl": f"{HERE}.car_mfl:CAR_MFL",
        "local-only": f"{HERE}.floors_and_ceilings:LOCAL_ONLY",
        "public-only": f"{HERE}.floors_and_ceilings:PUBLIC_ONLY",
        "no-missing": f"{HERE}.floors_and_ceilings:NO_MISSING",
        "centralised": f"{HERE}.floors_and_ceilings:CENTRALISED",
    },
    "leadapron.federated_methods",
)


def check_method(plan: Plan) -> Method:
    """The method of a plan, and nothing is asked of it that it cannot give."""
    method = METHODS.find(plan.method)
    if (plan.secure or plan.clip is not None) and not method.averages:
        option = "secure" if plan.secure else "clip"
        raise ConfigError(
            "only what hospitals send to be averaged can be clipped, noised or added up in secret",
            where=option,
            got=plan.method,
            allowed=", ".join(name for name in METHODS.names() if METHODS.find(name).averages),
            fix=f"Leave out --{option}, or choose another --method.",
        )
    if plan.secure and (count := sum(group.hospitals for group in plan.members())) < FEWEST:
        raise ConfigError(
            "secure aggregation hides a hospital among others, and of two each could subtract its own",
            where="secure",
            got=f"{count} hospitals",
            allowed=f"{FEWEST} or more",
        )
    if plan.secure and plan.alpha_by_validation:
        raise ConfigError(
            "alpha cannot be chosen after updates were added up in secret, because it is in every one of them",
            where="alpha_by_validation",
            fix="Leave out --secure, or give --alpha.",
        )
    return method


__all__ = ["FEWEST", "METHODS", "Method", "check_method"]
