"""Controls that run with every audit: masks of other models must give chance, planted patients must be found.

Both run every attack again, the tuning of its slope included, where it is known what there is to find.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from leadapron.attacks.membership import record_attackers
from leadapron.attacks.membership.membership_roc import measure, place
from leadapron.attacks.membership.membership_rows import clustered_mean
from leadapron.attacks.membership.patient_aucs import PatientRisks, patient_risks
from leadapron.attacks.membership.records import RecordRisks, record_risks
from leadapron.attacks.membership.references import gather
from leadapron.attacks.membership.rmia import tuned_slope
from leadapron.attacks.membership.signals import PLAIN, SIGMOID, Flags, Ints, Signals, number_patients
from leadapron.audits.vouching import ERRORS_APART, planted_outcome
from leadapron.stats import Outcome

Doubles = NDArray[np.float64]

RECORDS = 10_000
PLANTED = 5
SHIFT = 4.0
"""Standard deviations by which a model is surer of the planted patients whom it was trained on."""
BEYOND_DOUBT = 0.75
"""The AUC that planted patients have on average even by few models, and nobody by chance but very few."""
LEVEL = 0.05
NULL = "null control (masks of other models)"
FOUND = "planted patients"


@dataclass(frozen=True)
class Models:
    """Which of the models are the attacker's, and which are attacked."""

    references: Ints
    targets: Ints


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


def null_control(some: Signals, models: Models, seed: int) -> tuple[Outcome, float]:
    """Every model with another's mask: whatever is found then is the audit's own error.

    With the outcome, how far the joint attack's distances scatter upwards by chance, in errors of a single record's.
    """
    order = np.random.default_rng(seed).permutation(some.models)
    masks = np.empty_like(some.members)
    masks[order] = some.members[np.roll(order, 1)]
    wrong = replace(some, members=masks)
    records, found = _risks(wrong, seed)
    aucs = found.joint.value
    alarms = float((found.p <= LEVEL).mean())
    alarm_error = (LEVEL * (1 - LEVEL) / len(aucs)) ** 0.5
    # what each attack finds, and the error that a number at chance has
    at_chance = {
        "joint": (float(aucs.mean()), max(float(aucs.std()), float(found.joint.sd.mean())) / len(aucs) ** 0.5),
        **{name: (float(auc.mean()), clustered_mean(auc, wrong.patient).sd) for name, auc in _by_record(records)},
    }
    for name, scores, truth in _attacks(wrong, models, seed):
        auc = measure(scores, truth, wrong.patient)[0][0].estimate
        at_chance[name] = auc.value, max(auc.sd, 0.5 / auc.n**0.5)
    off = [name for name, (auc, error) in at_chance.items() if abs(auc - 0.5) > ERRORS_APART * error]
    by_p = [] if abs(alarms - LEVEL) <= ERRORS_APART * alarm_error + LEVEL / 2 else ["maximum", "calibrated"]
    covered = tuple(name for name in (*at_chance, "maximum", "calibrated") if name not in (*off, *by_p))
    told = ", ".join(f"{name} {auc:.4f}" for name, (auc, _) in at_chance.items() if not off or name in off)
    reason = (
        f"with masks of other models the AUC is, by attack: {told}; of {len(aucs):,} patients a share of {alarms:.3f} "
        f"has p at most {LEVEL}"
    )
    upwards = (found.joint.distance / found.chance_error())[found.joint.distance > 0]
    scatter = float(np.sqrt((upwards**2).mean())) if upwards.size else 1.0
    return Outcome(NULL, "error" if off or by_p else "pass", reason, covered), scatter


def planted_patients(some: Signals, models: Models, seed: int) -> Outcome:
    """Some patients memorised beyond doubt: an attack that does not see these sees nothing."""
    chosen = _to_plant(some, models.targets, seed)
    planted = _memorised(some, chosen)
    theirs = np.isin(planted.patient, chosen)
    records, risks = _risks(planted, seed)
    calibrated = float(risks.calibrated[chosen].mean())
    found = {"joint": float(risks.joint.value[chosen].mean()), "maximum": calibrated, "calibrated": calibrated}
    found |= {name: float(auc[theirs].mean()) for name, auc in _by_record(records)}
    for name, scores, truth in _attacks(planted, models, seed):
        found[name] = _placed(scores, truth, theirs)
    world = f"{len(chosen)} patients planted, of whom models are surer that were trained on them, and their AUC"
    return planted_outcome(FOUND, found, "joint", world, least=BEYOND_DOUBT)


def _to_plant(some: Signals, targets: Ints, seed: int) -> Ints:
    """Some of the patients of whom models are least sure, as far as can be members of a target.

    Where models are sure of everybody, an attack by probabilities could not see that some are surer still.
    """
    sizes = np.bincount(some.patient)
    sure = np.bincount(some.patient, weights=some.of(np.arange(len(some))).mean(axis=1)) / sizes
    attacked = np.bincount(some.patient, weights=some.members[targets].any(axis=0)) > 0
    least = np.lexsort((sure, ~attacked))[: max(PLANTED, some.patients // 10)]
    return np.random.default_rng(seed).permutation(least)[:PLANTED]


def _attacks(signals: Signals, models: Models, seed: int) -> Iterator[tuple[str, Doubles, Flags]]:
    """Every attacker's scores of records by targets, and the truth that they are held against."""
    slope = tuned_slope(signals, models.references, seed)
    gathered = gather(signals, models.references, models.targets)
    for name, attack in record_attackers.of(gathered).items():
        yield name, attack(gathered, slope), gathered.truth


def _placed(scores: Doubles, truth: Flags, theirs: Flags) -> float:
    """Above which share of the non-members the planted members stand, on average over targets."""
    places = [
        place(np.sort(column[~member]), column[member & theirs])
        for column, member in zip(scores.T, truth.T, strict=True)
    ]
    return float(np.concatenate(places).mean())


def _by_record(risks: RecordRisks) -> Iterator[tuple[str, Doubles]]:
    yield "bi-normal", risks.gaussian.value
    yield "mann-whitney", risks.ranked.value


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


def _risks(signals: Signals, seed: int) -> tuple[RecordRisks, PatientRisks]:
    records = record_risks(signals)
    return records, patient_risks(signals, records, seed)
