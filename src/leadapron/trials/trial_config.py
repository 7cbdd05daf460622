"""What can be asked of a trial."""

from __future__ import annotations

from pydantic import Field, field_validator

from leadapron.attacks.linkage import ALL_ATTACKERS, LinkageConfig
from leadapron.audits.presets import asked_by
from leadapron.cohort.image_set import SIZE
from leadapron.engine.documents import Config

RIDGE = "ridge"
"""The writer that needs no torch and a second."""


class TrialConfig(Config):
    """The same for all entrants."""

    pool: int | None = Field(
        default=None,
        description="The pool that linkage is read off; of releases without reports, the gallery. [default: the one "
        "that the policy judges]",
    )
    asked: dict[str, dict[str, tuple[int | float, ...]]] = Field(
        default_factory=asked_by,
        description="By audit, what the policies need to judge it. [default: what starting-point needs]",
    )
    attackers: tuple[str, ...] = Field(default=ALL_ATTACKERS, description="Of linkage: only these.")
    seed: int = Field(default=0, ge=0)
    title: str = Field(default="", description="Above the page: what it is of, and whose.")
    probe_strength: float | None = Field(
        default=None, gt=0, description="The L2 strength of the probe, where validation patients are too few to choose."
    )
    size: int = Field(default=SIZE, ge=16, description="Of cohorts: rows and columns that images are brought to.")
    encoder: str | None = Field(
        default=None,
        description="Of cohorts with images: the encoder whose features attackers and probes look at, or none.",
    )
    networks: bool = Field(
        default=False,
        description="Of cohorts with images: train networks, too, as attackers who recognise patients and as a probe "
        "that sees small findings. It takes minutes a cohort.",
    )
    writer: str = Field(default=RIDGE, description="Of cohorts: who learns to write reports, see `utility reports`.")
    split_by: str | None = Field(default=None, description="The column that says train, validate or test.")

    @field_validator("attackers")
    @classmethod
    def _are_known(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return LinkageConfig(attackers=names).attackers
