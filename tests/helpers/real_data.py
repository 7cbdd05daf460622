"""Where the real sets lie, if they do: a test that needs one that is absent says "not run"."""

from __future__ import annotations

import importlib.util
import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def data_folder(name: str) -> Path:
    """A folder of LEADAPRON_DATA, or of ``../shared/data`` beside the repository."""
    root = os.environ.get("LEADAPRON_DATA")
    folder = (Path(root) if root else REPOSITORY.parent / "shared" / "data") / name
    if not folder.is_dir():
        pytest.skip(f"not run: {folder} is absent")
    return folder


def packaged_file(name: str) -> Path:
    """A table or archive that the torchxrayvision package carries; the package itself is not imported."""
    package = importlib.util.find_spec("torchxrayvision")
    if package is None or package.origin is None:
        pytest.skip("not run: torchxrayvision is not installed")
    file = Path(package.origin).parent / "data" / name
    if not file.is_file():
        pytest.skip(f"not run: {file} is absent")
    return file
