"""Controls of an image-identity audit: nothing to find, all there is to find, and an attacker who knows more."""

from __future__ import annotations

import numpy as np

from leadapron.attacks.images.image_attackers import ADAPTIVE, ANOTHER, SOURCE, STATIC
from leadapron.attacks.images.image_gathering import ImageGathering
from leadapron.attacks.images.image_identity_attack import Attack, Judges, add_attackers, dealt_anew
from leadapron.attacks.images.image_identity_measures import AUC, FIRST
from leadapron.audits.audit import Audit
from leadapron.audits.vouching import null_outcome, off_chance, off_half, planted_outcome
from leadapron.engine.remembered import remembered
from leadapron.results import Measured
from leadapron.stats import Outcome, mean_difference

NULL = "null control (released images dealt at random)"
PLANTED = "planted sources"
STRENGTH = "adaptive attacker at least as strong as the static one"
FOUND = 0.5


def controls(
    audit: Audit, found: ImageGathering, attack: Attack, judges: Judges, headline: Measured, *, defended: bool
) -> list[Outcome]:
    return [
        _null(audit, found, attack, judges),
        _planted(audit, found, attack, headline, defended=defended),
        adaptive_is_stronger(found, headline),
    ]


def _null(audit: Audit, found: ImageGathering, attack: Attack, judges: Judges) -> Outcome:
    """The same attackers; every released image stands for another patient's."""
    null = ImageGathering(audit, records=found.records, patient=found.patient)
    add_attackers(null, attack, judges, dealt_anew(attack.sides, attack.seed))
    rows = [row for row in null.estimates if row.metric == AUC or row.pool == attack.pools[0]]
    off = [row for row in rows if (off_half(row) if row.metric == AUC else off_chance(row))]
    return null_outcome(NULL, rows, off, "released images dealt to other patients")


def _planted(audit: Audit, found: ImageGathering, attack: Attack, headline: Measured, *, defended: bool) -> Outcome:
    """Real images in the place of released ones, in what attackers learn from, too: the source is found at once."""

    def plant() -> list[Measured]:
        planted, bare = ImageGathering(audit, records=found.records, patient=found.patient), attack.undefended()
        add_attackers(planted, bare, bare.judges())
        return planted.estimates

    what = ("planted", attack.seen.real, attack.sides.key, tuple(attack.pools), attack.seed)
    estimates = remembered(attack.seen.numbers.real, what, plant) if defended else found.estimates
    rows = [row for row in estimates if row.has(metric=FIRST, holds=SOURCE, pool=headline.pool)]
    share = {row.attacker: row.value for row in rows}
    return planted_outcome(
        PLANTED,
        share,
        headline.attacker,
        f"{rows[0].n:,} released images made their sources",
        least=FOUND,
        few=any(row.patients is None for row in rows),
    )


def adaptive_is_stronger(found: ImageGathering, headline: Measured) -> Outcome:
    """Both know the same patients, and the one who also knows their released images cannot do worse but by accident.

    An audit whose adaptive attacker is clearly weaker has a fault, and its numbers are no upper end. Else the check
    vouches for everybody who was tried.
    """
    values = []
    for attacker in (ADAPTIVE, STATIC):
        row = found.strongest(FIRST, (attacker,), holds=ANOTHER, pool=headline.pool)
        values.append(found.values[found.estimates.index(row)])
    (rows, adaptive), (_, static) = values
    if len(np.unique(found.patient[rows])) < 2:
        return Outcome(STRENGTH, "not-run", "too few patients")
    apart = mean_difference(static, adaptive, found.patient[rows])
    told = f"precision@1 {apart.after:.4f} and {apart.before:.4f}, difference {apart.low:+.4f} to {apart.high:+.4f}"
    tried = dict.fromkeys(row.attacker for row in found.estimates)
    if apart.high < 0:
        return Outcome(STRENGTH, "error", told, tuple(name for name in tried if name != ADAPTIVE))
    return Outcome(STRENGTH, "pass", told, tuple(tried))
