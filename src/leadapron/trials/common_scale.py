"""Risks of different kinds on one scale, so that a defence can be placed at its worst: nothing hides behind a mean.

What guessing gives is not the release's doing, and differs from risk to risk: one in a hundred reports, one half of an
AUC. So a risk is told by how far it lies between guessing, 0, and an attacker who is always right, 1.
"""

from __future__ import annotations

from leadapron.audits.audit import Audit
from leadapron.results import Measured
from leadapron.trials.excess_cut import Share


def above_guessing(audit: Audit, row: Measured) -> Share | None:
    """The risk between guessing, 0, and always, 1; None for a number that ends nowhere, such as a distance."""
    measure = audit.measure_of(row.metric)
    if measure.scale == "plain":
        return None
    if measure.higher_is == "better":  # identifiers that were found: what is left is the risk
        value, low, high, chance = 1 - row.value, 1 - row.high, 1 - row.low, 1 - row.chance
    else:
        value, low, high, chance = row.value, row.low, row.high, row.chance
    if chance >= 1:
        return None
    return Share(*(max((end - chance) / (1 - chance), 0.0) for end in (value, low, high)))
