"""The utility of a release: the study's linear probe, and what it did not measure, images and words together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Annotated, Literal

import numpy as np
import polars as pl
from numpy.typing import NDArray
from pydantic import Field
from threadpoolctl import threadpool_limits

from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.gathering import Gathering
from leadapron.engine import Progress, silent
from leadapron.errors import DataError
from leadapron.release import Release, with_split
from leadapron.release.fitting import attacked
from leadapron.results import Attacked, Findings, Spot
from leadapron.results.withheld import FEWEST_PATIENTS, FEWEST_POSITIVES, told, told_in_words
from leadapron.stats import Estimate
from leadapron.uses.finding_scores import (
    PROBE,
    Judged,
    Redrawing,
    Scores,
    interval_of,
    judge,
    to_table,
    zero_shot_scores,
)
from leadapron.uses.label_retrieval import label_retrieval
from leadapron.uses.linear_probe import Learnt, learn
from leadapron.uses.three_sides import Sides, read_sides
from leadapron.uses.utility_checks import (
    blind_answers,
    chance_of,
    check_probe,
    check_retrieval,
    check_zero_shot,
    null_control,
)
from leadapron.uses.utility_measures import COORDINATES, MEASURES, PLAIN
from leadapron.uses.utility_page import PAGE

Floats = NDArray[np.float64]

STRENGTHS = (1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)


class UtilityConfig(AuditConfig):
    """What is asked. Of several L2 strengths of the probe the validation split chooses; a single one is taken as is."""

    resample: Literal["patient", "record"] = Field(
        default="patient", description="What the bootstrap draws; 'record': records, as published."
    )
    redraws: int = Field(default=1000, ge=100, description="How often the bootstrap draws.")
    strengths: tuple[Annotated[float, Field(gt=0)], ...] = Field(
        default=STRENGTHS,
        min_length=1,
        description="L2 strength of the probe. Of several the validation split chooses one.",
        json_schema_extra={"option": "--strength"},
    )


def measure_utility(release: Release, config: UtilityConfig | None = None, *, progress: Progress = silent) -> Findings:
    """What the release is good for. Nothing is drawn but the bootstrap and the control."""
    config, release = config or UtilityConfig(), with_split(release)
    found = Gathering(UTILITY)
    how = Redrawing(config.resample, config.redraws, config.seed)

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        progress(name, 0, 1)
        with found.stage(name):
            yield
        progress(name, 1, 1)

    with threadpool_limits(1, user_api="blas"):  # the same bytes, however many cores there are
        sides = read_sides(release)
        with stage("probe"):
            learnt = learn(release, sides, config.strengths)
            probed = _probed(release, sides, learnt)
        test = sides.labels.rows(sides.test)
        tested = release.of_split("test")
        with stage("zero-shot findings"):
            asked = zero_shot_scores(tested, test)
        with stage("label retrieval"):
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
        with stage("bootstrap"):
            judged = judge(scores, how)
    withheld = _add(found, judged, scores, blind_answers(sides.labels.rows(sides.train)))
    named = "patient_id" in release.records.columns
    counts = sides.counts() | {"reports": 0 if isinstance(retrieved, str) else retrieved.reports}
    strengths = pl.DataFrame(
        [{"strength": strength, "validation_auroc": mean} for strength, mean in learnt.trials],
        schema={"strength": pl.Float64, "validation_auroc": pl.Float64},
    )
    return Findings(
        audit="utility",
        about="use",
        headline=Spot(metric="auroc", attacker=PROBE),
        estimates=tuple(found.estimates),
        outcomes=(
            check_probe(sides, learnt, scores),
            null_control(scores, config.seed),
            check_zero_shot(asked, test),
            check_retrieval(retrieved),
        ),
        counts={name: told(count) for name, count in counts.items() if named or not name.endswith("_patients")},
        patients_named=named,
        attacked=Attacked.model_validate(attacked(tested)),
        limits=_limits(config, named=named),
        details={
            "strength": learnt.probe.strength,
            "validated_by": list(learnt.validated_by),
            "macro_over": {"probe": list(scores.probe), "zero-shot": list(scores.zero_shot)},
            "positives": {one.label: one.positives for one in judged if one.label and one.label not in withheld},
            "withheld": sorted(withheld),
            "redrawn": asdict(how),
        },
        timings=found.timings,
    ).with_evidence({"records": to_table(scores), "strengths": strengths})


def _probed(release: Release, sides: Sides, learnt: Learnt) -> dict[str, Floats]:
    """The probe's scores of the test records, for the labels that can be judged there."""
    test = sides.labels.rows(sides.test)
    enough = dict(zip(test.names, test.both_classes(FEWEST_POSITIVES), strict=True))
    logits = learnt.probe.logits(release.image[sides.test])
    found = {name: np.ascontiguousarray(logits[:, at]) for at, name in enumerate(learnt.labels) if enough[name]}
    if not found:
        counts = dict(zip(test.names, test.positive.sum(axis=0).tolist(), strict=True))
        most = max(counts[name] for name in learnt.labels)
        raise DataError(
            "no label can be judged: too few test records have it, or have it not",
            where=release.where,
            got=f"the most frequent of {len(learnt.labels)} is there in {told_in_words(most)} records",
            allowed=f"at least one that {FEWEST_POSITIVES} test records have and {FEWEST_POSITIVES} do not have",
        )
    return found


def _add(found: Gathering, judged: list[Judged], scores: Scores, blind: dict[str, bool]) -> set[str]:
    """The numbers that may be told, and the labels of which some are withheld."""
    withheld = set()
    for metric in dict.fromkeys(one.metric for one in judged):
        own = [one for one in judged if one.metric == metric]
        hidden = withheld_labels({one.label: one.smallest_class for one in own if one.label})
        withheld |= hidden
        for one in own:
            if one.label not in hidden:
                estimate = Estimate(one.value, *interval_of(one), one.n, one.patients)
                at = {"label": one.label} if one.label else {}
                found.add(metric, estimate, attacker=one.method, chance=chance_of(one, blind, scores), **at)
    return withheld


def withheld_labels(smallest_class: Mapping[str, int]) -> set[str]:
    """The labels with fewer than ten patients in a class. Where there is but one, the next smallest goes with it.

    Otherwise the mean over all labels, less those that are told, would give the one away.
    """
    small = {label for label, size in smallest_class.items() if size < FEWEST_PATIENTS}
    if len(small) == 1:
        others = sorted((size, label) for label, size in smallest_class.items() if label not in small)
        small |= {label for _, label in others[:1]}
    return small


def _limits(config: UtilityConfig, *, named: bool) -> tuple[str, ...]:
    limits = [
        "The probe is linear and learns on this release. It bounds from below what a stronger model could learn.",
        "Labels come from a labeller that reads reports; utility is agreement with it, not with what is in the chest.",
        "Sensitivity and specificity are read at 0.5, as published. For rare findings that threshold says almost "
        "always no; AUROC is the figure to judge by.",
        "The intervals hold the probe fixed: they speak of other test patients, not of other training patients.",
    ]
    if config.resample == "record":
        limits.append("Records are resampled, as published: intervals are too narrow where patients recur.")
    if not named:
        limits.append(
            "The release names no patients: every record counts as one, and intervals are too narrow if patients recur."
        )
    return tuple(limits)


def _run(release: Release, config: UtilityConfig, _: Knowledge = NOTHING, progress: Progress = silent) -> Findings:
    return measure_utility(release, config, progress=progress)


UTILITY = Audit(
    name="utility",
    question="what is it still good for?",
    config=UtilityConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    coordinates=COORDINATES,
    about="use",
    positives=lambda found, row: found.details["positives"].get(row.label, 0) if "label" in row.at else None,
    split="test",
    page=PAGE,
)
