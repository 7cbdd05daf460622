"""Heads of another release for the same backbones: what one hospital fitted, another one's cohort is encoded with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leadapron.encoders.encoder import EncoderSpec, Heads
from leadapron.errors import ConfigError
from leadapron.release import Release
from leadapron.release.heads import SIDES

OF_ANOTHER = "heads of another release, as they are"


def heads_of(release: Release, name: str, spec: EncoderSpec, weights: Mapping[str, Mapping[str, str]]) -> Heads:
    """Its heads, or why they are not for this encoder. ``weights`` is the card of those that were loaded."""
    if not release.heads:
        raise ConfigError(
            "there are no heads in this release",
            where=release.where,
            fix="Take one that was made by `leadapron encode --with-features`.",
        )
    if "defence" in release.card:
        raise ConfigError(
            "the heads of this release belong to a defence, and its card would be lost",
            where=release.where,
            fix="Use `leadapron encode --with-features` and then `leadapron defend transfer --fitted-on`.",
        )
    card = release.card.get("encoder")
    described: dict[str, Any] = card if isinstance(card, dict) else {}
    if described.get("name") != name:
        raise ConfigError(
            "its heads are another encoder's", where=release.where, got=described.get("name", "unknown"), allowed=name
        )
    theirs = {model: entry["sha256"] for model, entry in described.get("weights", {}).items()}
    ours = {model: entry["sha256"] for model, entry in weights.items()}
    widths = [release.heads[side].inputs for side in SIDES]
    if theirs != ours or widths != [spec.image_features, spec.text_features]:
        raise ConfigError(
            "its heads were made for other weights of this encoder",
            where=release.where,
            fix="Encode both with the same --weights.",
        )
    return Heads(image=release.heads["image"], text=release.heads["text"])
