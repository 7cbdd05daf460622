"""What may be said of the numbers of an attribute audit."""

from __future__ import annotations

from leadapron.attacks.attributes.attribute_columns import PERSON, PICTURE
from leadapron.attacks.attributes.attribute_probes import CHOSEN, CURVED, LINEAR
from leadapron.audits.measure import Coordinate, Measure
from leadapron.audits.record_gathering import kept_units

TOLD, AUC, KNOWN, RIGHT = "told-right", "auc", "known", "known-right"
PLAIN = {
    CHOSEN: "one who tries a straight and a curved rule on other patients and takes what does better there",
    LINEAR: "one who learns a straight rule, a weight for each number of the vector",
    CURVED: "one who also looks how near the vector is to those of 128 other radiographs",
}
"""All of them learn from other patients, and see findings and view beside the vector."""

COORDINATES = {
    "attribute": Coordinate("Attribute"),
    "concerns": Coordinate("What it concerns", {PERSON: {}, PICTURE: {}}),
}

MEASURES = (
    Measure(
        TOLD,
        "Told right",
        "{attribute} is told right from the released vector",
        "patients, as many of each group",
        counted="patients",
        for_board="{attribute} is told right for {found} of {size} patients, each group counting alike; guessing from "
        "findings and view: {guessed}",
        per_unit=kept_units,
    ),
    Measure(
        AUC,
        "AUC, mean over groups",
        "a patient of a group is told from one of another by {attribute}",
        "patients",
        counted="radiographs",
        scale="auc",
    ),
    Measure(
        KNOWN,
        "Known with {of_percent} certainty",
        "{attribute} is known with {of_percent} certainty from the released vector, and right",
        "patients",
        for_board="{attribute} is known with {of_percent} certainty for {found} of {size} patients",
        per_unit=kept_units,
    ),
    Measure(
        RIGHT,
        "Right among those known with {of_percent} certainty",
        "{attribute} is right where the attacker is {of_percent} certain of it",
        "patients",
    ),
)
