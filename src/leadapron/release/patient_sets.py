"""Who was fitted on: hashes of patient ids, keyed, in a file beside a release that stays in the house.

The card of a release names such a set by its id, which tells nothing without the file. Whoever has the file can ask
whether a patient is in the set; to list the patients they would have to guess each id.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from leadapron import __version__
from leadapron.engine import atomic_path
from leadapron.errors import DataError
from leadapron.release.beside import patients_beside

NO_SETS = "these are not the patient sets of a release"


@dataclass(frozen=True)
class PatientSet:
    """A set of patients. ``hashes`` is None where the file with it is not at hand: then only its id is known."""

    id: str
    key: bytes = b""
    hashes: frozenset[str] | None = None

    def among(self, patients: Iterable[str]) -> list[str]:
        """Those of the patients who are in it."""
        hashes = self.hashes or frozenset()
        return [patient for patient in patients if _hash(self.key, patient) in hashes]


def patient_set(patients: Iterable[str]) -> PatientSet:
    """A set under a new key, so that two sets of the same patients have nothing in common."""
    key = secrets.token_bytes(32)
    hashes = frozenset(_hash(key, patient) for patient in patients)
    return PatientSet(_id(key, hashes), key, hashes)


def _hash(key: bytes, patient: str) -> str:
    return hmac.digest(key, patient.encode(), "sha256").hex()


def _id(key: bytes, hashes: frozenset[str]) -> str:
    return hashlib.sha256(key + "".join(sorted(hashes)).encode()).hexdigest()


def write_sets(sets: Iterable[PatientSet], release: Path, *, overwrite: bool) -> None:
    """The file beside a release. Sets that are there already stay, unless the release is written over."""
    there = read_sets(release)
    kept = ({} if overwrite else there) | {one.id: one for one in sets if one.hashes is not None}
    if not kept:
        if there:
            patients_beside(release).unlink()
        return
    content = {
        "leadapron": __version__,
        "what": "Patients that a release was fitted on, as keyed hashes. Keep it; do not hand it over.",
        "sets": written_sets(kept.values()),
    }
    with atomic_path(patients_beside(release), private=True) as partial:
        partial.write_text(json.dumps(content, indent=1))


def written_sets(sets: Iterable[PatientSet]) -> dict[str, Any]:
    """Those that are known, as JSON holds them."""
    known = [one for one in sets if one.hashes is not None]
    return {one.id: {"key": one.key.hex(), "hashes": sorted(one.hashes or ())} for one in known}


def read_sets(release: Path) -> dict[str, PatientSet]:
    """The sets beside a release, by id; none where the file is not there or not ours to read."""
    file = patients_beside(release)
    try:
        text = file.read_text()
    except OSError:
        return {}
    try:
        return sets_written(json.loads(text)["sets"], file)
    except (ValueError, TypeError, KeyError) as error:
        raise DataError(NO_SETS, where=file) from error


def sets_written(content: Mapping[str, Any], where: Path) -> dict[str, PatientSet]:
    """The sets as JSON holds them, each checked against its id."""
    try:
        entries = content.items()
        found = {
            name: PatientSet(name, bytes.fromhex(entry["key"]), frozenset(entry["hashes"])) for name, entry in entries
        }
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DataError(NO_SETS, where=where) from error
    for one in found.values():
        if one.id != _id(one.key, one.hashes or frozenset()):
            raise DataError("a patient set is not the one that was written", where=where, got=one.id)
    return found
