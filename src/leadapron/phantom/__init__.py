"""The phantom clinic: a simulated clinic in which the true leak is known."""

from leadapron.phantom.clinic import Clinic, build_clinic, write_clinic
from leadapron.phantom.dials import Dials
from leadapron.phantom.radiograph import render
from leadapron.phantom.sheet import contact_sheet

__all__ = ["Clinic", "Dials", "build_clinic", "contact_sheet", "render", "write_clinic"]
