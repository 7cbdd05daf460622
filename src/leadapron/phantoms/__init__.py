"""The phantom clinic: a simulated clinic in which the true leak is known."""

from leadapron.phantoms.clinic import Clinic, build_clinic, write_clinic
from leadapron.phantoms.dials import Dials
from leadapron.phantoms.planted_reports import plant_reports
from leadapron.phantoms.radiograph import render
from leadapron.phantoms.sheet import contact_sheet

__all__ = ["Clinic", "Dials", "build_clinic", "contact_sheet", "plant_reports", "render", "write_clinic"]
