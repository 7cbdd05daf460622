"""The scores of the test records: all that the numbers are computed from, and what two releases are compared by.

Zero-shot scores ask whether an image lies nearer to the sentence that a finding is there, or to the one that it is not.
The study measured images alone. A release with images and reports in one space is also asked in words, and a defence
that pulls the two apart takes that away.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from leadapron.cohort import LABEL_COLUMNS
from leadapron.cohort.truth import UNKNOWN, Labels
from leadapron.errors import DataError
from leadapron.release import Release
from leadapron.release.rows import distinct_rows, unit
from leadapron.results.withheld import FEWEST_POSITIVES
from leadapron.stats import exact_limits
from leadapron.uses.auroc import count_redraws, draw, spread

Floats = NDArray[np.float64]

PROBE, ZERO_SHOT, RETRIEVAL = "probe", "zero-shot", "retrieval"
"""Who measures: the methods of a measurement, as attackers are those of an attack."""
PROBE_METRICS = ("auroc", "accuracy", "sensitivity", "specificity")
ZERO_SHOT_METRIC = "zero-shot auroc"
LIKENESSES = ("precision@10", "jaccard@10", "agreement@10")
RETRIEVED = "label-retrieval"
"""What the metrics of retrieval begin with."""


@dataclass(frozen=True)
class Scores:
    """One row per test record.

    ``probe`` and ``zero_shot`` are keyed by label and higher where the finding is likelier; the probe says "positive"
    from 0 up. ``retrieval`` holds, for each query, how like it the reports are that it finds, and ``chance`` how like
    it those are that are drawn blindly; NaN where a record is no query.
    """

    record_id: NDArray[np.str_]
    patient_id: NDArray[np.str_]
    labels: Labels
    probe: Mapping[str, Floats]
    zero_shot: Mapping[str, Floats]
    retrieval: Mapping[str, Floats]
    chance: Mapping[str, Floats]

    def parts(self) -> dict[str, Mapping[str, Floats]]:
        """What is kept under which beginning of a column's name."""
        return {
            "probe": self.probe,
            "zero_shot": self.zero_shot,
            "retrieval": self.retrieval,
            "chance": self.chance,
        }

    def rows(self, rows: NDArray[np.int64]) -> Scores:
        """Some of the records, or all in another order."""
        return Scores(
            self.record_id[rows],
            self.patient_id[rows],
            self.labels.rows(rows),
            *({name: values[rows] for name, values in held.items()} for held in self.parts().values()),
        )

    def only(self, probe: Collection[str], zero_shot: Collection[str]) -> Scores:
        """With the scores of these labels alone."""
        return replace(
            self,
            probe={name: self.probe[name] for name in probe},
            zero_shot={name: self.zero_shot[name] for name in zero_shot},
        )


def to_table(scores: Scores) -> pl.DataFrame:
    """The scores as evidence. Unknown labels, and scores of records that are not judged, are null."""
    columns: dict[str, pl.Series] = {
        "record_id": pl.Series(scores.record_id.astype(object), dtype=pl.String),
        "patient_id": pl.Series(scores.patient_id.astype(object), dtype=pl.String),
    }
    for at, label in enumerate(scores.labels.names):
        truth = pl.Series(scores.labels.truth[:, at])
        columns[f"truth_{label}"] = truth.set(truth == UNKNOWN, None)
    for part, held in scores.parts().items():
        columns |= {f"{part}_{name}": pl.Series(values).fill_nan(None) for name, values in held.items()}
    return pl.DataFrame(columns)


def from_table(table: pl.DataFrame, where: str) -> Scores:
    """The scores that a table of evidence was made from."""
    missing = {"record_id", "patient_id"} - set(table.columns)
    names = tuple(name.removeprefix("truth_") for name in table.columns if name.startswith("truth_"))
    if missing or not names:
        raise DataError("the table holds no scores", where=where, got=", ".join(table.columns))
    truth = np.stack([table[f"truth_{name}"].fill_null(UNKNOWN).to_numpy() for name in names], axis=1).astype(np.int8)

    def part(beginning: str) -> dict[str, Floats]:
        return {
            name.removeprefix(f"{beginning}_"): table[name].fill_null(float("nan")).to_numpy()
            for name in table.columns
            if name.startswith(f"{beginning}_")
        }

    return Scores(
        table["record_id"].to_numpy().astype(str),
        table["patient_id"].to_numpy().astype(str),
        Labels(names, truth),
        part("probe"),
        part("zero_shot"),
        part("retrieval"),
        part("chance"),
    )


def zero_shot_scores(release: Release, labels: Labels) -> dict[str, Floats] | str:
    """The cosine with "present" less the cosine with "absent", of the labels that can be judged; or why there is none.

    ``release`` and ``labels`` are those of the test records.
    """
    prompts = release.prompts.get("text")
    if prompts is None:
        return "the release holds no prompts"
    if prompts.shape[1] != release.image.shape[1]:
        return f"prompts of {prompts.shape[1]} and images of {release.image.shape[1]} dimensions are not in one space"
    judged = labels.both_classes(FEWEST_POSITIVES)
    named = [label for label, both in zip(labels.names, judged, strict=True) if both]
    places = {column.removeprefix("label_"): at for at, column in enumerate(LABEL_COLUMNS)}
    asked = [label for label in named if label in places]
    if not asked:
        return f"no finding of the prompts is there in {FEWEST_POSITIVES} test records and absent in as many"
    words = unit(prompts).astype(np.float64)
    directions = np.stack([words[2 * places[label]] - words[2 * places[label] + 1] for label in asked], axis=1)
    first, place = distinct_rows(release.image)
    images = release.image[first]
    scores = (unit(images).astype(np.float64) @ directions)[place]
    return {label: np.ascontiguousarray(scores[:, at]) for at, label in enumerate(asked)}


@dataclass(frozen=True)
class Redrawing:
    """How intervals come about: what is drawn, how often, and from which seed."""

    resample: str = "patient"
    redraws: int = 1000
    seed: int = 0


@dataclass(frozen=True)
class Judged:
    """A number: ``value`` in the sample, ``replicates`` in the redraws, NaN in those without one of the classes.

    Without a label it is the mean over labels, or has none. ``positives`` records show the finding; ``smallest_class``
    is the number of patients with it, or without it, whichever is smaller; of a mean, the smallest of its labels.
    """

    metric: str
    method: str
    value: float
    replicates: Floats
    n: int
    patients: int
    label: str | None = None
    positives: int = 0
    smallest_class: int = 0


def interval_of(one: Judged) -> tuple[float, float, float]:
    """The 95 % interval over the redraws, and their standard deviation.

    Redraws of "never" and of "always" are all alike, and would claim that no patient could differ: there the interval
    is Clopper and Pearson's, with a patient of the smaller class as one try.
    """
    low, high, sd = spread(one.replicates)
    if low == high and one.value in (0.0, 1.0):
        ends = exact_limits(one.value * one.smallest_class, one.smallest_class)
        low, high = float(ends[0]), float(ends[1])
    return low, high, sd


def judge(scores: Scores, how: Redrawing) -> list[Judged]:
    """All metrics of all scores that are there, in redraws that are the same for every number.

    The mean over labels comes before its labels.
    """
    drawn = draw(scores.patient_id if how.resample == "patient" else scores.record_id, how.redraws, how.seed)
    found = []
    if scores.probe:
        labels, logits = _chosen(scores.labels, scores.probe)
        counts = count_redraws(logits, labels, drawn)
        for metric in PROBE_METRICS:
            found += _by_label(metric, PROBE, getattr(counts, metric)(), labels, scores.patient_id)
    if scores.zero_shot:
        labels, values = _chosen(scores.labels, scores.zero_shot)
        areas = count_redraws(values, labels, drawn).auroc()
        found += _by_label(ZERO_SHOT_METRIC, ZERO_SHOT, areas, labels, scores.patient_id)
    for name, column in scores.retrieval.items():
        asked, means = ~np.isnan(column), drawn.means(column)
        found.append(_judged(f"{RETRIEVED} {name}", RETRIEVAL, means, asked, scores.patient_id))
    return found


def _chosen(labels: Labels, held: Mapping[str, Floats]) -> tuple[Labels, Floats]:
    """The labels for which there are scores, and these as columns."""
    columns = [labels.names.index(name) for name in held]
    return labels.columns(columns), np.stack(list(held.values()), axis=1)


def _by_label(metric: str, method: str, values: Floats, labels: Labels, patient_id: NDArray[np.str_]) -> list[Judged]:
    """The mean over labels, in a redraw over those that have both classes there, and each label by itself."""
    there = ~np.isnan(values)
    macro = np.where(there, values, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
    macro[~there.any(axis=1)] = np.nan
    known, positive = labels.known, labels.positive
    found = []
    for at, name in enumerate(labels.names):
        with_it, without = positive[:, at], known[:, at] & ~positive[:, at]
        one = _judged(metric, method, values[:, at], known[:, at], patient_id)
        fewest = min(len(np.unique(patient_id[with_it])), len(np.unique(patient_id[without])))
        found.append(replace(one, label=name, positives=int(with_it.sum()), smallest_class=fewest))
    mean = _judged(metric, method, macro, np.asarray(known.any(axis=1)), patient_id)
    return [replace(mean, smallest_class=min(one.smallest_class for one in found)), *found]


def _judged(
    metric: str, method: str, values: Floats, judged: NDArray[np.bool_], patient_id: NDArray[np.str_]
) -> Judged:
    patients = len(np.unique(patient_id[judged]))
    return Judged(metric, method, float(values[0]), values[1:], int(judged.sum()), patients)
