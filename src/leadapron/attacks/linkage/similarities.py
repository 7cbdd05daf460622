"""How alike a radiograph and a report are: as the vectors stand, or after maps that were learnt from known pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from leadapron.attacks.linkage.knowledge import Knowledge, apart, of_patients
from leadapron.attacks.linkage.linkage_task import Floats, Ints, Task
from leadapron.attacks.linkage.nearest import nearest_kept
from leadapron.attacks.linkage.realignment import fit_maps
from leadapron.attacks.linkage.towers import Tower, start, train_towers
from leadapron.release.rows import unit

NEIGHBOURS = 10
HELD_OUT = 6
"""One known patient of so many says when training ends, and which composition is taken."""


def as_they_stand(task: Task, _knowledge: Knowledge) -> Task:
    return task


def hubs_held_down(task: Task) -> Task:
    """A candidate that is near to everybody says little about anybody.

    Cross-domain similarity local scaling takes from each candidate half its mean similarity to its nearest queries.
    """
    texts = np.asarray(task.database.texts)
    _, similarity = nearest_kept(texts, task.queries, min(NEIGHBOURS, len(task.queries)))
    hub = similarity.mean(axis=1, keepdims=True).astype(np.float32)
    ones = np.ones((len(task.queries), 1), dtype=np.float32)
    return replace(
        task,
        queries=np.hstack([task.queries, ones]),
        database=replace(task.database, texts=np.hstack([texts, -0.5 * hub])),
    )


def by_linear_maps(task: Task, knowledge: Knowledge) -> Task:
    """Linear maps fitted on known pairs, and judged on everybody else: see ``realignment``.

    It undoes a defence that merely rotates, shifts or rescales the space.
    """
    known, attacked = apart(task, knowledge)
    texts = np.asarray(task.database.texts)
    x_mean, y_mean = attacked.queries.mean(axis=0), texts.mean(axis=0)
    x = known.queries - x_mean
    y = known.database.texts[known.database.text_of[known.truth]] - y_mean
    with threadpool_limits(1, user_api="blas"):  # small products: threads that wait for each other cost more
        image_map, text_map = fit_maps(x, y, known.query_patient, knowledge.seed)
    return replace(
        attacked,
        queries=unit((attacked.queries - x_mean) @ image_map),
        database=replace(attacked.database, texts=unit((texts - y_mean) @ text_map)),
    )


@dataclass(frozen=True)
class Learnt:
    """Towers by direction of the side that asks, and the known patients who were held out."""

    towers: dict[str, Tower]
    held_out: Ints


def by_towers(task: Task, knowledge: Knowledge) -> Task:
    """Small networks trained on known pairs, and judged on everybody else: see ``towers``."""
    known, attacked = apart(task, knowledge)
    learnt = learn(known, knowledge)
    (asks, found), texts = (learnt.towers[name] for name in sides(task)), np.asarray(task.database.texts)
    return replace(
        attacked,
        queries=asks(centred(attacked.queries)),
        database=replace(attacked.database, texts=found(centred(texts))),
    )


def learn(known: Task, knowledge: Knowledge) -> Learnt:
    """Towers that start as linear maps do; both are of the same known patients, and others say when to stop.

    What was learnt from pairs of a release serves both directions.
    """
    if "towers" not in knowledge.kept or knowledge.pairs is None:
        knowledge.kept["towers"] = _learn(known, knowledge.seed)
    learnt: Learnt = knowledge.kept["towers"]
    return learnt


def _learn(known: Task, seed: int) -> Learnt:
    rng = np.random.default_rng(seed)
    patients = rng.permutation(np.unique(known.query_patient))
    held_out = np.sort(patients[: max(1, len(patients) // HELD_OUT)])
    judged = of_patients(known, held_out)
    texts = np.asarray(known.database.texts)
    x, y, pair = centred(known.queries), centred(texts), known.database.text_of[known.truth]
    rest = ~np.isin(known.query_patient, held_out)
    with threadpool_limits(1, user_api="blas"):
        maps = fit_maps(x[rest], y[pair[rest]], known.query_patient[rest], seed)
    asked = judged.queries - known.queries.mean(axis=0), np.asarray(judged.database.texts) - texts.mean(axis=0)
    started = start(maps[0], rng), start(maps[1], rng)
    towers = train_towers(
        x[rest], y, pair[rest], (*asked, judged.database.text_of[judged.truth]), started, seed
    )  # fmt: skip
    return Learnt(dict(zip(sides(known), towers, strict=True)), held_out)


def sides(task: Task) -> tuple[str, str]:
    """Whose vectors ask, and whose are searched."""
    asks, _, searched = task.direction.partition("-to-")
    return asks, searched


def centred(rows: Floats) -> Floats:
    moved: Floats = rows - rows.mean(axis=0)
    return moved


SIMILARITIES: dict[str, Callable[[Task, Knowledge], Task]] = {
    "cosine": as_they_stand,
    "csls": as_they_stand,
    "linear": by_linear_maps,
    "towers": by_towers,
}
