"""Members who are other people than non-members: how much of an attack's success may be that, and not membership.

A model as it is found has members from one hospital, say, and is asked about others from another. Whatever tells the
hospitals apart then counts as success. The references have seen neither: what they tell apart is not membership.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.membership.as_found_reading import AsFound
from leadapron.attacks.membership.as_found_scores import ask, log_ratio
from leadapron.attacks.membership.membership_roc import measure
from leadapron.attacks.membership.signals import Flags, Ints
from leadapron.stats import Estimate, Outcome

Doubles = NDArray[np.float64]

SHIFT = "members and others are alike to the references"
PLACEBO = "attack on a reference in the target's place"
STRATUM = 50
"""Non-members of whom the references are about as sure: enough to stand in a place among them."""


def auc_of(scores: Doubles, truth: Flags, patient: Ints) -> Estimate:
    return measure(scores[:, None], truth[:, None], patient)[0][0].estimate


def matched(scores: Doubles, reference: Doubles, truth: Flags) -> Doubles:
    """A record's place among the non-members of whom the references are about as sure.

    The AUC of such places is that of the attack once this difference is taken away (Janes and Pepe, 2009). It takes the
    truth: it is a way to measure, not to attack.
    """
    strata = max(1, int((~truth).sum()) // STRATUM)
    edges = np.quantile(reference[~truth], np.linspace(0, 1, strata + 1)[1:-1])
    stratum = np.searchsorted(edges, reference, side="right")
    places = np.full(len(scores), 0.5)
    for at in range(strata):
        mine = stratum == at
        others = np.sort(scores[mine & ~truth])
        if len(others):  # equal edges leave a stratum without anybody to compare with
            below, upto = (np.searchsorted(others, scores[mine], side=side) for side in ("left", "right"))
            places[mine] = (below + upto) / (2 * len(others))
    return places


def shift_outcome(references: Estimate, attack: Estimate, like: Estimate) -> Outcome:
    """A warning where the references, which have seen nobody, tell members from others."""
    differ = not references.low <= 0.5 <= references.high
    reason = (
        f"by how sure the references are of a record its membership is told with an AUC of {references.value:.3f} "
        f"({references.low:.3f} to {references.high:.3f}); the attack's is {attack.value:.3f}, and {like.value:.3f} "
        "among records of which they are as sure"
    )
    if differ:
        reason += ": members and others are different people, and the attack's success is in part that"
    return Outcome(SHIFT, "warn" if differ else "pass", reason)


def placebo(found: AsFound, slope: float) -> tuple[Estimate | None, Outcome]:
    """The first reference is attacked with the help of the others. It has seen nobody: it should be safe."""
    assert found.truth is not None
    first, *others = found.references.tolist()
    if not others:
        return None, Outcome(PLACEBO, "not-run", "with one reference there is none left to compare it with")
    ratio = log_ratio(ask(found.signals, first, np.array(others)), slope)
    auc = auc_of(ratio, found.truth, found.signals.patient)
    differ = not auc.low <= 0.5 <= auc.high
    reason = f"the same attack on a reference has an AUC of {auc.value:.3f} ({auc.low:.3f} to {auc.high:.3f})"
    if differ:
        reason += ": it finds a difference between members and others that is not membership"
    return auc, Outcome(PLACEBO, "warn" if differ else "pass", reason)
