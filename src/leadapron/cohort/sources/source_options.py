"""What every source takes, and the steps that every source shares."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from leadapron.cohort.cohort import Cohort


@dataclass(frozen=True)
class ReadOptions:
    """How a data set is read.

    ``views`` keeps these projections (empty keeps all); ``columns`` maps our names to a plain table's own.
    """

    label_policy: str = "positive-only"
    views: tuple[str, ...] = ("AP", "PA")
    official_split: bool = False
    seed: int = 0
    columns: Mapping[str, str] = field(default_factory=dict)


Source = Callable[[Path, ReadOptions], Cohort]
