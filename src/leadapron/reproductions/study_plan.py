"""The plan: what will be done, what is done already, and about how long the rest takes, as measured on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from leadapron.attacks.linkage import LINKAGE
from leadapron.cohort.pixels import prepare, read_image
from leadapron.pages.page import table
from leadapron.pages.terminal_text import in_columns, wrapped
from leadapron.reproductions.study_config import HOME, TEST, TRAIN
from leadapron.reproductions.study_steps import Step, Study, steps_of
from leadapron.uses import UTILITY

TRIED = 8
"""Images and reports that are timed for the plan, after as many that warm up."""
SECONDS_A_STEP = 0.004
"""Of the training of heads."""
FORMS = ((86_400, "days"), (3600, "hours"), (60, "minutes"))


@dataclass(frozen=True)
class StudyPlan:
    """The steps in order, and the seconds that each takes that is not done."""

    steps: list[Step]
    seconds: list[float]

    def __str__(self) -> str:
        rows = [
            (step.name, "done" if step.done else in_words(seconds))
            for step, seconds in zip(self.steps, self.seconds, strict=True)
        ]
        told = in_columns(table("", ("step", "takes"), rows, numbers=1))
        total = f"In all {in_words(sum(self.seconds))}, by a short try on this machine."
        return f"{told}\n\n{wrapped(f'{total} What is done stays done after a kill.')}"


def plan_of(study: Study) -> StudyPlan:
    steps = steps_of(study)
    tries: dict[tuple[str, str], tuple[float, float]] = {}
    for step in steps:
        if step.kind == "encoding" and not step.done:
            tries[step.site, step.subject] = _tried(study, step.site, step.subject)
    return StudyPlan(steps, [0.0 if step.done else _seconds(study, step, tries) for step in steps])


def in_words(seconds: float) -> str:
    """An estimate is no stopwatch."""
    for length, name in FORMS:
        if seconds >= 2 * length:
            return f"about {seconds / length:.0f} {name}"
    return "about a minute" if seconds >= 30 else "less than a minute"


def _seconds(study: Study, step: Step, tries: dict[tuple[str, str], tuple[float, float]]) -> float:
    records = study.cohorts[step.site]
    splits = records.records["split"]
    tested, trained = int((splits == TEST).sum()), int((splits == TRAIN).sum())
    if step.kind == "encoding":
        image, text = tries[step.site, step.subject]
        wanted = study.wanted(step.site, step.subject) or (TEST, TRAIN, "validate")
        encoded = records.records.filter(pl.col("split").is_in(wanted))
        return image * len(encoded) + text * encoded["report"].n_unique()
    if step.kind in ("linkage", "words"):
        return LINKAGE.effort.seconds(tested) * (2 if step.site == HOME and step.subject in study.trained else 1)
    if step.kind == "utility":
        return UTILITY.effort.seconds(tested + trained)
    config = study.trained[step.subject]
    if step.kind == "transfer" or config.control == "norm_swap_only":
        return 1.0
    epochs, batch = (config.epochs or 5, 128) if config.method == "replication" else (config.epochs or 5, 512)
    return SECONDS_A_STEP * epochs * trained / batch


def _tried(study: Study, site: str, encoder: str) -> tuple[float, float]:
    """Seconds an image, decoding included, and seconds a report."""
    spec = study.specs[encoder]
    loaded = spec.load(study.weights(encoder))
    records = study.cohorts[site].records
    paths = [Path(path) for path in records["image_path"].head(TRIED)]
    texts = records["report"].drop_nulls().head(TRIED).to_list()

    def decoded() -> list[np.ndarray]:
        return [prepare(read_image(path), spec.image_size) for path in paths]

    pixels = np.stack(decoded())
    seconds = [_timed(work) / len(paths) for work in (decoded, lambda: loaded.image_backbone(pixels))]
    return sum(seconds), _timed(lambda: loaded.text_backbone(texts)) / len(texts)


def _timed(work: Callable[[], object]) -> float:
    work()  # what is loaded and compiled once is not of the rest
    start = time.perf_counter()
    work()
    return time.perf_counter() - start
