"""A method: what the server sends, what a hospital answers, and what the server makes of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from leadapron.federated.federation_plan import Holds, Plan
from leadapron.federated.station import Arrays, Station

if TYPE_CHECKING:
    import torch

    from leadapron.federated.fusion_model import FusionModel

Joining = Literal["federation", "complete", "centre", "nobody"]
Memory = dict[str, Any]
"""What a place keeps from round to round: tensors, numbers and containers of them."""


@dataclass(frozen=True)
class Answer:
    """What a hospital sends back in a round, how many records it stands on, and the loss of the last pass.

    The loss tells of the records, so it is not sent where the plan noises what is sent.
    """

    arrays: Arrays
    records: int
    loss: float | None


@dataclass
class Place:
    """A hospital at work, or the server: its model, its own records (the server's are the public ones), its memory."""

    plan: Plan
    model: FusionModel
    station: Station
    public: Station
    round: int = 0
    memory: Memory = field(default_factory=dict)

    @property
    def device(self) -> torch.device:
        return next(self.model.parameters()).device


@dataclass
class Server(Place):
    """The server also knows what each hospital holds, and has patients on whom it chooses."""

    validate: Station | None = None
    holds: Mapping[str, Holds] = field(default_factory=dict)
    own_update: Arrays | None = None
    """What the public set taught in this round, as if it were a hospital's."""
    notes: dict[str, float] = field(default_factory=dict)
    """What was chosen in this round."""


class Method:
    """Both sides of a method. It has no state: what lasts is in the model and the memory of a place."""

    line: ClassVar[str] = ""
    sends_features: ClassVar[bool] = False
    """Whether hospitals send something else than weights of the common model."""
    averages: ClassVar[bool] = False
    """Whether all that the server makes of the hospitals is a mean of their weights: then each may clip what it sends,
    and a sum of all is enough."""
    one_model_each: ClassVar[bool] = False
    """Whether every hospital ends with a model of its own."""
    needs_public: ClassVar[bool] = True
    joining: ClassVar[Joining] = "federation"
    """What becomes of the hospitals: they join as they are, or with both halves; their records go to the centre; or
    they stay away. Floors and ceilings differ in this."""

    def sends(self, server: Server) -> Arrays:
        raise NotImplementedError

    def answer(self, hospital: Place, received: Arrays) -> tuple[Arrays, float]:
        """What the hospital sends back, and the loss of its last pass."""
        raise NotImplementedError

    def takes(self, server: Server, answers: Mapping[str, Answer]) -> None:
        """Bring the server's model forward by answers, which are sorted by name."""
        raise NotImplementedError
