"""What the user may choose of probes: their size, how they learn, what holds them back, and what is promised."""

from __future__ import annotations

from dataclasses import dataclass

from leadapron.targets.settings import check_name, check_settings

KINDS = ("linear", "mlp")
SOME_FEATURES = "some-features"
VIEWS = (SOME_FEATURES,)
USUAL_BATCH, SHARE = 128, 8


@dataclass(frozen=True)
class ProbeConfig:
    """Options of ``probes_of``.

    - ``hidden``: units between the embedding and the labels; a linear probe has none
    - ``batch``: records of a step; with ``epsilon``, how many records or patients a step draws on average; None takes
      a usual number, but not more than an eighth of what a model has
    - ``weight_decay``, ``schedule``, ``early_stopping``, ``augment``: what keeps a model from learning its patients by
      heart; each can be switched off
    - ``epsilon``, ``delta``, ``level``, ``clip``: private training and whom it protects
    - ``views``: attackers who know less than the whole record
    - ``seed``: that of the study; every model has one of its own besides
    """

    kind: str = "mlp"
    hidden: int = 64
    epochs: int = 30
    batch: int | None = None
    learning_rate: float = 3e-3
    weight_decay: float = 0.05
    schedule: bool = True
    early_stopping: bool = True
    augment: bool = True
    epsilon: float | None = None
    delta: float | None = None
    level: str = "patient"
    clip: float = 1.0
    views: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "views", tuple(self.views))
        check_name("--kind", self.kind, KINDS)
        check_settings(self, ("hidden", "epochs", "batch"), VIEWS)

    @property
    def private(self) -> bool:
        return self.epsilon is not None

    def batch_of(self, units: float) -> int:
        """The batch of models that have so many records or patients: with larger ones they would take too few steps."""
        return self.batch or min(USUAL_BATCH, max(1, int(units / SHARE)))
