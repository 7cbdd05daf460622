"""What may be said of the numbers of a linkage audit."""

from __future__ import annotations

import polars as pl

from leadapron.attacks.linkage.linkage_evidence import metric_in_pool
from leadapron.audits.measure import Coordinate, Measure
from leadapron.pages.numerals import NBSP
from leadapron.results import Findings, Measured

DIRECTIONS = ("image-to-report", "report-to-image")
METRICS = ("recall@1", "recall@5", "recall@10", "mrr")
PATIENT_METRICS = ("patient-linked", "patient-report")

MATCHED_POOLS = "pathology-matched pools"
"""The check that says why there are none."""

PLAIN = {
    "cosine": "one who takes the nearest embedding",
    "csls": "one who corrects for candidates that are near to everything",
    "pooled": "one who takes a patient's images together",
    "realigned": "one who learns from known pairs how image vectors map onto report vectors",
    "sinkhorn": "one who takes a study's images together and shares every report out among the studies",
    "composed": "one who trains small networks on known pairs, and tries on others of these what else helps",
    "words": "one who does so with the reports' words and the encoder at hand",
    "assignment": "one who gives every radiograph a report over the whole release and no report twice",
}
"""What each attacker does."""

COORDINATES = {
    "direction": Coordinate(
        "Direction",
        {
            "image-to-report": {
                "queries": "radiographs",
                "query": "radiograph",
                "candidates": "reports",
                "candidate": "report",
                "direction_name": f"radiograph{NBSP}→{NBSP}report",
            },
            "report-to-image": {
                "queries": "reports",
                "query": "report",
                "candidates": "radiographs",
                "candidate": "radiograph",
                "direction_name": f"report{NBSP}→{NBSP}radiograph",
            },
        },
    ),
    "protocol": Coordinate(
        "Pools",
        {
            "random": {"pools": "random", "drawn": "at random", "alike": ""},
            "against": {
                "pools": "released before",
                "drawn": "released before",
                "alike": " that were released before",
            },
            "hard": {
                "pools": "pathology-matched",
                "drawn": "with matching findings",
                "alike": " with matching findings",
            },
        },
    ),
    "pool": Coordinate("Pool"),
}


def of_records(found: Findings, row: Measured) -> pl.DataFrame | None:
    """What each record got by this measure: at the headline as it was kept, elsewhere from how its candidates stood."""
    tables = [table for name in ("records", "assignment") if (table := found.evidence(name)) is not None]
    rows = [table.filter(attacker=row.attacker, direction=row.direction) for table in tables]
    own = next((table for table in rows if not table.is_empty()), None)
    if own is None:
        return None
    spot = found.spot
    if "above" in own.columns and row.has(metric=spot.metric, protocol=spot.protocol, pool=spot.pool):
        return own.select("record_id", "patient_id", value=pl.col("recall").cast(pl.Float64))
    values = metric_in_pool(own, row.protocol, row.pool, row.metric)
    return None if values is None else own.select("record_id", "patient_id", value=pl.Series(values))


ATTACKER = "an attacker with a pool of {pool:,} {candidates}{alike}"


FOR_BOARD = "{found} of {size} {queries} lead first to their own {candidate} among {pool:,}{alike}; guessing: {guessed}"


def _found(title: str, where: str, metric: str, for_board: str = "") -> Measure:
    event = f"{ATTACKER} finds the right one {where}"
    return Measure(metric, title, event, "{queries}", for_board=for_board, per_unit=of_records)


MEASURES = (
    _found("Right one first", "first", "recall@1", FOR_BOARD),
    _found("Among the first 5", "among the first 5", "recall@5"),
    _found("Among the first 10", "among the first 10", "recall@10"),
    Measure(
        "mrr",
        "Mean reciprocal rank",
        "the mean of one over the rank of the right {candidate} among {pool:,}{alike}",
        "{queries}",
        scale="percent",
        per_unit=of_records,
    ),
    Measure(
        "patient-linked",
        "At least one image of the patient linked",
        f"{ATTACKER} links at least one {{query}}",
        "patients",
        for_board="{found} of {size} patients have a {query} that leads first to its own {candidate} among {pool:,}; "
        "guessing: {guessed}",
    ),
    Measure(
        "tpir@fpir",
        "Named rightly, open world",
        f"{ATTACKER} who takes no more than {{of_percent}} of those without a match for somebody names the right one",
        "{queries} with a match",
        "{queries}",
        for_board="{found} of {size} {queries} with a match are named rightly among {pool:,}{alike}, where "
        "{of_percent} of those without one are named wrongly; guessing: {guessed}",
        risk="naming where most have no match",
    ),
    Measure(
        "patient-report",
        "Any match of the right patient first",
        f"{ATTACKER} finds one of the right patient's first",
        "{queries}",
    ),
)
