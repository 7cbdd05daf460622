"""Things that are known by name: ours, those registered in this process, and those that installed packages offer.

A package offers its own by an entry point:

    [project.entry-points."leadapron.audits"]
    attributes = "their_package.module:ATTRIBUTES"
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from importlib.metadata import EntryPoint, entry_points
from typing import Generic, TypeVar

from leadapron.errors import ConfigError, did_you_mean

Thing = TypeVar("Thing")


@dataclass(frozen=True)
class Extensions(Generic[Thing]):
    """``listed`` is the dict that lists ours; a text in it is where the object is, and is imported when asked for."""

    what: str
    kind: type[Thing]
    listed: dict[str, str | Thing]
    group: str

    def register(self, name: str, thing: Thing) -> Thing:
        """From now on it is known by its name, in this process."""
        if self.listed.get(name, thing) is not thing or (name not in self.listed and name in self._offered()):
            raise ConfigError(f"there is a {self.what} of this name already", got=name, fix="Choose another name.")
        self.listed[name] = thing
        return thing

    def names(self) -> list[str]:
        """Ours, and then those of other packages that are installed."""
        return [*self.listed, *(name for name in self._offered() if name not in self.listed)]

    def find(self, name: str) -> Thing:
        """Ours, or what another package offers under a name that is free."""
        found = self.listed.get(name)
        if isinstance(found, self.kind):
            return found
        if isinstance(found, str):
            module, _, attribute = found.partition(":")
            ours: Thing = getattr(importlib.import_module(module), attribute)
            return ours
        offers = self._offered().get(name, [])
        if not offers:
            raise ConfigError(f"unknown {self.what}", got=name, allowed=did_you_mean(name, self.names()))
        if len(offers) > 1:
            got = ", ".join(map(_package, offers))
            raise ConfigError(f"several packages offer the {self.what} {name!r}", got=got, fix="Uninstall all but one.")
        return self._loaded(offers[0])

    def loadable(self) -> list[Thing]:
        """All that can be loaded: a package that is broken must not break what does not ask for it."""
        return [found for name in self.names() if (found := self._if_loadable(name)) is not None]

    def _if_loadable(self, name: str) -> Thing | None:
        try:
            return self.find(name)
        except ConfigError:
            if name in self.listed:
                raise
            return None

    def _offered(self) -> dict[str, list[EntryPoint]]:
        offered: dict[str, list[EntryPoint]] = {}
        for point in entry_points(group=self.group):
            offered.setdefault(point.name, []).append(point)
        return offered

    def _loaded(self, point: EntryPoint) -> Thing:
        what, fix = f"the {self.what} {point.name!r} of the package {_package(point)}", "Mend or uninstall the package."
        try:
            found = point.load()
        except Exception as error:  # whatever their module raises, the fault is theirs and has their name
            raise ConfigError(f"{what} cannot be loaded ({type(error).__name__}: {error})", fix=fix) from error
        named = getattr(found, "name", point.name)
        if not isinstance(found, self.kind) or named != point.name:
            got = named if isinstance(found, self.kind) else type(found).__name__
            allowed = f"an object of type {self.kind.__name__} named {point.name!r}"
            raise ConfigError(f"{what} is another thing", got=got, allowed=allowed, fix=fix)
        return found


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.module
