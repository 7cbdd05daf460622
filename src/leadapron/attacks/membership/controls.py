"""Controls that run with every audit: masks of other models must give chance, planted patients must be found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from leadapron.attacks.membership import lira
from leadapron.attacks.membership.patients import PatientRisks, patient_risks
from leadapron.attacks.membership.records import record_risks
from leadapron.attacks.membership.references import gather
from leadapron.attacks.membership.roc import measure
from leadapron.attacks.membership.signals import PLAIN, SIGMOID, Ints, Signals, number_patients
from leadapron.attacks.risk import Outcome

RECORDS = 10_000
PLANTED = 5
SHIFT = 4.0
"""Standard deviations by which a model is surer of the planted patients whom it was trained on."""
BEYOND_DOUBT = 0.75
"""The joint AUC that a planted patient has even by few models, and nobody by chance but very few."""
ERRORS_APART = 5.0
LEVEL = 0.05


def some_patients(signals: Signals, seed: int) -> Signals:
    """Whole patients, about as many records as a control needs."""
    drawn = np.random.default_rng(seed).permutation(signals.patients)
    sizes = np.bincount(signals.patient)[drawn]
    chosen = drawn[: 1 + int(np.searchsorted(np.cumsum(sizes), RECORDS))]
    rows = np.flatnonzero(np.isin(signals.patient, chosen))
    records = signals.records[rows.tolist()]
    stored, members = np.asarray(signals.stored[:, rows]), signals.members_of(rows).T
    labels = None if signals.labels is None else signals.labels[rows]
    return Signals(stored, members, records, *number_patients(records), signals.kind, labels)


def _added_up(signals: Signals) -> Signals:
    """One signal a record, in memory."""
    values = signals.of(np.arange(len(signals))).T
    return replace(signals, stored=values, kind=PLAIN, labels=None)


def null_control(some: Signals, references: Ints, targets: Ints, seed: int) -> tuple[Outcome, float]:
    """Every model with another's mask: whatever is found then is the audit's own error.

    With the outcome, how far the joint attack's distances scatter upwards by chance, in errors of a single record's.
    """
    order = np.random.default_rng(seed).permutation(some.models)
    masks = np.empty_like(some.members)
    masks[order] = some.members[np.roll(order, 1)]
    wrong = replace(some, members=masks)
    found = _patients(wrong, seed)
    gathered = gather(_added_up(wrong), references, targets)
    attack = measure(lira.online(gathered), gathered.truth, wrong.patient)[0][0].estimate
    aucs = found.joint.value
    error = max(float(aucs.std()), float(found.joint.sd.mean())) / len(aucs) ** 0.5
    alarms = float((found.p <= LEVEL).mean())
    off = (
        abs(aucs.mean() - 0.5) > ERRORS_APART * error
        or abs(alarms - LEVEL) > ERRORS_APART * (LEVEL * (1 - LEVEL) / len(aucs)) ** 0.5 + LEVEL / 2
        or abs(attack.value - 0.5) > ERRORS_APART * max(attack.sd, 0.5 / attack.n**0.5)
    )
    reason = (
        f"with masks of other models the mean AUC of {len(aucs):,} patients is {aucs.mean():.4f}, that of LiRA "
        f"{attack.value:.4f}, and p is at most {LEVEL} for a share of {alarms:.3f}"
    )
    upwards = (found.joint.distance / found.chance_error())[found.joint.distance > 0]
    scatter = float(np.sqrt((upwards**2).mean())) if upwards.size else 1.0
    return Outcome("null control (masks of other models)", "error" if off else "pass", reason), scatter


def planted_patients(some: Signals, seed: int) -> Outcome:
    """Some patients memorised beyond doubt: an audit that does not see these sees nothing.

    Both scores must: the maximum by its p, and the joint attack, which the verdict is about, by its AUC.
    """
    chosen = np.random.default_rng(seed).permutation(some.patients)[:PLANTED]
    found = _patients(_memorised(some, chosen), seed)
    by_maximum = float((found.p[chosen] < 0.01).mean())
    by_joint = float((found.joint.value[chosen] > BEYOND_DOUBT).mean())
    reason = (
        f"of {len(chosen)} patients who were planted a share of {by_maximum:.2f} is found by the maximum, at p < 0.01, "
        f"and of {by_joint:.2f} by the joint attack, at an AUC above {BEYOND_DOUBT}"
    )
    return Outcome("planted patients", "pass" if min(by_maximum, by_joint) >= 0.8 else "error", reason)


def _memorised(some: Signals, chosen: Ints) -> Signals:
    """Members of these patients surer of all that is known of them, label by label where there are several."""
    if some.kind != SIGMOID:
        some = _added_up(some)
    columns = np.flatnonzero(np.isin(some.patient, chosen))
    values = np.array(some.stored, dtype=np.float64)
    spread = values[:, columns].std(axis=0)
    surer = SHIFT * np.where(spread > 0, spread, 1.0)
    members = some.members[:, columns]
    if some.labels is None:
        values[:, columns] += surer * members
    else:
        values[:, columns] += surer * some.labels[columns] * members[:, :, None]
    return replace(some, stored=values)


def _patients(signals: Signals, seed: int) -> PatientRisks:
    return patient_risks(signals, record_risks(signals), seed)
