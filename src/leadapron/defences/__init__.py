"""Defences: from a cohort, a release or a model to its defended version, and the guarantee that it carries, or not."""

from leadapron.defences.apply_defence import defend
from leadapron.defences.defence import Defence, DefenceCard
from leadapron.defences.defence_registry import DEFENCES, find_defence, register

__all__ = ["DEFENCES", "Defence", "DefenceCard", "defend", "find_defence", "register"]
