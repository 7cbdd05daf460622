"""The process that holds a claim: who it is, and whether it is surely gone."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from pathlib import Path

ENDED = "ZX"
"""States of a process that is dead and not yet buried by its parent."""


def myself() -> dict[str, object]:
    """This process, as written into a claim."""
    return {
        "host": socket.gethostname(),
        "machine": _machine(),
        "pid": os.getpid(),
        "started": _started(os.getpid()),
    }


def is_gone(holder: Mapping[str, object], me: Mapping[str, object]) -> bool:
    """Whether a process of this machine has ended; False where that cannot be known.

    A number may have been given to another process since: this one began at another time.
    """
    same_machine = holder.get("machine") is not None and holder.get("machine") == me["machine"]
    pid = holder.get("pid")
    return same_machine and isinstance(pid, int) and _started(pid) != holder.get("started")


def _machine() -> str | None:
    """The running system and the space in which its process numbers hold: containers may share names and numbers."""
    try:
        system = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{system} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:  # no Linux: claims are then judged by their age alone
        return None


def _started(pid: int) -> int | None:
    """When the process began, in ticks since the system did; None if it is not there."""
    try:
        state, *fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if state in ENDED else int(fields[18])
