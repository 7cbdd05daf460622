"""What may be chosen of the linkage study, and who stands for whom in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from pydantic import Field

from leadapron.defences.heads.heads_config import HeadsConfig
from leadapron.engine.documents import Config
from leadapron.training.devices import AUTO, HELP

Model = Literal["clip", "pubmedclip", "biomedclip", "biovil-t"]
MODELS: tuple[Model, ...] = ("clip", "pubmedclip", "biomedclip", "biovil-t")
"""The study's models, the most general first."""
MITIGATED = "biovil-t"
"""The model whose heads are trained."""
HOME, AWAY = "mimic-cxr", "chexpert-plus"
TEST, TRAIN = "test", "train"
UNDEFENDED = "off-the-shelf"
"""The heads as they were."""
POOLS = (100, 1000, 10_000)
DELTA = 6e-6


class StudyConfig(Config):
    """Options of the linkage study; what the study says is the default."""

    models: tuple[Model, ...] = Field(
        default=MODELS,
        min_length=1,
        description="Only these models; heads are trained where biovil-t is among them. [default: all]",
        json_schema_extra={"option": "--model"},
    )
    views: tuple[Literal["AP", "PA"], ...] = Field(
        default=("AP", "PA"),
        min_length=1,
        description="Keep this projection alone. [default: both]",
        json_schema_extra={"option": "--view"},
    )
    image_size: int | None = Field(
        default=None,
        ge=32,
        le=2048,
        description="Pixels a side that BioViL-T is shown; its authors show it 448. [default: 224, as in the study]",
    )
    learning_rate: float = Field(
        default=1e-4, gt=0, description="Length of a step of the published trainings. The study's is not known here."
    )
    entropy_epochs: int = Field(default=500, ge=1, description="Passes of the entropy comparator.")
    seed: int = Field(default=0, ge=0, description="Seed of the split and of everything that is drawn.")
    device: str = Field(default=AUTO, description=HELP)

    @property
    def trains_heads(self) -> bool:
        return MITIGATED in self.models

    def kept_with_work(self) -> dict[str, object]:
        """What unfinished work belongs to; on another device it may go on."""
        return self.model_dump(mode="json", exclude={"device"})


@dataclass(frozen=True)
class LineUp:
    """Which encoder stands for which model, and the one whose heads are trained."""

    encoders: Mapping[str, str]
    heads: str


REAL = LineUp(MappingProxyType({name: str(name) for name in MODELS}), "biovil-t-pooled")
PHANTOM = LineUp(
    MappingProxyType(
        {
            "clip": "phantom-general",
            "pubmedclip": "phantom-labels",
            "biomedclip": "phantom-reports",
            "biovil-t": "phantom-biovil",
        }
    ),
    "phantom-biovil",
)


def arms(config: StudyConfig) -> dict[str, HeadsConfig]:
    """The trainings of heads by name: the two of the study, what takes the first apart, and one with a proof."""
    published = {"learning_rate": config.learning_rate, "seed": config.seed}
    private = {"method": "replication", "delta": DELTA, **published}
    asked: dict[str, dict[str, Any]] = {
        "replication": private,
        "entropy": {"method": "entropy", "epochs": config.entropy_epochs, **published},
        "norm swap only": {"control": "norm_swap_only", **private},
        "swap, noise only": {"control": "noise_only", **private},
        "swap, no privacy": {"control": "nonprivate", **private},
        "batch norm kept": {"norms": "keep", **private},
        "batch norm kept, noise only": {"norms": "keep", "control": "noise_only", **private},
        "proved": {"method": "private"},
    }
    return {name: HeadsConfig(**chosen, device=config.device) for name, chosen in asked.items()}


PUBLISHED_ARMS = ("replication", "entropy")
ARM_WORDS = {
    UNDEFENDED: "the heads as they were",
    "replication": "the published mitigation: norms swapped, private training",
    "entropy": "the published comparator",
    "norm swap only": "batch norm becomes group norm, nothing is trained",
    "swap, noise only": "norms swapped, the same noise, no data",
    "swap, no privacy": "norms swapped, trained without clipping and noise",
    "batch norm kept": "batch norm frozen, private training",
    "batch norm kept, noise only": "batch norm frozen, the same noise, no data",
    "proved": "private training with an epsilon that is proved for whole patients",
}
