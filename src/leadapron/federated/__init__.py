"""Hospitals that train one model together without sharing records, though some lack radiographs and some reports."""

from leadapron.federated.federate import ENGINES, Machine, federate, hospitals_beside
from leadapron.federated.federation_plan import Group, Plan, read_plan
from leadapron.federated.methods import METHODS
from leadapron.federated.run_card import Run, read_run

__all__ = [
    "ENGINES",
    "METHODS",
    "Group",
    "Machine",
    "Plan",
    "Run",
    "federate",
    "hospitals_beside",
    "read_plan",
    "read_run",
]
