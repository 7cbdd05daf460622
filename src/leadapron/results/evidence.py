"""Evidence: tables that an audit's numbers were counted from. From disk each is read and verified once, when asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from leadapron.engine import sha256
from leadapron.errors import DataError


class Evidence:
    """Tables by name. ``stored`` are files with their hashes; a file that is gone counts as not kept."""

    def __init__(
        self, tables: Mapping[str, pl.DataFrame] | None = None, stored: Mapping[str, tuple[Path, str]] | None = None
    ) -> None:
        self._tables = dict(tables or {})
        self._stored = dict(stored or {})

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._tables, *self._stored]))

    def table(self, name: str) -> pl.DataFrame | None:
        if name not in self._tables and name in self._stored:
            path, _ = self._stored[name]
            if not path.is_file():
                return None
            self.verify(name)
            self._tables[name] = pl.read_parquet(path)
        return self._tables.get(name)

    def verify(self, name: str) -> None:
        """Refuses a file that was changed."""
        path, digest = self._stored[name]
        if path.is_file() and sha256(path) != digest:
            raise DataError("the evidence is not the one that the results were written with", where=path)
