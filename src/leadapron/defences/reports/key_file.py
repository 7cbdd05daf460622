"""The secret key: whoever holds it could compute the stand-ins, so it stays with the owner of the reports."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import stat
from pathlib import Path

from leadapron.engine.private import private_file
from leadapron.errors import ConfigError, DataError

BYTES = 32
SHIFTS = tuple(days for days in range(398, 1430) if days % 7 and 32 <= days % 365 <= 333)
"""Days. Every date moves to another year, another month and another weekday."""
NEW = "Make one with `leadapron key new FILE`."


def new_key(file: Path) -> None:
    """32 bytes from the system's source of secrets, as hexadecimal digits, for the owner's eyes alone."""
    if file.exists():
        raise ConfigError(
            "the key file exists already", where=file, fix="A lost key cannot be made again: choose another name."
        )
    file.parent.mkdir(parents=True, exist_ok=True)
    private_file(file).write_text(secrets.token_hex(BYTES) + "\n")


def read_key(file: Path) -> bytes:
    """The key in a file: hexadecimal digits, or any 32 bytes. One that others may read is refused."""
    if not file.is_file():
        raise DataError("there is no key file", where=file, fix=NEW)
    mode = stat.S_IMODE(file.stat().st_mode)
    if mode & 0o077:
        fix = f"Keep it to yourself: chmod 600 {file.name}. If others may have seen it, make a new one."
        raise DataError("others may read the key", where=file, got=oct(mode), allowed="0o600", fix=fix)
    content = file.read_bytes()
    digits = re.fullmatch(rb"\s*([0-9a-fA-F]+)\s*", content)
    if digits and len(digits[1]) % 2:
        raise DataError("the key is not whole: it has an odd number of hexadecimal digits", where=file, fix=NEW)
    key = bytes.fromhex(digits[1].decode()) if digits else content
    if len(key) < BYTES:
        got = f"{len(key)} bytes"
        raise DataError("the key is too short", where=file, got=got, allowed=f"{BYTES} bytes or more", fix=NEW)
    return key


def refuse_inside(folder: Path, file: Path) -> None:
    """A key in the folder that is handed over would undo all that was done."""
    if file.resolve().is_relative_to(folder.resolve()):
        raise ConfigError("the key lies in the output folder", where=file, fix="Keep it where it is not handed over.")


def drawn(key: bytes, *said: str) -> int:
    """A large number that depends on the key and on what is said, and looks random to who does not have the key."""
    return int.from_bytes(hmac.new(key, "\0".join(said).encode(), hashlib.sha256).digest())


def days_moved(key: bytes, patient: str) -> int:
    """By how many days all dates of a patient move, in reports and in tables."""
    return -SHIFTS[drawn(key, patient, "days") % len(SHIFTS)]
