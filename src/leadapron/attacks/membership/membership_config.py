"""What can be asked of a membership audit: whom to attack, what training promised, what the attacker has."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Self

import numpy as np
from pydantic import Field, model_validator

from leadapron.attacks.membership.declared import DeclaredConfig
from leadapron.engine.documents import Document
from leadapron.errors import ConfigError, DataError
from leadapron.privacy import Promise


class Profile(Document):
    """A privacy profile: pairs of ε and δ, each of which holds. It may be given as an array, or the path of one."""

    epsilons: tuple[float, ...]
    deltas: tuple[float, ...]

    @model_validator(mode="before")
    @classmethod
    def _of_an_array(cls, given: Any) -> Any:  # noqa: ANN401
        if isinstance(given, dict | Profile):
            return given
        path = given if isinstance(given, str | Path) else None
        try:
            pairs = np.asarray(given) if path is None else np.load(path, allow_pickle=False)
        except (OSError, ValueError) as error:
            raise DataError(f"the array cannot be read ({error})", where=path) from error
        if not isinstance(pairs, np.ndarray) or pairs.ndim != 2 or pairs.shape[0] != 2 or pairs.dtype.kind != "f":
            raise DataError("not a privacy profile", where=path, allowed="two rows of floats, epsilons and deltas")
        return {"epsilons": pairs[0].tolist(), "deltas": pairs[1].tolist()}


class MembershipConfig(DeclaredConfig):
    """Targets are the last models, or drawn by the seed; the others are references. A promise is given in one way."""

    targets: int = Field(
        default=10,
        ge=1,
        description="How many models are attacked, at most a quarter of them; the others are references.",
    )
    random_targets: bool = Field(default=False, description="Draw the targets by the seed. [default: the last models]")
    epsilon: float | None = Field(default=None, description="What training promised, with --delta.")
    delta: float | None = Field(default=None, description="What training promised, with --epsilon.")
    mu: float | None = Field(default=None, description="The same as Gaussian privacy.")
    profile: Profile | None = Field(
        default=None,
        description="The same as a whole privacy profile: a .npy file of two rows, epsilons and deltas.",
    )
    promised_to: Literal["record", "patient"] = Field(
        default="record", description="What training protected: single records, or patients with all of theirs."
    )

    @model_validator(mode="after")
    def _promises_in_one_way(self) -> Self:
        pair = self.epsilon is not None or self.delta is not None
        if pair + (self.mu is not None) + (self.profile is not None) > 1:
            raise ConfigError("a promise is given in one way", allowed="--epsilon with --delta, or --mu, or --profile")
        if (self.epsilon is None) != (self.delta is None):
            raise ConfigError("epsilon and delta go together", where="--epsilon, --delta")
        if self.promise is None and self.promised_to != "record":
            fix = "Give --epsilon and --delta, or --mu, or --profile."
            raise ConfigError("nothing was promised", where="--promised-to", fix=fix)
        return self

    @property
    def promise(self) -> Promise | None:
        """What training promised, in whichever way it was given; a promise that cannot be is refused."""
        if self.epsilon is not None and self.delta is not None:
            return Promise((self.epsilon,), (self.delta,), unit=self.promised_to)
        if self.profile is not None:
            return Promise(self.profile.epsilons, self.profile.deltas, unit=self.promised_to)
        return None if self.mu is None else Promise(mu=self.mu, unit=self.promised_to)
