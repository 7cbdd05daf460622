"""One id for several files: the same where all names and all contents are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping


def id_of_files(hashes: Mapping[str, str]) -> str:
    """From the SHA-256 of each file by its name: what ``sha256sum FILES | sha256sum`` gives, files sorted by name."""
    lines = "".join(f"{digest}  {name}\n" for name, digest in sorted(hashes.items()))
    return hashlib.sha256(lines.encode()).hexdigest()
