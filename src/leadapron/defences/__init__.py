"""Defences: from a release to a new release, and the guarantee that it carries, or carries not."""

from leadapron.defences.guarantee import Guarantee

__all__ = ["Guarantee"]
