"""Which weights an encoder has: the hash of the files that it was loaded from, without the machine's own paths."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from leadapron.engine import sha256

READ_BY_ENCODERS = (".safetensors", ".bin", ".pt", ".pth", ".json", ".txt")
"""Weights, configuration and vocabulary. What else lies in such a folder does not change an embedding."""


def weights_card(weights: Mapping[str, Path]) -> dict[str, dict[str, str]]:
    """For each model the name of the file or folder it was read from, and its hash."""
    return {model: {"read_from": place.name, "sha256": fingerprint(place)} for model, place in weights.items()}


def fingerprint(place: Path) -> str:
    """The hash of a file, or one of all the files in a folder that an encoder reads, with their names."""
    if place.is_file():
        return sha256(place)
    digest = hashlib.sha256()
    for file in sorted(place.iterdir()):
        if file.is_file() and file.suffix in READ_BY_ENCODERS:
            digest.update(f"{file.name} {sha256(file)}\n".encode())
    return digest.hexdigest()
