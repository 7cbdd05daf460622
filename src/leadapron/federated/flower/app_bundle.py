"""What Flower sends from the server to the hospitals as "the app": names of what is installed there, and no code."""

from __future__ import annotations

import io
import zipfile

from leadapron import __version__

PROJECT = f"""
[project]
name = "leadapron-federation"
version = "{__version__.partition("+")[0]}"
description = "Runs the leadapron that is installed."
license = "Apache-2.0"
dependencies = []

[tool.flwr.app]
publisher = "leadapron"

[tool.flwr.app.components]
serverapp = "leadapron.federated.flower.deployed_server:app"
clientapp = "leadapron.federated.flower.deployed_hospital:app"
"""


def make_bundle() -> bytes:
    from flwr.cli.build import build_fab_from_files

    bundle, _ = build_fab_from_files({"pyproject.toml": PROJECT.encode()})
    return bundle


def is_ours(bundle: bytes) -> bool:
    """Whether a bundle says what ours says; two compressions of the same may differ."""
    try:
        return _contents(bundle) == _contents(make_bundle())
    except zipfile.BadZipFile:
        return False


def _contents(bundle: bytes) -> list[tuple[str, bytes]]:
    """Every file, also one that has the name of another."""
    with zipfile.ZipFile(io.BytesIO(bundle)) as archive:
        return sorted((file.filename, archive.read(file)) for file in archive.infolist())
