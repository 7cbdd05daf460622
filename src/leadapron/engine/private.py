"""Who may read what tells of single patients: evidence, pixels, signals, and work that is not finished."""

from __future__ import annotations

from pathlib import Path

PRIVATE_FOLDER, PRIVATE_FILE = 0o700, 0o600
"""Nobody but the owner, whatever the umask."""


def private_folder(folder: Path) -> Path:
    """The folder, made for nobody but its owner; one that is there stays as it is."""
    if not folder.is_dir():
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(PRIVATE_FOLDER, exist_ok=True)
        folder.chmod(PRIVATE_FOLDER)
    return folder


def private_file(file: Path) -> Path:
    """A new file, empty, before there is anything to read in it."""
    file.touch(PRIVATE_FILE, exist_ok=False)
    file.chmod(PRIVATE_FILE)
    return file


def make_private(folder: Path) -> None:
    """The folder with all that is in it."""
    for path in (folder, *folder.rglob("*")):
        path.chmod(PRIVATE_FOLDER if path.is_dir() else PRIVATE_FILE)
