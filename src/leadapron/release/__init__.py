"""The release: what the adversary is given, as row-aligned embeddings and a table of records."""

from leadapron.release.foreign import read_release
from leadapron.release.heads import Layer, Projection, read_heads, write_heads
from leadapron.release.release import ARRAYS, Release
from leadapron.release.release_folder import read_folder, write_release
from leadapron.release.split_rule import with_split, with_split_by

__all__ = [
    "ARRAYS",
    "Layer",
    "Projection",
    "Release",
    "read_folder",
    "read_heads",
    "read_release",
    "with_split",
    "with_split_by",
    "write_heads",
    "write_release",
]
