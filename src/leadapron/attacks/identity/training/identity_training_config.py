"""What is to be trained and how: the setting for two cores, the published one, and what the user changes of either."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace

from leadapron.errors import ConfigError, did_you_mean

NETWORKS = ("retrieval", "verification", "frozen")
BACKBONES = ("small", "efficientnet-lite0", "resnet50")
PAIRS = ("redrawn", "fixed")
LOSSES = {
    "retrieval": ("supervised-contrastive", "multi-similarity", "contrastive"),
    "verification": ("bce",),
    "frozen": ("none",),
}
DIMENSION = 128
SMALLEST_IMAGE = 32
CELL = 4
"""The small backbone looks at cells of 4 x 4 pixels."""


@dataclass(frozen=True)
class Phase:
    """A stretch of training with one optimiser and one cycle of the learning rate, from ``low`` up to ``high``."""

    epochs: int
    high: float
    low: float
    head_only: bool = False


@dataclass(frozen=True)
class TrainingConfig:
    """Every number of a run.

    - ``patients_a_batch`` x ``images_a_patient``: a batch of the retrieval network; ``pairs_a_batch``: one of the
      verification network
    - ``memory``: embeddings of earlier batches that a batch is compared with, too
    - ``batch_norm``: normalise what the head puts out over the batch, so that at a high learning rate the embeddings
      cannot fall into one point; the verification network then also tells places apart, which is not as published
    - ``patience``: epochs without a better validation after which training ends; None trains to the end of the cycle
    - ``pairs``: whether negative pairs are drawn once or anew in each epoch; ``training_pairs``: how many pairs in
      all, half of them positive; None takes all positive pairs and as many negatives
    """

    network: str = "retrieval"
    backbone: str = "small"
    image_size: int = 128
    phases: tuple[Phase, ...] = (Phase(8, 3e-3, 1e-5),)
    loss: str = "supervised-contrastive"
    optimiser: str = "adamw"
    weight_decay: float = 1e-2
    patients_a_batch: int = 96
    images_a_patient: int = 2
    pairs_a_batch: int = 32
    memory: int = 0
    augment: bool = True
    batch_norm: bool = True
    patience: int | None = None
    pairs: str = "redrawn"
    training_pairs: int | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        for name, known in (("network", NETWORKS), ("backbone", BACKBONES), ("pairs", PAIRS)):
            _check_name(name, getattr(self, name), known)
        _check_name("loss", self.loss, LOSSES[self.network])
        if self.image_size < SMALLEST_IMAGE:
            raise ConfigError("the images are too small", got=self.image_size, allowed=f"{SMALLEST_IMAGE} or more")
        if self.backbone == "small" and self.image_size % CELL:
            raise ConfigError(
                "the images cannot be cut into cells", got=self.image_size, allowed=f"a multiple of {CELL}"
            )
        if self.training_pairs is not None and self.training_pairs < 2:
            raise ConfigError("too few training pairs", got=self.training_pairs, allowed="2 or more")
        if self.network == "frozen" and self.backbone != "efficientnet-lite0":
            raise ConfigError("the frozen network has one backbone", got=self.backbone, allowed="efficientnet-lite0")
        if any(phase.epochs < 1 for phase in self.phases):
            raise ConfigError("there is nothing to train", got=self.phases, allowed="1 epoch or more")
        if any(not 0 < phase.low <= phase.high for phase in self.phases):
            raise ConfigError("not a cycle of learning rates", got=self.phases, allowed="0 < lowest <= highest")

    def as_card(self) -> dict[str, object]:
        """The settings as plain data, without those that the network has no use for."""
        if self.network == "frozen":
            return {"image_size": self.image_size, "seed": self.seed}
        unused: tuple[str, ...] = ("pairs", "training_pairs", "pairs_a_batch")
        if self.network == "verification":
            unused = ("patients_a_batch", "images_a_patient", "memory")
        return {name: value for name, value in asdict(self).items() if name not in unused}


def _check_name(what: str, name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise ConfigError(f"unknown {what}", got=name, allowed=did_you_mean(name, known))


PUBLISHED = {
    "verification": TrainingConfig(
        network="verification",
        backbone="resnet50",
        image_size=256,
        phases=(Phase(100, 1e-4, 1e-4),),
        loss="bce",
        optimiser="adam",
        weight_decay=0.0,
        augment=False,
        batch_norm=False,
        patience=5,
    ),
    "retrieval": TrainingConfig(
        backbone="resnet50",
        image_size=1024,
        phases=(Phase(30, 0.1584, 0.0063, head_only=True), Phase(50, 0.1584, 0.0063)),
        loss="contrastive",
        optimiser="sgd",
        weight_decay=1e-5,
        patients_a_batch=8,
        images_a_patient=4,
        memory=128,
        augment=False,
        batch_norm=False,
    ),
}
"""The settings of the study that first re-identified patients by their radiographs."""

FROM_SCRATCH = {
    "retrieval": TrainingConfig(),
    "verification": replace(
        PUBLISHED["verification"],
        backbone="small",
        image_size=128,
        phases=(Phase(40, 1e-3, 1e-3),),
        augment=True,
        batch_norm=True,
    ),
}
FROZEN = TrainingConfig(network="frozen", backbone="efficientnet-lite0", image_size=320, phases=(), loss="none")
"""Nothing is trained: the head is calculated."""

# A pretrained backbone gets a new head first: the gradients of a random one would undo what it knows.
PRETRAINED = {
    "retrieval": replace(
        FROM_SCRATCH["retrieval"], image_size=224, phases=(Phase(1, 1e-3, 1e-4, head_only=True), Phase(8, 5e-4, 1e-6))
    ),
    "verification": replace(FROM_SCRATCH["verification"], image_size=224, phases=(Phase(40, 1e-4, 1e-4),)),
}


def choose(
    network: str = "retrieval",
    backbone: str | None = None,
    *,
    as_published: bool = False,
    epochs: int | None = None,
    learning_rate: float | None = None,
    **changes: object,
) -> TrainingConfig:
    """The setting of a network on a backbone, or the published one, with the user's changes; None changes nothing.

    ``epochs`` is the length of each phase, ``learning_rate`` the highest of each.
    """
    _check_name("network", network, NETWORKS)
    if network == "frozen":
        return _frozen(backbone, as_published or epochs is not None or learning_rate is not None, changes)
    start = PUBLISHED[network] if as_published else FROM_SCRATCH[network]
    if backbone is not None:
        _check_name("backbone", backbone, BACKBONES)
        if not as_published and backbone != "small":
            start = PRETRAINED[network]
        start = replace(start, backbone=backbone)
    given: Mapping[str, object] = {name: value for name, value in changes.items() if value is not None}
    for name in given:
        _check_name("setting", name, tuple(field.name for field in fields(TrainingConfig)))
    phases = tuple(
        replace(
            phase,
            epochs=phase.epochs if epochs is None else epochs,
            high=phase.high if learning_rate is None else learning_rate,
            low=phase.low if learning_rate is None else phase.low / phase.high * learning_rate,
        )
        for phase in start.phases
    )
    return replace(start, **{"phases": phases, **given})  # type: ignore[arg-type]


def _frozen(backbone: str | None, trained: bool, changes: Mapping[str, object]) -> TrainingConfig:
    """The frozen network has an image size and a seed, and nothing else to set."""
    if trained:
        raise ConfigError("nothing of the frozen network is trained", got="--as-published, --epochs or --learning-rate")
    given = {name: changes[name] for name in ("image_size", "seed") if changes.get(name) is not None}
    return replace(FROZEN, backbone=backbone or FROZEN.backbone, **given)  # type: ignore[arg-type]
