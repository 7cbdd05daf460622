"""What may be said of the numbers of a utility."""

from __future__ import annotations

from leadapron.audits.measure import Coordinate, Measure, Scale
from leadapron.uses.finding_scores import RETRIEVED, ZERO_SHOT_METRIC
from leadapron.uses.utility_pairing import paired_use

PLAIN = {
    "probe": "a linear layer that learns findings from the images of the training patients",
    "zero-shot": "a comparison of an image with two sentences, that a finding is there and that it is not",
    "retrieval": "a search for the ten reports of other patients that are nearest to an image",
}
"""What each method does."""

COORDINATES = {"label": Coordinate("Finding")}
"""A number without it is the mean over labels, or has none."""


def _use(name: str, title: str, event: str, scale: Scale = "percent") -> Measure:
    return Measure(name, title, event, scale=scale, higher_is="better", paired=paired_use)


MEASURES = (
    _use("auroc", "AUROC", "a linear probe scores a radiograph with a finding above one without it", "auc"),
    _use("accuracy", "Accuracy at 0.5", "the share of answers of a linear probe that are right"),
    _use("sensitivity", "Sensitivity at 0.5", "the share of findings that a linear probe sees"),
    _use("specificity", "Specificity at 0.5", "the share of absent findings that a linear probe calls absent"),
    _use(
        ZERO_SHOT_METRIC,
        "Zero-shot AUROC",
        "a radiograph with a finding lies nearer to the sentence that names it than one without it",
        "auc",
    ),
    _use(
        f"{RETRIEVED} precision@10",
        "Retrieved with the same findings (precision@10)",
        "the share of the ten nearest reports of others that have the very same findings",
    ),
    _use(
        f"{RETRIEVED} jaccard@10",
        "Findings shared with those retrieved (jaccard@10)",
        "the share of findings that an image has in common with the ten nearest reports of others",
    ),
    _use(
        f"{RETRIEVED} agreement@10",
        "Labels that agree with those retrieved (agreement@10)",
        "the share of labels in which an image agrees with the ten nearest reports of others",
    ),
)
