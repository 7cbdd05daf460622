"""What may be said of the numbers of a table audit."""

from __future__ import annotations

from leadapron.audits.measure import Measure
from leadapron.audits.record_gathering import kept_units

ALL_VISITS, ONE_VISIT = "all-visits", "one-visit"
UNIQUE, SMALL, MAX, MEAN = "unique", "small-cells@k", "risk-max", "risk-mean"
WITH_FINDINGS = "unique-with-findings"
POPULATION = "population-"
"""Before the name of a number that was counted in a population."""
NEVER = 1e-6
"""Where all patients look the same nobody stands alone: it stands for none, which no multiple could be taken of."""
PLAIN = {
    ALL_VISITS: "one who knows that somebody is in the table, and what its columns say of all visits of that patient",
    ONE_VISIT: "one who knows that somebody is in the table, and what its columns say of one visit, the most telling",
}
"""What each attacker knows."""

FOR_BOARD = "{found} of {size} patients stand alone in the table, found by whoever knows what it says of them"
_ALONE = "the patient stands alone in the table"


def _measures(prefix: str, where: str, alike: str) -> tuple[Measure, ...]:
    """The four numbers, counted in the table itself or in a population."""
    return (
        Measure(
            f"{prefix}{UNIQUE}",
            f"Stand alone{where}",
            alike,
            "patients",
            for_board="" if prefix else FOR_BOARD,
            per_unit=kept_units,
        ),
        Measure(
            f"{prefix}{SMALL}",
            f"In classes below {{of}}{where}",
            f"fewer than {{of}} people look the same{where}",
            "patients",
            for_board="" if prefix else "{found} of {size} patients are in a group of fewer than {of} who look alike",
            per_unit=kept_units,
        ),
        Measure(
            f"{prefix}{MAX}",
            f"Highest risk{where} (1 / smallest class)",
            f"the chance to pick the right patient in the smallest class{where}",
            "patients",
            scale="percent",
        ),
        Measure(
            f"{prefix}{MEAN}",
            f"Mean risk{where} (1 / class)",
            f"the mean chance to pick the right patient in a class{where}",
            "patients",
            scale="percent",
            per_unit=kept_units,
        ),
    )


MEASURES = (
    *_measures("", "", _ALONE),
    Measure(
        WITH_FINDINGS,
        "Stand alone, findings known too",
        "the patient stands alone in the table, findings included,",
        "patients",
        per_unit=kept_units,
    ),
    *_measures(POPULATION, " in the population", "at most one person of the population looks the same"),
)
