"""The risk of every patient: the published maximum over records, that without what chance adds, the joint attack."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr
from threadpoolctl import threadpool_limits

from leadapron.attacks.membership.binormal import Auc
from leadapron.attacks.membership.joint import folds_of, joint_auc
from leadapron.attacks.membership.null_maximum import calibrated, likeness, random_sides
from leadapron.attacks.membership.records import RecordRisks
from leadapron.attacks.membership.signals import Array, Flags, Ints, Signals
from leadapron.engine import Progress, parallel_map, silent

Doubles = NDArray[np.float64]

FEWEST_ON_A_SIDE, FEW_PATIENTS = 8, 0.05


@dataclass(frozen=True)
class PatientRisks:
    """A row a patient, in the order of their numbers.

    ``alike`` is how much a patient's records vary together, ``p`` the chance of so high a maximum without any risk.
    """

    records: Ints
    models_with: Ints
    models: int
    maximum: Doubles
    calibrated: Doubles
    p: Doubles
    alike: Doubles
    joint: Auc

    @property
    def enough_models(self) -> bool:
        """With fewer on a side errors have tails so long that scatter passes for patients at risk."""
        fewer = np.minimum(self.models_with, self.models - self.models_with)
        return bool(np.quantile(fewer, FEW_PATIENTS) >= FEWEST_ON_A_SIDE)

    @property
    def dof(self) -> int:
        return self.models - 2

    def chance_error(self) -> Doubles:
        """The standard error of a distance where there is no risk: turns distances into Student's t."""
        return np.sqrt((1 / self.models_with + 1 / (self.models - self.models_with)) / 2)


def patient_risks(signals: Signals, found: RecordRisks, seed: int, progress: Progress = silent) -> PatientRisks:
    """A block of whole patients at a time."""
    sides, folds = random_sides(signals.models, seed), folds_of(signals.models, seed)
    blocks = list(signals.blocks())
    done = [0]

    def measure(rows: Ints) -> tuple[Doubles, Auc]:
        values, members = signals.of(rows), signals.members_of(rows)
        starts = starts_of(signals.patient[rows])
        first = rows[starts]
        single = Auc(found.gaussian.distance[first], found.gaussian.error[first])
        alike = likeness(_residuals(values, members, found, rows), starts, sides)
        apart, whose = signals.apart(rows)
        joint = joint_auc(apart, np.searchsorted(whose, starts), members[starts], folds, single)
        done[0] += 1
        progress("patients", done[0], len(blocks))
        return alike, joint

    with threadpool_limits(1, user_api="blas"):  # a thread a block: BLAS with threads of its own would wait for them
        parts = parallel_map(measure, blocks)
    joint = Auc(*(np.concatenate([getattr(part, name) for _, part in parts]) for name in ("distance", "error")))
    starts = starts_of(signals.patient[signals.order])
    records = np.diff(starts, append=len(signals))
    models_with = found.moments.count[signals.order[starts], 1].astype(np.int64)
    alike = np.concatenate([part for part, _ in parts])
    highest = np.maximum.reduceat(found.gaussian.distance[signals.order], starts)
    error = np.sqrt((1 / models_with + 1 / (signals.models - models_with)) / 2)
    statistic, p = calibrated(highest / error, signals.models - 2, records, alike)
    # as published, the maximum is never below one half
    maximum = np.maximum(ndtr(highest), 0.5)
    return PatientRisks(records, models_with, signals.models, maximum, ndtr(statistic * error), p, alike, joint)


def starts_of(patient: Ints) -> Ints:
    """Where the records of each patient begin, in an order that keeps them together."""
    return np.flatnonzero(np.diff(patient, prepend=-1))


def patient_table(signals: Signals, found: PatientRisks) -> pl.DataFrame:
    """A row a patient, for the evidence; ``low`` and ``high`` are the joint attack's interval."""
    first = signals.order[starts_of(signals.patient[signals.order])]
    return pl.DataFrame(
        {
            "patient_id": signals.records["patient_id"][first.tolist()].cast(pl.String),
            "records": found.records,
            "auc_max": found.maximum,
            "auc_calibrated": found.calibrated,
            "auc_joint": found.joint.value,
            "low": found.joint.low,
            "high": found.joint.high,
            "p": found.p,
            "alike": found.alike,
            "models_with": found.models_with,
        }
    )


def _residuals(values: Array, members: Flags, found: RecordRisks, rows: Ints) -> NDArray[np.float32]:
    """Signals without the difference between members and others, of unit variance."""
    means = found.moments.mean[rows]
    off = np.where(members, values - means[:, 1:], values - means[:, :1])
    spread = np.sqrt((off**2).sum(axis=1) / (off.shape[1] - 1))[:, None]
    scaled: NDArray[np.float32] = (off / np.where(spread > 0, spread, 1.0)).astype(np.float32)
    return scaled
