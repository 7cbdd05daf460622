"""A figure: what it shows, how to read it, and the picture or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class Figure:
    key: str
    title: str
    reading: str
    svg: str = ""
    missing: str = ""
    """Why there is no picture."""
    note: str = ""
    """What else must be known to judge this picture."""
    kind: ClassVar[str] = "figure"
