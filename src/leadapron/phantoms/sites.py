"""The clinics there are: each with patients, a machine and a way of writing of its own."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.phantoms.case_mix import GENERAL, INTENSIVE_CARE, CaseMix
from leadapron.phantoms.prose import PROSE
from leadapron.phantoms.report_wording import Wording
from leadapron.phantoms.scanner import FILM, PLATE, Scanner
from leadapron.phantoms.shorthand import SHORTHAND


@dataclass(frozen=True)
class Site:
    """One kind of clinic.

    ``streams`` stands before the name of every stream of random numbers, so that two sites of one seed have no
    patient in common.
    """

    streams: str
    case_mix: CaseMix
    scanner: Scanner
    wording: Wording


SITES = {
    "A": Site("", GENERAL, FILM, PROSE),
    "B": Site("B ", INTENSIVE_CARE, PLATE, SHORTHAND),
}
