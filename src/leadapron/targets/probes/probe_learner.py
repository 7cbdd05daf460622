"""Probes on frozen embeddings as targets: linear ones and small networks, many at once on every core."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from leadapron.engine import Progress, parallel_map, silent, worker_count
from leadapron.errors import DataError
from leadapron.release import Release
from leadapron.targets.learner import FULL, LOGITS, Learner, Trained, macro_auroc
from leadapron.targets.probes.probe_data import SOME_FEATURES, ProbeConfig, ProbeData, probe_data
from leadapron.targets.probes.probe_privacy import protect
from leadapron.targets.probes.probe_stack import Singles
from leadapron.targets.probes.probe_training import JITTER, Course, Fitted, answers, course_of, train_stack

STACK = 4
"""Models that one thread trains at once: what a step needs of so many stays in a core's cache."""
RECIPE = 1
"""Goes up when the same options would train another model than before: an old study is then not continued."""


def probes_of(release: Release, config: ProbeConfig) -> Learner:
    """Probes that learn the labels of a release from its image embeddings.

    Audited are the records of split 'train'; 'validate' decides when to stop, 'test' how good a probe is.
    """
    data = probe_data(release, config)
    return Probes(course_of(data, config, protect(config, data)), _views(data, config))


def _views(data: ProbeData, config: ProbeConfig) -> dict[str, Singles]:
    """What attackers of each kind ask a model about: all audited records, whole or as far as they know them."""
    views = {FULL: data.audited.inputs}
    if SOME_FEATURES in config.views:
        views[SOME_FEATURES] = data.known_in_part(config.seed)
    return views


@dataclass(frozen=True)
class _Stack:
    """What a thread brings back: its models, what they say in every view and of the test side, and its seconds."""

    fitted: Fitted
    said: Mapping[str, Singles]
    tested: Singles
    seconds: float


@dataclass(frozen=True)
class Probes:
    """The learner. A model depends on its members and its seed alone, to the last bit, whoever is trained beside it."""

    course: Course
    views: Mapping[str, Singles]

    answers_are = LOGITS

    @property
    def together(self) -> int:
        return 2 * STACK * worker_count()

    @property
    def labels(self) -> tuple[str, ...]:
        return self.course.data.labels

    def describe(self) -> dict[str, object]:
        data = self.course.data
        private = self.course.protection
        return {
            **asdict(self.course.config),
            "views": list(self.course.config.views),
            "recipe": RECIPE,
            "jitter": JITTER if len(self.course.draws) else 0.0,
            "labels": list(data.labels),
            "features": data.width,
            "parameters": self.course.shape.parameters,
            "audited_records": len(data.audited),
            "validate_records": len(data.validate),
            "test_records": len(data.test),
            "scaled_by": "the length of each row" if private else "mean and spread of all audited records",
        }

    def train(self, members: NDArray[np.bool_], seeds: Sequence[int], *, progress: Progress = silent) -> list[Trained]:
        """Stacks of models on all cores. Within a thread BLAS has one thread: two pools would wait for each other."""
        wanted = (len(seeds), len(self.course.data.audited))
        if members.shape != wanted:
            raise DataError("members are models x audited records", got=members.shape, allowed=str(wanted))
        parts = [slice(start, start + STACK) for start in range(0, len(seeds), STACK)]
        count = _Count(progress, len(parts) * self.course.config.epochs)
        with threadpool_limits(1, user_api="blas"):
            stacks = parallel_map(lambda part: self._train_stack(members[part], seeds[part], count), parts)
        return [
            self._trained(stack, at, own)
            for part, stack in zip(parts, stacks, strict=True)
            for at, own in enumerate(members[part])
        ]

    def _train_stack(self, members: NDArray[np.bool_], seeds: Sequence[int], count: _Count) -> _Stack:
        start = time.perf_counter()
        fitted = train_stack(self.course, members, seeds, count.one_more)
        said = {view: answers(self.course.shape, fitted.flat, rows) for view, rows in self.views.items()}
        tested = answers(self.course.shape, fitted.flat, self.course.data.test.inputs)
        return _Stack(fitted, said, tested, time.perf_counter() - start)

    def _trained(self, stack: _Stack, at: int, members: NDArray[np.bool_]) -> Trained:
        data, private = self.course.data, self.course.protection
        loss = float(stack.fitted.loss[at])
        card: dict[str, object] = {
            "auroc": macro_auroc(stack.tested[at], data.test.signs),
            "auroc_train": macro_auroc(stack.said[FULL][at][members], data.audited.signs[members]),
            "epochs": self.course.config.epochs,
            "best_epoch": int(stack.fitted.epoch[at]),
            "validation_loss": loss if np.isfinite(loss) else None,
            "members": int(members.sum()),
            "seconds": stack.seconds / len(stack.tested),
            **({} if private is None else private.card()),
        }
        return Trained({view: logits[at] for view, logits in stack.said.items()}, card)


class _Count:
    """Epochs done by all threads together."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done, self._lock = progress, total, 0, threading.Lock()

    def one_more(self) -> None:
        with self._lock:
            self._done += 1
            self._progress("training probes", self._done, self._total)
