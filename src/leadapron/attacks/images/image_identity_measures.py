"""What may be said of the numbers of an image-identity audit."""

from __future__ import annotations

from leadapron.attacks.images.image_attackers import ANOTHER, SOURCE
from leadapron.audits.measure import Coordinate, Measure
from leadapron.audits.record_gathering import kept_units

FIRST, AUC = "precision@1", "auc"
COORDINATES = {
    "holds": Coordinate(
        "Attacker holds",
        {
            ANOTHER: {"held": "a real radiograph of another study of the patient", "holding": "holding another study"},
            SOURCE: {"held": "the very radiograph that it was made from", "holding": "holding the source image"},
        },
    ),
    "pool": Coordinate("Real images"),
}
PLACE = "among {pool:,} real radiographs, {holding}"
MEASURES = (
    Measure(
        FIRST,
        "Right patient first (precision@1)",
        "an attacker who holds {held} picks it out of {pool:,} real ones",
        "released radiographs",
        for_board="{found} of {size} released X-rays give their patient away to one who holds {held}, among {pool:,}; "
        "guessing: {guessed}",
        per_unit=kept_units,
    ),
    Measure(
        AUC,
        "Right patient above a stranger (AUC)",
        "{held} scores higher than a stranger's",
        "released radiographs",
        scale="auc",
        per_unit=kept_units,
    ),
)
