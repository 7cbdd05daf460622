"""A promise of differential privacy, held against what was measured: who is beyond what it allows?"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.special import ndtri

from leadapron.attacks.membership.binormal import Auc
from leadapron.attacks.membership.membership_roc import FPRS
from leadapron.attacks.membership.signals import Ints
from leadapron.engine.documents import Document
from leadapron.privacy import Promise
from leadapron.results.withheld import FEWEST_PATIENTS, told

Doubles = NDArray[np.float64]
SURE = 0.05
"""The chance of any false alarm among all who are found surely beyond."""


class Beyond(Document):
    """How many are above their bound, and how many surely so after all comparisons. None: withheld."""

    above: int | None
    surely_above: int | None


class PromiseHeld(Document):
    """A promise with its bounds, and how many are beyond them. Rates and numbers of records are keys, as texts."""

    unit: str
    mu: float | None
    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]
    auc_bound_record: float
    tpr_bound_record: dict[str, float]
    auc_bound_patient: dict[str, float]
    tpr_bound_patient: dict[str, dict[str, float]]
    compared: dict[str, float] = Field(description="the AUC by one pair, and as if the mechanism were Gaussian")
    records: Beyond
    patients_by_record_bound: Beyond
    patients: Beyond
    maxima_above_record_bound: int | None


def beyond(promise: Promise, of_records: Auc, joint: Auc, maximum: Doubles, records: Ints) -> PromiseHeld:
    """Counts of records and patients above the bound, and of those surely above it after all comparisons; told or not.

    As published, patients are held against the bound of one record, which does not bind a patient with several; and
    against their own.
    """
    one = promise.auc()
    sizes, back, patients = np.unique(records, return_inverse=True, return_counts=True)
    own = np.array([promise.auc(int(size)) for size in sizes])[back]
    usual = sizes[patients >= FEWEST_PATIENTS].tolist()  # that somebody has as many records as nobody else is not told
    return PromiseHeld(
        unit=promise.unit,
        mu=promise.mu,
        epsilons=promise.epsilons,
        deltas=promise.deltas,
        auc_bound_record=one,
        tpr_bound_record={f"{fpr:g}": promise.tpr(fpr) for fpr in FPRS},
        auc_bound_patient={str(size): promise.auc(size) for size in usual},
        tpr_bound_patient={str(size): {f"{fpr:g}": promise.tpr(fpr, size) for fpr in FPRS} for size in usual},
        compared=promise.compared(),
        records=_counted(of_records, np.full(len(of_records.distance), one)),
        patients_by_record_bound=_counted(joint, np.full(len(records), one)),
        patients=_counted(joint, own),
        maxima_above_record_bound=told(int((maximum > one).sum())),
    )


def _counted(found: Auc, bound: Doubles) -> Beyond:
    limit = ndtri(np.minimum(bound, 1 - 1e-16))
    sure = -ndtri(SURE / len(bound))
    surely = (found.distance - limit) / found.error > sure
    above, surely_above = int((found.value > bound).sum()), int((surely & (bound < 1)).sum())
    return Beyond(above=told(above), surely_above=told(surely_above))
