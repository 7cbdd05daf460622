"""The writers by name. Entering one here is all it takes to add it; packages add theirs by `leadapron.writers`."""

from __future__ import annotations

from pathlib import Path

from leadapron.engine.extensions import Extensions
from leadapron.errors import ConfigError, did_you_mean
from leadapron.writing.writer import WriterSpec

FOLDER = "folder"
"""Any folder in the place of a name: a vision-language model that transformers has saved there."""

WRITERS: dict[str, str | WriterSpec] = {
    "ridge": "leadapron.writing.ridge_writer:RIDGE",
    "decoder": "leadapron.writing.decoder_writer:DECODER",
    FOLDER: "leadapron.writing.folder_writer:FOLDER_WRITER",
}

KNOWN = Extensions("writer", WriterSpec, WRITERS, "leadapron.writers")


def writer_names() -> list[str]:
    """Ours, and then those of other packages that are installed; a folder of a model is given by its path."""
    return [name for name in KNOWN.names() if name != FOLDER]


def find_writer(name: str) -> WriterSpec:
    """The writer of this name, or that of a model in a folder."""
    if name in KNOWN.names():
        return KNOWN.find(name)
    if Path(name).is_dir():
        return KNOWN.find(FOLDER)
    allowed = f"{did_you_mean(name, writer_names())}, or the folder of a model"
    raise ConfigError("unknown writer", got=name, allowed=allowed)
