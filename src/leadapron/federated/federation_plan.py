"""The plan of a federation: everything that its members must agree on before the first round."""

from __future__ import annotations

import hashlib
import tomllib
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field, ValidationError, field_validator

from leadapron.engine.documents import Config, Document, first_fault
from leadapron.errors import ConfigError, did_you_mean

Holds = Literal["image", "text", "both"]
HOLDS: tuple[Holds, ...] = get_args(Holds)
Pairing = Literal["refined", "nearest", "labels", "random", "cross-modal"]


class Group(Document):
    """Hospitals of one kind: how many, what they hold, how many patients each has, and whose release they come from."""

    holds: Holds
    hospitals: int = Field(ge=1)
    patients: int | None = Field(default=None, ge=1)
    release: str | None = None
    """The folder of a release of its own; without it the patients are those of the release that is dealt."""


class Plan(Config):
    """Who takes part, by which method, for how long. Options and TOML keys come from the fields."""

    method: str = Field(
        default="car-mfl",
        description="mfedavg, mfedavg-public, creamfl, car-mfl; or to compare with: local-only, public-only, "
        "no-missing, centralised.",
    )
    clients: str = Field(
        default="8:0:2", description="Hospitals with radiographs alone, with reports alone, and with both."
    )
    patients: int | None = Field(default=None, ge=1, description="Patients per hospital. [default: all that there are]")
    public: int = Field(default=1000, ge=0, description="Patients of the public set, who belong to no hospital.")
    rounds: int = Field(default=30, ge=1, description="Rounds of training.")
    epochs: int = Field(default=3, ge=1, description="Passes over a hospital's own records per round.")
    batch: int = Field(default=48, ge=1, description="Records per step.")
    learning_rate: float = Field(default=2e-3, gt=0, description="Learning rate of Adam.")
    gradient_limit: float | None = Field(default=None, gt=0, description="The longest gradient of a step.")
    optimiser: Literal["kept", "reset"] = Field(
        default="kept", description="Whether a hospital keeps the state of its optimiser from round to round."
    )
    pairing: Pairing = Field(
        default="refined",
        description="How car-mfl finds a partner: the nearest whose findings fit best (refined), the nearest, by "
        "findings alone (labels), at random, or the nearest by the other modality (cross-modal).",
    )
    neighbours: int = Field(default=10, ge=1, description="How many of the nearest `refined` chooses from.")
    normalise: Literal["linear", "softmax"] = Field(
        default="linear", description="How the weights of hospitals are made to add up to one; softmax is as published."
    )
    alpha: float = Field(
        default=0.3, ge=0, le=1, description="Weight of an encoder that a hospital trained on retrieved partners."
    )
    alpha_by_validation: bool = Field(
        default=False, description="Choose alpha anew in every round, by the validation patients."
    )
    partition: Literal["homogeneous", "dirichlet", "site"] = Field(
        default="homogeneous",
        description="How patients are dealt: by chance, with another mix of findings at each hospital, or by a column.",
    )
    concentration: float = Field(
        default=0.5, gt=0, description="Of dirichlet: the smaller, the more the findings differ between hospitals."
    )
    site_column: str = Field(default="source", description="Of site: the column that names a patient's hospital.")
    encoders: Literal["features", "published", "small-network"] = Field(
        default="features",
        description="What is trained: small encoders on the backbone features of a release; or, on a cohort, the "
        "published ResNet-50 and BERT, or a small network.",
    )
    width: int = Field(default=64, ge=2, description="Width of the shared space of each encoder; 256 as published.")
    participation: float = Field(
        default=1.0, gt=0, le=1, description="Share of the hospitals that is asked in each round."
    )
    minimum: int = Field(default=1, ge=1, description="Hospitals that must answer for a round to count.")
    largest_update: float = Field(
        default=10.0, gt=0, description="Leave out an update that is longer than this many times the weights sent."
    )
    secure: bool = Field(
        default=False,
        description="Secure aggregation: the server learns the sum of the updates, and no hospital's own.",
    )
    clip: float | None = Field(default=None, gt=0, description="The longest update that a hospital sends.")
    noise: float = Field(default=0.0, ge=0, description="Noise on each update, in multiples of --clip.")
    seed: int = Field(default=0, ge=0, description="Seed of everything that is drawn.")
    groups: tuple[Group, ...] = Field(default=(), json_schema_extra={"option": None})
    """In the place of ``clients``, where hospitals differ in size or come from releases of their own."""

    @field_validator("clients")
    @classmethod
    def _three_counts(cls, given: str) -> str:
        counts = given.split(":")
        if len(counts) != len(HOLDS) or not all(count.isdecimal() for count in counts) or not sum(map(int, counts)):
            raise ValueError("write hospitals with radiographs, with reports and with both as 8:0:2")
        return given

    def model_post_init(self, _context: object) -> None:
        if self.noise and self.clip is None:
            raise ConfigError("noise without --clip has no measure", where="noise", got=self.noise, fix="Add --clip.")
        if self.noise and self.encoders == "published":
            raise ConfigError(
                "the published image encoder keeps running variances, and noise would make some of them negative",
                where="noise",
                got=self.noise,
                fix="Choose --encoders features or small-network.",
            )
        if self.secure and self.alpha_by_validation:
            raise ConfigError(
                "to choose alpha the server weighs single updates anew, and secure aggregation shows it none",
                where="alpha_by_validation",
                fix="Leave out --secure or --alpha-by-validation.",
            )
        hospitals = sum(group.hospitals for group in self.members())
        if self.minimum > hospitals:
            raise ConfigError(
                "more hospitals must answer than there are",
                where="minimum",
                got=self.minimum,
                allowed=f"1 to {hospitals}",
            )

    def members(self) -> list[Group]:
        """The groups, by whichever way they were given; empty ones are left out."""
        if self.groups:
            return list(self.groups)
        counts = map(int, self.clients.split(":"))
        return [
            Group(holds=holds, hospitals=count, patients=self.patients)
            for holds, count in zip(HOLDS, counts, strict=True)
            if count
        ]

    @property
    def fingerprint(self) -> str:
        """The same for all who have the same plan."""
        return hashlib.sha256(self.model_dump_json().encode()).hexdigest()


def read_plan(path: Path, **changes: Any) -> Plan:  # noqa: ANN401
    """A plan in a TOML file; ``changes`` take the place of what it says."""
    try:
        content = tomllib.loads(path.read_text())
    except OSError as error:
        raise ConfigError(f"the plan cannot be read ({error.strerror})", where=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"the file is not valid TOML ({error})", where=path) from error
    for key in content:
        if key not in Plan.model_fields:
            raise ConfigError("unknown key", where=path, got=key, allowed=did_you_mean(key, Plan.model_fields))
    try:
        return Plan(**{**content, **changes})
    except ValidationError as error:
        place, what = first_fault(error)
        raise ConfigError(f"{place.removeprefix('$.')}: {what}", where=path) from error
    except ConfigError as error:
        raise ConfigError(str(error), where=path) from error
