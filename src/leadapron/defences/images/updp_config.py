"""What can be asked of UPDP. The paper gives no number of its own; these are ours, see docs/updp.md."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from leadapron.defences.images.clean_reports import NOT_ON_CARD
from leadapron.defences.images.counterparts import CounterpartConfig


class UpdpConfig(CounterpartConfig):
    """How prompts are optimised, projected onto tokens, and drawn."""

    order: Literal["clean-first", "published"] = Field(
        default="clean-first",
        description="Cut identifiers out of the reports before anything else, or, as published, leave them to the "
        "blacklist. Published prompts are not de-identified.",
    )
    encoder: str = Field(
        default="phantom-reports",
        description="The vision-language model, see `leadapron encoders`. The default knows the phantom clinic alone.",
    )
    weights: Path | None = Field(
        default=None, description="The folder with the encoder's weights.", json_schema_extra=NOT_ON_CARD
    )
    search: Literal["updp", "mma", "steps"] = Field(
        default="updp",
        description="Optimise vectors and project them (updp), or search among tokens by slopes (mma) or by "
        "probabilities (steps).",
    )
    start: Literal["report", "labels", "random"] = Field(
        default="report", description="The words that the search starts from."
    )
    length: int = Field(
        default=0, ge=0, description="Tokens of a prompt; 0 takes all of the start, or 32 of a random one."
    )
    iterations: int = Field(default=100, ge=0, description="Steps of the search; 0 projects the start as it is.")
    rate: float = Field(
        default=0.03, gt=0, description="Adam's rate, in units of the size of a number in a token's vector."
    )
    top: int = Field(default=5, ge=1, description="Nearest tokens that are looked at (K).")
    whitelist_mode: Literal["soft", "hard", "off"] = Field(
        default="soft", description="Promote whitelisted tokens (eq. 6), allow no others (algorithm 1), or neither."
    )
    promotion: float = Field(default=0.05, ge=0, description="What a whitelisted token is promoted by (lambda).")
    temperature: float = Field(
        default=0.0, ge=0, description="0 takes the best token; above, one of the nearest is drawn."
    )
    blacklist: Path | None = Field(
        default=None,
        description="A text file of terms that must not come out, one per line, instead of ours.",
        json_schema_extra=NOT_ON_CARD,
    )
    whitelist: Path | None = Field(
        default=None,
        description="A text file of terms to promote, one per line, instead of ours.",
        json_schema_extra=NOT_ON_CARD,
    )
    ban_names: bool = Field(default=False, description="Ban the given names and surnames that faker knows, too.")
    ban_numbers: bool = Field(default=False, description="Ban every token with a digit, too.")
    ban_pieces: bool = Field(default=False, description="Ban the pieces of banned words that are no token, too.")
    fine_tune: int = Field(
        default=0,
        ge=0,
        description="Steps of fine-tuning (LoRA) of a diffusers pipeline on the training patients, before it draws.",
    )
