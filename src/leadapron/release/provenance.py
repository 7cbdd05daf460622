"""Where a result comes from: the release with the hashes of its files, and the versions of what computed it."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

from leadapron.engine import sha256
from leadapron.release.release import Release

LIBRARIES = ("numpy", "scipy", "numba", "polars")
NOTHING_RECORDED = "nothing recorded to verify"


def inputs_of(path: Path, release: Release) -> dict[str, object]:
    encoder = release.card.get("encoder")
    return {
        "release": path.resolve().name,
        "encoder": encoder.get("name") if isinstance(encoder, dict) else None,
        "cohort": release.card.get("cohort"),
        "defence": release.card.get("defence"),
        "sha256": hashes_of(path),
        "verified": NOTHING_RECORDED if release.verified is None else release.verified,
    }


def hashes_of(path: Path) -> dict[str, str]:
    """Of the tables and arrays: what the numbers depend on."""
    files = sorted([*path.glob("*.npy"), *path.glob("*.parquet")]) if path.is_dir() else [path]
    return {file.name: sha256(file) for file in files}


def versions() -> dict[str, str]:
    return {"python": platform.python_version(), **{name: version(name) for name in LIBRARIES}}
