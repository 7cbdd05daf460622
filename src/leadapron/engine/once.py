"""A file that is written whole and once: who comes second finds it there and changes nothing."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from leadapron.engine.ours import hidden_beside
from leadapron.engine.private import private_file, private_folder

NO_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)


def write_once(target: Path, write: Callable[[BinaryIO], object]) -> bool:
    """Whether this call made ``target``. It is on the disk before it has its name, and is never replaced.

    It is for its owner's eyes alone, and so is its folder if it is not there yet.
    """
    private_folder(target.parent)
    partial = hidden_beside(target)
    try:
        with private_file(partial).open("wb") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        made = _give_name(partial, target)
    finally:
        partial.unlink(missing_ok=True)
    if made:
        _to_disk(target.parent)
    return made


def _give_name(partial: Path, target: Path) -> bool:
    """A second name, by a call that fails where the name is taken; renaming would replace what is there."""
    try:
        os.link(partial, target)
    except FileNotFoundError:
        if target.exists():  # another process wrote it, and has cleared away what was half-written
            return False
        raise
    except FileExistsError:
        # A network file system may repeat a call whose answer was lost: then the name that is taken is ours.
        return partial.stat().st_nlink > 1
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        if target.exists():  # without links there is a gap between looking and renaming, and nothing better
            return False
        partial.rename(target)
    return True


def _to_disk(folder: Path) -> None:
    """The name, too, must survive a power cut; not every system can be asked for that."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
