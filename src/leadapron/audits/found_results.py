"""Results that lie somewhere below what was named: the folder of an audit, of a trial, of a whole dossier."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from leadapron.audits.declared_rows import audit_of
from leadapron.errors import ConfigError, DataError
from leadapron.results import Results, read_results
from leadapron.results.results_folder import FILE, check_seal


@dataclass(frozen=True)
class Unread:
    """Results that are there and cannot be relied on: changed, cut, or of an audit that is not known."""

    name: str
    reason: str


@dataclass(frozen=True)
class FoundResults:
    results: tuple[Results, ...]
    unread: tuple[Unread, ...] = ()


def find_results(given: Sequence[Path | Results]) -> FoundResults:
    """All results in these files and below these folders, each once."""
    found, unread = [], []
    for one in _each_once(given):
        try:
            found.append(_relied_on(one))
        except DataError as error:
            unread.append(Unread(one.where if isinstance(one, Results) else str(one), str(error)))
    return FoundResults(tuple(found), tuple(unread))


def _each_once(given: Sequence[Path | Results]) -> list[Path | Results]:
    files = dict.fromkeys(file for path in given if isinstance(path, Path) for file in _files(path))
    return [*(one for one in given if isinstance(one, Results)), *files]


def _relied_on(one: Path | Results) -> Results:
    results = one if isinstance(one, Results) else read_results(one)
    audit_of(results)
    if results.was_read:
        check_seal(results)
    return results


def _files(path: Path) -> list[Path]:
    if not path.is_dir():
        return [path]
    if (path / FILE).is_file():
        return [path / FILE]
    below = [file for file in sorted(path.rglob(FILE)) if not _is_hidden(file.relative_to(path))]
    if not below:
        fix = f"Name the folders of audits, or one that holds them: each has a {FILE}."
        raise ConfigError("no results lie in this folder or below it", where=path, fix=fix)
    return below


def _is_hidden(file: Path) -> bool:
    """Of a write that was broken off, or of another program."""
    return any(part.startswith(".") for part in file.parts)
