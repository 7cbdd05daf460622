"""Controls of every parrot audit: leaks that are none must not stand out, and words that nobody would find must.

Both run the whole attack again, features, training and all: with a tenth of the stand-ins called leaks, and with
invented lower-case words put among ordinary ones and called names.
"""

from __future__ import annotations

import numpy as np

from leadapron.attacks.reports.marked_parts import Marked, with_made_up_leaks, with_planted_leaks
from leadapron.attacks.reports.parrot_attack import add_parrot, suspect
from leadapron.attacks.reports.parrot_measures import AMONG, PARROT_NAME
from leadapron.audits.audit import Audit
from leadapron.audits.gathering import Gathering
from leadapron.audits.vouching import FEWEST, null_outcome, off_chance, off_half, planted_outcome
from leadapron.stats import Outcome

NULL, PLANTED = "null control (stand-ins called leaks)", "planted words"
PATIENTS = 300
"""A control takes no more of them."""
MADE_UP, LEFT = 0.1, 0.3
BEYOND_DOUBT = 0.8
"""The AUC that planted words have at least."""


def null_control(audit: Audit, marked: Marked, read: int, seed: int) -> Outcome:
    found = Gathering(audit)
    rows = add_parrot(found, suspect(with_made_up_leaks(some_patients(marked, seed), MADE_UP, seed), read, seed))
    judged = [row for row in rows if not row.metric.startswith(AMONG)]
    off = [row for row in judged if (off_half(row) if row.metric == "auc" else off_chance(row))]
    return null_outcome(NULL, judged, off, "a tenth of the stand-ins called leaks")


def planted_control(audit: Audit, marked: Marked, read: int, seed: int) -> Outcome:
    found, planted = Gathering(audit), with_planted_leaks(some_patients(marked, seed), LEFT, seed)
    if not planted.leaks:
        return Outcome(PLANTED, "error", "no report has a place for an invented word", ())
    auc = add_parrot(found, suspect(planted, read, seed))[0].value
    world = f"{planted.leaks:,} invented words among ordinary ones"
    few = planted.leaks < FEWEST
    return planted_outcome(PLANTED, {PARROT_NAME: auc}, PARROT_NAME, world, least=BEYOND_DOUBT, few=few)


def some_patients(marked: Marked, seed: int) -> Marked:
    names = np.unique(np.array(marked.patients))
    return marked.only(set(np.random.default_rng(seed).permutation(names)[:PATIENTS].tolist()))
