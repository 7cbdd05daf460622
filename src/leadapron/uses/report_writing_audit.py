"""The report-writing audit: how well does a model write reports that learnt from these images and reports?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import Field

from leadapron.audits.audit import NOTHING, Audit, AuditConfig, Knowledge
from leadapron.audits.gathering import Gathering
from leadapron.audits.images_subject import ReleasedImages
from leadapron.engine import Progress, silent
from leadapron.errors import DataError
from leadapron.results import Attacked, Findings, Spot
from leadapron.results.withheld import told
from leadapron.uses.image_blind import dealt_to_others, most_frequent, shuffled, with_same_labels
from leadapron.uses.report_writing_checks import (
    collapsed,
    cut_short,
    informative,
    null_control,
    planted_control,
    reached_by,
)
from leadapron.uses.report_writing_measures import COORDINATES, FINDINGS, MACRO, MEASURES, PLAIN, SIDES
from leadapron.uses.report_writing_page import PAGE
from leadapron.uses.report_writing_rows import add_findings, add_gains, add_scores
from leadapron.uses.writing_task import (
    CONTROLS,
    FREQUENT,
    SAME_LABELS,
    SHUFFLED,
    UNTRAINED,
    WritingReads,
    WritingTask,
    load_task,
    task_of_images,
)
from leadapron.uses.written_scores import REDRAWS, scored
from leadapron.writing import Trained, Trainer, WriterSettings, find_writer
from leadapron.writing.scores import ReportScore, text_scores
from leadapron.writing.scores.finding_f1 import LEADING, findings_of

TEXT_IN_TRIALS = ("bleu-4", "rouge-l", "meteor")
SPARE = 7
"""Added to the seed for what is drawn beside the training: controls do not share its draws."""
LIMITS = (
    "The intervals hold the trained writers fixed: they speak of other test patients, not of other training runs. "
    "Another seed gives another writer.",
    "Findings and sides are read by rules from both reports: what the rules do not read counts for nothing.",
    "Scores of words rise with the house style. Where a control that sees no image comes near, they say nothing of "
    "the images.",
    "A small writer on a frozen encoder is not a large model. What it cannot learn, a larger one may.",
)


class ReportWritingConfig(AuditConfig, WriterSettings):
    """Who learns to write, and how."""

    writer: str = Field(
        default="decoder",
        description="Who writes: ridge, decoder, another registered writer, or the folder of a vision-language model "
        "that transformers has saved.",
    )


@dataclass(frozen=True)
class Wrote:
    """What a method wrote of the test images, and the training behind it, if there was one."""

    reports: Sequence[str]
    trained: Trained | None = None


def audit_report_writing(
    subject: ReleasedImages | WritingTask, config: ReportWritingConfig | None = None, *, progress: Progress = silent
) -> Findings:
    """Every regime is learnt from, controls that see no image stand beside, and all write about the test images."""
    config = config or ReportWritingConfig()
    task = subject if isinstance(subject, WritingTask) else task_of_images(subject)
    found = Gathering(REPORT_WRITING, seed=config.seed)
    _check_findings(task)
    settings = WriterSettings(**{name: getattr(config, name) for name in WriterSettings.model_fields})
    trainer = find_writer(config.writer).open(config.writer, settings)
    with found.stage("writing"):
        wrote, exact = _written(task, trainer, config.seed, progress)
    scores, not_run = _scores_of(task)
    truth = task.test.reports
    dealt = dealt_to_others(task.test.patients, config.seed + SPARE)
    with found.stage("scoring"):
        own = scored({name: one.reports for name, one in wrote.items()}, truth, scores, task.records, config.seed)
        moved = {name: [one.reports[row] for row in dealt] for name, one in wrote.items()}
        others = scored(moved, truth, scores, task.records, config.seed)
    regimes = [name for name in wrote if name not in CONTROLS]
    headline = next(iter(task.regimes))
    with found.stage("bootstrap"):
        add_scores(found, own, others, [headline, *(name for name in wrote if name != headline)])
        add_findings(found, own, headline)
        add_gains(found, own, [headline, *(name for name in regimes if name != headline)])
    reached = reached_by(own, headline)
    outcomes = [
        null_control(own, others),
        planted_control(truth, list(wrote)),
        informative(reached, scores),
        collapsed({name: wrote[name].reports for name in regimes}, truth),
        cut_short({name: one.trained for name, one in wrote.items() if one.trained and name not in CONTROLS}),
    ]
    return Findings(
        audit=REPORT_WRITING.name,
        about="use",
        headline=Spot(metric=FINDINGS, attacker=headline),
        estimates=tuple(found.estimates),
        outcomes=tuple(outcome for outcome in outcomes if outcome is not None),
        counts={name: told(count) for name, count in _counts(task).items()},
        attacked=Attacked(splits=("test",)),
        limits=LIMITS,
        details={
            "writer": Path(config.writer).name,
            "regimes": {name: len(pairs) for name, pairs in task.regimes.items()},
            "distinct": {name: len(set(one.reports)) for name, one in wrote.items()},
            "same_labels_exact": exact,
            "reached": reached,
            "how": {name: score.how for name, score in scores.items()},
            "not_run": not_run,
            "notes": {name: list(one.trained.notes) for name, one in wrote.items() if one.trained},
            "redraws": REDRAWS,
            "seed": config.seed,
        },
        timings=found.timings,
    ).with_evidence({"records": own.table(regimes)})


def _written(task: WritingTask, trainer: Trainer, seed: int, progress: Progress) -> tuple[dict[str, Wrote], float]:
    """What every regime and control writes; and how often the control with the same labels finds the very same."""
    images, truth = task.test.images, task.test.reports
    wrote: dict[str, Wrote] = {}
    untrained = trainer.untrained()
    if untrained is not None:
        wrote[UNTRAINED] = Wrote(untrained.write(images, progress=progress))
    first = next(iter(task.regimes.values()))
    for name, pairs in {**task.regimes, SHUFFLED: shuffled(first, seed + SPARE)}.items():
        work = None if task.work is None else task.work / name.replace("/", "-").replace(" ", "")
        trained = trainer.train(pairs, seed=seed, checkpoint=work, progress=_named(progress, name))
        wrote[name] = Wrote(trained.writer.write(images, progress=_named(progress, name)), trained)
    wrote[FREQUENT] = Wrote(most_frequent(first.reports, len(truth)))
    same, exact = with_same_labels(first.reports, truth, seed + SPARE)
    wrote[SAME_LABELS] = Wrote(same)
    return wrote, exact


def _named(progress: Progress, name: str) -> Progress:
    return lambda stage, done, total: progress(f"{name}: {stage}", done, total)


def _scores_of(task: WritingTask) -> tuple[dict[str, ReportScore], dict[str, str]]:
    """The scores that can be computed here; of the others, why not. Those by networks run where a folder is given."""
    weights = task.weights or {}
    scores: dict[str, ReportScore] = {score.name: score for score in LEADING}
    not_run = {}
    for score in text_scores(bert=weights.get("bert"), radgraph=weights.get("radgraph")):
        option = {"bert-score": "bert", "radgraph-f1": "radgraph"}.get(score.name)
        unasked = f"Give its weights by --{option} FOLDER." if option and weights.get(option) is None else ""
        if why := unasked or score.missing():
            not_run[score.name] = why
        else:
            scores[score.name] = score
    return scores, not_run


def _check_findings(task: WritingTask) -> None:
    """The rules must read something in both, and something of the same."""
    test = frozenset[str]().union(*(findings_of(report) for report in task.test.reports))
    if not test:
        raise DataError(
            "the labeller reads no finding in any test report", fix="Are they reports of chest radiographs?"
        )
    for name, pairs in task.regimes.items():
        known = frozenset[str]().union(*(findings_of(report) for report in pairs.reports))
        if not known & test:
            got = f"{', '.join(sorted(known)) or 'none'} against {', '.join(sorted(test))}"
            raise DataError("training and test reports have no finding in common", where=name, got=got)


def _counts(task: WritingTask) -> dict[str, int]:
    first = next(iter(task.regimes.values()))
    return {
        "train_records": len(first),
        "train_patients": len(np.unique(first.patients)),
        "test_records": len(task.test),
        "test_patients": len(np.unique(task.test.patients)),
        "without_report": task.left_out,
    }


def _run(
    subject: ReleasedImages | WritingTask,
    config: ReportWritingConfig,
    _: Knowledge = NOTHING,
    progress: Progress = silent,
) -> Findings:
    return audit_report_writing(subject, config, progress=progress)


REPORT_WRITING = Audit(
    name="report-writing",
    question="how well does a model write reports that learnt from these images and reports?",
    config=ReportWritingConfig,
    run=_run,
    measures=MEASURES,
    attackers=PLAIN,
    coordinates=COORDINATES,
    in_trials=tuple({"metric": metric} for metric in (SIDES, MACRO, *TEXT_IN_TRIALS)),
    about="use",
    subject="images",
    takes=frozenset({"text"}),
    given_as="--test",
    reads=WritingReads,
    load=load_task,
    split="test",
    page=PAGE,
)
