"""What trains target models, whatever they are (a probe, a network, somebody's own command), and how good one is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from leadapron.cohort.truth import UNKNOWN, Labels
from leadapron.engine import Progress, silent
from leadapron.uses.auroc import auroc

FULL = "full"
"""The view of an attacker who holds the whole record."""
LOGITS, SIGNALS = "logits", "signals"


@dataclass(frozen=True)
class Trained:
    """What one model leaves behind.

    ``answers`` has an array a view, records by outputs (logits) or one number a record (signals); the view ``full`` is
    always there. ``card`` is plain data: ``auroc`` on held-out patients or None, ``seconds``, what privacy was spent;
    where training was private, ``profile`` holds a row of epsilons and a row of deltas.
    """

    answers: Mapping[str, NDArray[np.float32]]
    card: Mapping[str, object]


class Learner(Protocol):
    """Trains models on some of the audited records, those of the split 'train', and asks them about all of these.

    Held-out patients are its own affair: it has them from the start.
    """

    @property
    def together(self) -> int:
        """How many models it likes to train at once."""

    @property
    def answers_are(self) -> str:
        """``logits`` or ``signals``."""

    @property
    def labels(self) -> Sequence[str]:
        """The columns ``label_*`` that the outputs are of, in their order; empty for one column ``label``."""

    def train(self, members: NDArray[np.bool_], seeds: Sequence[int], *, progress: Progress = silent) -> list[Trained]:
        """A model a row of ``members`` (models by records), the same whenever it is trained and beside whomever."""

    def describe(self) -> dict[str, object]:
        """All that decides the result, as plain data: a study that differs in it is another study."""


def macro_auroc(logits: NDArray[np.float32], signs: NDArray[np.int8]) -> float | None:
    """The mean over the labels that have both classes; None where none has. ``signs`` are 1, -1, or 0 for unknown."""
    truth = np.where(signs == 0, UNKNOWN, signs == 1).astype(np.int8)
    areas = auroc(logits.astype(np.float64), Labels(("",) * signs.shape[1], truth))
    return None if np.isnan(areas).all() else float(np.nanmean(areas))
