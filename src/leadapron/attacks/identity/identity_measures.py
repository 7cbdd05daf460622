"""What may be said of the numbers of an identity audit."""

from __future__ import annotations

import polars as pl

from leadapron.audits.measure import Coordinate, Measure
from leadapron.pages.numerals import NBSP
from leadapron.results import Findings, Measured

VERIFICATION = ("auc", "eer", "tpr@fpr=0.01", "tpr@fpr=0.001", "tpr@fpr=0.0001")
AT_THRESHOLD = ("accuracy", "specificity", "recall", "precision", "f1")
RETRIEVAL = ("precision@1", "map@r", "r-precision")
PAIRS = ("all-pairs", "apart", "matched")
"""Which pairs of one patient are told from which pairs of strangers."""
GALLERIES = ("random", "apart", "matched")

PLAIN = {
    "cosine": "one who compares embeddings by their angle",
    "euclidean": "one who compares embeddings by their distance",
    "whitened": "one who lets no direction count for more because images vary much in it",
    "learned": "one who has learned from other patients what varies within a patient",
    "network": "one who has trained a network to recognise patients",
}
"""What each attacker does."""


COORDINATES = {
    "direction": Coordinate("Direction", {"image-to-image": {"direction_name": f"radiograph{NBSP}→{NBSP}radiograph"}}),
    "protocol": Coordinate(
        "Against",
        {
            "all-pairs": {"where": "in the release", "against": "all pairs", "pair": "a pair of strangers"},
            "random": {"where": "in the release", "against": "any strangers", "pair": "a pair of strangers"},
            "apart": {
                "where": "in the release",
                "against": "taken apart",
                "pair": "a pair of strangers, without repeats of one day and copies,",
            },
            "matched": {"where": "in the release", "against": "alike strangers", "pair": "a pair of alike strangers"},
            "fused": {"where": "in the release", "against": "several known images", "pair": "a pair of strangers"},
            "against": {
                "where": "among those released before",
                "against": "released before",
                "pair": "a pair of strangers",
            },
        },
    ),
    "pool": Coordinate("Images"),
}


def of_records(found: Findings, row: Measured) -> pl.DataFrame | None:
    """What each record got at the headline by the strongest attacker: of others nothing is kept."""
    table = found.evidence("records")
    if table is None or not row.has(group=None, **found.spot.keys):
        return None
    own = table.filter(attacker=row.attacker)
    return own.select("record_id", "patient_id", value=pl.col("recall").cast(pl.Float64))


def _pairs(name: str, title: str, event: str, *, higher_is_better: bool = False) -> Measure:
    return Measure(name, title, event, "pairs", scale="percent", higher_is="better" if higher_is_better else "worse")


MEASURES = (
    Measure(
        "precision@1",
        "Right patient first (precision@1)",
        "an attacker with a gallery of {pool:,} images finds that patient first",
        "radiographs whose patient has another one {where}",
        "radiographs",
        for_board="{found} of {size} X-rays lead first to another X-ray of the same patient among {pool:,}; "
        "guessing: {guessed}",
        per_unit=of_records,
    ),
    Measure(
        "tpir@fpir",
        "Named rightly, open world",
        "an attacker with a gallery of {pool:,} images who takes no more than {of_percent} of those without another "
        "image there for somebody names that patient",
        "radiographs whose patient has another one {where}",
        "radiographs",
        for_board="{found} of {size} X-rays whose patient has another among {pool:,} are named rightly, where "
        "{of_percent} of all others are named wrongly; guessing: {guessed}",
        risk="naming where most have no match",
    ),
    Measure(
        "auc",
        "Pair of one patient scores higher (AUC)",
        "a pair of one patient scores higher than {pair}",
        "pairs",
        for_board="in {size} comparisons, two X-rays of one patient look more alike than {pair} {found} times; "
        "guessing: {guessed}",
        scale="auc",
    ),
    _pairs("eer", "Equal error rate", "the share of wrong answers at equal error", higher_is_better=True),
    Measure(
        "tpr@fpr",
        "Recognised at {of_percent} false alarms",
        "an attacker who allows {of_percent} of false alarms recognises the patient",
        "pairs of one patient",
    ),
    Measure("tpr", "Recognised", "an attacker recognises the patient", "pairs of one patient"),
    _pairs("accuracy", "Right (accuracy)", "the share of right answers"),
    _pairs("specificity", "Strangers told apart (specificity)", "the share of strangers who are told apart"),
    _pairs("recall", "One patient recognised (recall)", "the share of pairs of one patient that are recognised"),
    _pairs("precision", "Right when saying “one patient” (precision)", "the share of those called one patient who are"),
    _pairs("f1", "F1", "the harmonic mean of precision and recall"),
    Measure(
        "map@r",
        "Mean average precision (mAP@R)",
        "the mean average precision among the first R images",
        scale="percent",
    ),
    Measure("r-precision", "R-precision", "the share of mates among the first R images", scale="percent"),
    Measure(
        "patient-recognised",
        "Patient recognised at least once",
        "an attacker with a gallery of {pool:,} images recognises at least one radiograph",
        "patients with two radiographs or more",
        "patients",
    ),
)
