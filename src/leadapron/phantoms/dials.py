"""The dials of the clinic: what a test turns to know the true leak."""

from __future__ import annotations

from dataclasses import dataclass, fields

from leadapron.errors import ConfigError, did_you_mean
from leadapron.phantoms.planted.planted_vocabulary import PARTS
from leadapron.phantoms.sites import SITES

IDENTIFIERS = ("none", "plain", "hard")


@dataclass(frozen=True)
class Dials:
    """How large the clinic is and how much its data give away.

    - ``identity``: how much of a patient's anatomy, implants and course of disease is the patient's own. At 1 it
      persists over the studies; at 0 every study is drawn as if it were of somebody else.
    - ``specificity``: the chance that a detail which is seen (side, place, size, an old clip) is said in the
      report. At 0 the report knows which findings are shown and nothing else of the image.
    - ``label_noise``: the chance that a label is redrawn at its prevalence, whatever the image shows.
    - ``repetition``: the chance that a normal study gets its radiologist's template, word for word.
    - ``identifiers``: plant names, numbers, dates and phones in the reports and keep where they stand. "plain" ones
      look all alike; "hard" ones are as varied as life, and ``identifiers_part`` says which of five disjoint stocks
      of names, numbers and sentences they are made of: "tune" to fit a de-identifier, "test" and "judge" to watch
      its totals meanwhile, "verdict" to judge it once when it is finished, and "appeal" to judge once what was
      mended since.
    - ``site``: which kind of clinic it is: its patients, its machine, its way of writing.
    """

    patients: int = 300
    seed: int = 0
    identity: float = 1.0
    specificity: float = 0.7
    label_noise: float = 0.0
    repetition: float = 0.5
    identifiers: str = "none"
    site: str = "A"
    identifiers_part: str = "test"

    def __post_init__(self) -> None:
        if self.patients < 1:
            raise ConfigError("a clinic needs patients", got=self.patients, allowed="1 or more")
        for name, allowed in (("site", SITES), ("identifiers", IDENTIFIERS), ("identifiers_part", PARTS)):
            value = getattr(self, name)
            if value not in allowed:
                what = name.replace("_", " ")
                raise ConfigError(f"unknown {what}", got=value, allowed=did_you_mean(str(value), allowed))
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "float" and not 0 <= value <= 1:
                raise ConfigError(f"the dial {field.name!r} is out of range", got=value, allowed="0 to 1")
