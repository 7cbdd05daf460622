"""ROC curves of an attack on several models, and intervals that allow for both: these patients, and these models.

Every figure is, to first order, a sum over patients of what each adds to it (Hájek's projection), so its variance over
patients needs no redraws. What the figures differ by from model to model beyond that comes on top.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit
from scipy.stats import rankdata

from leadapron.attacks.membership.binormal import NINETY_FIVE
from leadapron.attacks.membership.signals import Flags, Ints
from leadapron.engine import parallel_map
from leadapron.stats import Estimate, at_false_rate, exact_limits, joined, share_limits

Doubles = NDArray[np.float64]
FPRS = (1e-1, 1e-2, 1e-3, 1e-4)
FEWEST_FALSE = 2
"""A rate at which fewer false alarms are allowed than this is none that can be measured."""
CURVE = np.concatenate([[0.0], np.geomspace(1e-5, 1, 101)])


@dataclass(frozen=True)
class Figure:
    """A figure with what guessing gives for it."""

    metric: str
    chance: float
    estimate: Estimate


Side = tuple[Doubles, Doubles]
"""Of every patient the places of the records on one side among those on the other, added up, and how many these are."""


@dataclass(frozen=True)
class _Target:
    """One model under attack: its figures, and what every patient adds to each."""

    values: Doubles
    added: Doubles
    curve: Doubles
    alarms: Doubles
    """At each false-positive rate, how many false alarms every patient gives."""
    ordered: tuple[Doubles, Doubles]
    """The scores of members and of others."""
    sides: tuple[Side, Side]


def measure(
    scores: Doubles, truth: Flags, patient: Ints, rates: tuple[float, ...] = FPRS
) -> tuple[list[Figure], Doubles]:
    """AUC and TPR at each FPR over all targets, and the curve of every target at ``CURVE``."""
    fprs = [fpr for fpr in rates if fpr * (~truth).sum(axis=0).min() >= FEWEST_FALSE]
    found = parallel_map(lambda at: _one(scores[:, at], truth[:, at], patient, fprs), range(scores.shape[1]))
    values, added = np.stack([one.values for one in found]), np.stack([one.added for one in found])
    average = values.mean(axis=0)
    sd, widths = _errors(values, added)
    count = int(truth.sum())
    patients = len(np.unique(patient[truth.any(axis=1)]))
    auc = float(average[0])
    low, high = _one_model(auc, found[0].sides) if len(found) == 1 else _several_models(auc, float(widths[0] * sd[0]))
    figures = [Figure("auc", 0.5, Estimate(auc, low, high, float(sd[0]), count, patients))]
    for at, fpr in enumerate(fprs, start=1):
        rate = float(average[at])
        # as many independent members as would give this error; where none or all are found it tells nothing of them
        independent = rate * (1 - rate) / sd[at] ** 2 if 0 < rate < 1 and sd[at] > 0 else float(patients)
        tries = min(independent * (NINETY_FIVE / widths[at]) ** 2, float(count))
        low, high = map(float, exact_limits(rate * tries, tries))
        fixed = Estimate(rate, low, high, float(sd[at]), count, patients, tries)
        alarms = np.stack([one.alarms[at - 1] for one in found]).sum(axis=0)
        estimate = at_false_rate(
            fixed, fpr, float((~truth).sum()), _together(alarms), lambda other: _mean_rate(found, other)
        )
        figures.append(Figure(f"tpr@fpr={fpr:g}", fpr, estimate))
    return figures, np.stack([one.curve for one in found])


def _several_models(auc: float, width: float) -> tuple[float, float]:
    """On the probit scale, where an interval near one is not too short."""
    distance = ndtri(np.clip(auc, 1e-9, 1 - 1e-9))
    off = width * np.sqrt(2 * np.pi) * np.exp(distance**2 / 2)
    return float(ndtr(distance - off)), float(ndtr(distance + off))


def _one_model(auc: float, sides: tuple[Side, Side]) -> tuple[float, float]:
    """The places of members and of others are shares, and the patient who is imagined has as many records as usual.

    Of few patients whom one model tells apart nearly for certain, the spread says nothing of those who are not there.
    """
    ends = []
    for places, records in sides:
        there = records > 0
        ends.append(share_limits(places[there], records[there], imagined=float(records[there].mean())))
    (low, high), (low_of_others, high_of_others) = ends
    down, up = joined(auc - low, auc - low_of_others), joined(high - auc, high_of_others - auc)
    return max(0.0, auc - down), min(1.0, auc + up)


def _together(alarms: Doubles) -> float:
    """How many false alarms tell as much as one: a patient's records and models give them together."""
    total = float(alarms.sum())
    return max(1.0, float(alarms @ alarms) / total) if total > 0 else 1.0


def _mean_rate(found: list[_Target], fpr: float) -> float:
    """Over all targets, each at its own threshold for this false-positive rate."""
    return float(np.mean([_tprs(*one.ordered, np.array([fpr]))[0] for one in found]))


def aucs(scores: Doubles, truth: Flags) -> Doubles:
    """The AUC of every target, ties counting half."""
    members = truth.sum(axis=0)
    ranks = rankdata(scores, axis=0)
    above = (ranks * truth).sum(axis=0) - members * (members + 1) / 2
    found: Doubles = above / (members * (len(truth) - members))
    return found


def curve_table(attacker: str, curves: Doubles) -> pl.DataFrame:
    """The mean over targets at every FPR, and how much the targets differ."""
    sd = curves.std(axis=0, ddof=1) if len(curves) > 1 else np.zeros(curves.shape[1])
    return pl.DataFrame({"attacker": attacker, "fpr": CURVE, "tpr": curves.mean(axis=0), "sd": sd})


def _errors(values: Doubles, added: Doubles) -> tuple[Doubles, Doubles]:
    """Of the mean over targets, and how many of these an interval reaches. ``added`` is targets by figures by patients.

    Targets differ because patients fall on different sides in each, which the patients' part has counted already,
    and by what is their own, which it has not. That is known from a handful of targets only: the interval is as wide
    as Student's with as many degrees of freedom as both parts together have (Satterthwaite).
    """
    targets = len(values)
    common = added.mean(axis=0)
    of_patients: Doubles = (common**2).sum(axis=1)
    if targets == 1:
        return np.sqrt(of_patients), np.full(len(of_patients), NINETY_FIVE)
    by_patients = ((added - common) ** 2).sum(axis=2).sum(axis=0) / (targets - 1)
    own = np.maximum(values.var(axis=0, ddof=1) - by_patients, 0) / targets
    total = of_patients + own
    dof = total**2 / np.maximum(own**2 / (targets - 1) + of_patients**2 / added.shape[2], 1e-300)
    widths: Doubles = stdtrit(np.clip(dof, targets - 1, 1e9), 0.975)
    return np.sqrt(total), widths


def _one(scores: Doubles, truth: Flags, patient: Ints, fprs: list[float]) -> _Target:
    everybody = int(patient.max()) + 1
    into, out = scores[truth], scores[~truth]
    order_in, order_out = np.sort(into), np.sort(out)
    of_in = place(order_out, into)
    of_out = 1 - place(order_in, out)
    auc = of_in.mean()

    def by_patient(values: Doubles, which: Flags) -> Doubles:
        sums: Doubles = np.bincount(patient[which], weights=values, minlength=everybody) / which.sum()
        return sums

    values, alarms = [auc], []
    added = [by_patient(of_in - auc, truth) + by_patient(of_out - auc, ~truth)]
    rates = _tprs(order_in, order_out, np.array(fprs))
    for fpr, rate in zip(fprs, rates, strict=True):
        cut = cut_at(order_out, fpr)
        values.append(rate)
        alarms.append(np.bincount(patient[~truth], weights=out > cut, minlength=everybody))
        added.append(by_patient((into > cut) - rate, truth))
    counted = np.array(alarms, dtype=np.float64).reshape(len(fprs), everybody)
    members, others = (
        (by_patient(places, which) * which.sum(), by_patient(np.ones(which.sum()), which) * which.sum())
        for places, which in ((of_in, truth), (of_out, ~truth))
    )
    curve, ordered = _tprs(order_in, order_out, CURVE), (order_in, order_out)
    return _Target(np.array(values), np.stack(added), curve, counted, ordered, (members, others))


def place(sorted_others: Doubles, values: Doubles) -> Doubles:
    """The share of the others that each is above, ties counting half."""
    below, upto = (np.searchsorted(sorted_others, values, side=side) for side in ("left", "right"))
    share: Doubles = (below + upto) / (2 * len(sorted_others))
    return share


def cut_at(sorted_out: Doubles, fpr: float) -> float:
    """Scores above it are called members: at most this share of the others."""
    allowed = int(fpr * len(sorted_out) + 1e-9)
    return float(sorted_out[len(sorted_out) - 1 - allowed]) if allowed < len(sorted_out) else -np.inf


def _tprs(sorted_in: Doubles, sorted_out: Doubles, fprs: Doubles) -> Doubles:
    cuts = np.array([cut_at(sorted_out, float(fpr)) for fpr in fprs])
    rates: Doubles = 1 - np.searchsorted(sorted_in, cuts, side="right") / len(sorted_in)
    return rates
