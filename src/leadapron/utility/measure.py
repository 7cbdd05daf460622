"""The measurement: the study's linear probe, and what it did not measure, the use of images and words together."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import polars as pl
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.engine import Progress, silent
from leadapron.errors import DataError
from leadapron.release import Release
from leadapron.stats import Outcome
from leadapron.utility.chance import blind_answers, chance_of
from leadapron.utility.checks import check_probe, check_zero_shot, null_control
from leadapron.utility.judge import Measured, judge
from leadapron.utility.learn import Learnt, learn
from leadapron.utility.redraws import spread
from leadapron.utility.retrieval import Retrieval, label_retrieval
from leadapron.utility.scores import Scores, to_table
from leadapron.utility.splits import Sides, read_sides
from leadapron.utility.utility import Utility, UtilityConfig, UtilityEstimate
from leadapron.utility.zero_shot import zero_shot_scores

Floats = NDArray[np.float64]


def measure_utility(release: Release, config: UtilityConfig | None = None, *, progress: Progress = silent) -> Utility:
    """What the release is good for. Nothing is drawn but the bootstrap and the control."""
    config = config or UtilityConfig()
    timings: dict[str, float] = {}
    with threadpool_limits(1, user_api="blas"):  # the same bytes, however many cores there are
        sides = read_sides(release)
        with _stage("probe", timings, progress):
            learnt = learn(release, sides, config.strengths)
            probed = _probed(release, sides, learnt)
        test = sides.labels.rows(sides.test)
        tested = release.of_split("test")
        with _stage("zero-shot findings", timings, progress):
            asked = zero_shot_scores(tested, test)
        with _stage("label retrieval", timings, progress):
            patient = np.unique(sides.patient_id[sides.test], return_inverse=True)[1].astype(np.int64)
            retrieved = label_retrieval(tested, test, patient, progress=progress)
        scores = Scores(
            tested.records["record_id"].to_numpy().astype(str),
            sides.patient_id[sides.test],
            test,
            probed,
            {} if isinstance(asked, str) else asked,
            {} if isinstance(retrieved, str) else retrieved.found,
            {} if isinstance(retrieved, str) else retrieved.chance,
        )
        with _stage("bootstrap", timings, progress):
            measured = judge(scores, config)
    blind = blind_answers(sides.labels.rows(sides.train))
    estimates = tuple(_estimate(one, chance_of(one, blind, scores)) for one in measured)
    outcomes = (
        check_probe(sides, learnt, scores),
        null_control(scores, config.seed),
        check_zero_shot(asked, test),
        _retrieval_outcome(retrieved, scores),
    )
    facts = {
        "counts": {
            **sides.counts(),
            "reports": 0 if isinstance(retrieved, str) else retrieved.reports,
        },
        "patients_named": "patient_id" in release.records.columns,
        "strength": learnt.probe.strength,
        "validated_by": list(learnt.validated_by),
        "macro_over": {"probe": list(scores.probe), "zero-shot": list(scores.zero_shot)},
        "limits": _limits(release, config),
    }
    strengths = pl.DataFrame(
        [{"strength": strength, "validation_auroc": mean} for strength, mean in learnt.trials],
        schema={"strength": pl.Float64, "validation_auroc": pl.Float64},
    )
    evidence = {"records": to_table(scores), "strengths": strengths}
    return Utility(config, estimates, outcomes, facts, evidence, timings)


@contextmanager
def _stage(name: str, timings: dict[str, float], progress: Progress) -> Iterator[None]:
    progress(name, 0, 1)
    start = time.perf_counter()
    yield
    timings[name] = time.perf_counter() - start
    progress(name, 1, 1)


def _probed(release: Release, sides: Sides, learnt: Learnt) -> dict[str, Floats]:
    """The probe's scores of the test records, for the labels that can be judged there."""
    test = sides.labels.rows(sides.test)
    both = dict(zip(test.names, test.both_classes(), strict=True))
    logits = learnt.probe.logits(release.image[sides.test])
    found = {name: np.ascontiguousarray(logits[:, at]) for at, name in enumerate(learnt.labels) if both[name]}
    if not found:
        raise DataError(
            "no label can be judged: none has both classes in the training and in the test split",
            where=release.where,
            got=", ".join(learnt.labels),
            allowed="at least one label with positive and with negative records in both",
        )
    return found


def _estimate(one: Measured, chance: float) -> UtilityEstimate:
    low, high, sd = spread(one.replicates)
    return UtilityEstimate(
        metric=one.metric,
        label=one.label,
        value=one.value,
        low=low,
        high=high,
        sd=sd,
        chance=chance,
        n=one.n,
        patients=one.patients,
        positives=one.positives,
        smallest_class=one.smallest_class,
    )


def _retrieval_outcome(retrieved: Retrieval | str, scores: Scores) -> Outcome:
    if isinstance(retrieved, str):
        return Outcome("label retrieval", "not-run", retrieved)
    queries = int((~np.isnan(next(iter(scores.retrieval.values())))).sum())
    return Outcome("label retrieval", "pass", f"{queries:,} images among {retrieved.reports:,} reports")


def _limits(release: Release, config: UtilityConfig) -> list[str]:
    limits = [
        "The probe is linear and learns on this release. It bounds from below what a stronger model could learn.",
        "Labels come from a labeller that reads reports; utility is agreement with it, not with what is in the chest.",
        "Sensitivity and specificity are read at 0.5, as published. For rare findings that threshold says almost "
        "always no; AUROC is the figure to judge by.",
        "The intervals hold the probe fixed: they speak of other test patients, not of other training patients.",
    ]
    if config.resample == "record":
        limits.append("Records are resampled, as published: intervals are too narrow where patients recur.")
    if "patient_id" not in release.records.columns:
        limits.append(
            "The release names no patients: every record counts as one, and intervals are too narrow if patients recur."
        )
    return limits
